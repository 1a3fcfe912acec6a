// policy.bigram: a conditional next-token table. It has no dependency and learns a small program for each task in
// seconds, so the three stages can be tested against a model that really learns. Equal calls give equal bits.
#include <fstream>
#include <nlohmann/json.hpp>
#include "hone/task_line.hpp"
#include "table.hpp"
#include "vocabulary.hpp"

namespace {

using bigram::Contexts, bigram::Gradient, bigram::Table, bigram::Vocabulary;
using Json = nlohmann::json;

class Stream {  // splitmix64: an answer's own stream
public:
    explicit Stream(std::uint64_t seed) : state_(seed) {}
    double uniform() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1.0p-53;
    }

private:
    std::uint64_t state_;
};

std::size_t draw(const std::vector<double>& logp, double uniform) {
    double below = 0;
    for (std::size_t k = 0; k + 1 < logp.size(); ++k)
        if (uniform < (below += std::exp(logp[k]))) return k;
    return logp.size() - 1;
}

struct Answer {
    std::vector<std::int32_t> ids;
    std::vector<float> logp;
    int finish = HONE_LENGTH;
};

class Bigram : public hone::PolicyPart {
public:
    static constexpr hone_option options[] = {
        {"vocabulary", "text", "0 1 2 3 4 5 6 7 8 9", nullptr, "words known before policy:adapt"},
        {"positions", "int", "8", "1..1000", "positions of an answer that are told apart"},
        {"optimizer", "choice", "adam", "adam|sgd", "how a learning step goes along the gradient"},
        {}};

    Bigram(hone::Host host, hone::Doc given)
        : host_(host),
          vocabulary_(given.text("vocabulary")),
          positions_(static_cast<int>(given.integer("positions", 8))),
          adam_(given.text("optimizer") != "sgd") {}

    void sample(const hone_feed& feed) override {
        for (;;) {
            hone_request request{};
            request.size = sizeof request;
            const int32_t got = feed.take(feed.ctx, 100, &request);
            if (got < 0 || host_.stop()) return;
            if (got > 0) answer(feed, request);
        }
    }

    void encode(const hone_message* messages, uint32_t n, bool open, const Put& put) override {
        std::vector<std::int32_t> ids = {bigram::context_id(hone::prompt_text(messages, n))}, source = {-1};
        for (uint32_t i = 0; i < n; ++i) {
            if (hone::view(messages[i].role) != "assistant") continue;
            for (const std::int32_t id : vocabulary_.encode(hone::view(messages[i].text)))
                ids.push_back(id), source.push_back(static_cast<std::int32_t>(i));
            if (!open || i + 1 < n)
                ids.push_back(bigram::end_of_answer), source.push_back(static_cast<std::int32_t>(i));
        }
        put(ids.data(), source.data(), static_cast<uint32_t>(ids.size()));
    }

    void score(const hone_batch& batch, bool frozen, float* logp, float* entropy) override {
        for (uint32_t i = 0; i < batch.n; ++i)
            forward(frozen ? first_ : table_, sequence(batch, i), batch.temperature, logp + batch.begin[i],
                    entropy ? entropy + batch.begin[i] : nullptr);
    }

    hone_stepped learn(const hone_batch& batch, const hone_step& step) override {
        Gradient gradient;
        hone_stepped done{};
        for (uint32_t i = 0; i < batch.n; ++i) backward(batch, step, i, gradient, done);
        double squares = 0;
        for (const auto& [context, g] : gradient)
            for (const double v : g) squares += v * v;
        done.grad_norm = std::sqrt(squares);
        done.applied = std::isfinite(done.grad_norm) && std::isfinite(done.objective);
        if (done.applied) {
            if (step.max_grad_norm > 0 && done.grad_norm > step.max_grad_norm)
                for (auto& [context, g] : gradient)
                    for (double& v : g) v *= step.max_grad_norm / done.grad_norm;
            table_.ascend(gradient, {step.lr, step.weight_decay, adam_}, vocabulary_.size());
        }
        done.version = table_.steps;
        return done;
    }

    void adapt(const hone_text* texts, uint32_t n, hone::Out out) override {
        if (settled_ || table_.steps)
            throw hone::Refused(
                "the vocabulary is settled once weights were learnt or loaded: adapt before that, or go on with it by "
                "run:sft { adapt = false }");
        std::vector<std::string> list;
        for (uint32_t i = 0; i < n; ++i) list.push_back(hone::text(texts[i]));
        vocabulary_ = Vocabulary(list);
        out.num("tokens", static_cast<double>(vocabulary_.size()));
    }

    void save(const std::string& folder, bool resume) override {
        Json json = {{"format", "hone bigram 1"},
                     {"tokens", vocabulary_.tokens()},
                     {"positions", positions_},
                     {"steps", table_.steps},
                     {"table", rows_json(table_, resume)}};
        if (resume) json["first"] = rows_json(first_, false);
        std::ofstream file(folder + "/bigram.json", std::ios::binary);
        file << json.dump();
        if (!file.flush()) throw hone::Failed(folder + "/bigram.json cannot be written: " + std::strerror(errno));
    }

    void load(const std::string& folder, bool resume) override {
        const std::string path = folder + "/bigram.json";
        std::ifstream file(path, std::ios::binary);
        if (!file) throw hone::Refused(path + " cannot be read: " + std::strerror(errno));
        const Json json = Json::parse(file, nullptr, false);
        if (json.is_discarded() || json.value("format", "") != "hone bigram 1")
            throw hone::Refused(path + " is damaged, or no checkpoint of policy.bigram");
        if (json.at("positions") != positions_)
            throw hone::Refused(path + " was learnt with positions = " + json.at("positions").dump());
        vocabulary_ = Vocabulary::from_tokens(json.at("tokens"));
        table_.rows() = rows_of(json.at("table"));
        table_.steps = json.at("steps");
        if (resume && json.contains("first")) first_.rows() = rows_of(json.at("first"));
        else if (!settled_) first_ = table_;
        settled_ = true;
    }

    void facts(hone::Out out) override {
        out.text("device", "cpu");
        out.text("speaks", "compact");
        out.text("dtype", "f32");
        out.num("vocabulary", static_cast<double>(vocabulary_.size()));
        out.num("rows", static_cast<double>(table_.rows().size()));
    }

private:
    static std::span<const std::int32_t> sequence(const hone_batch& batch, uint32_t i) {
        return {batch.ids + batch.begin[i], static_cast<std::size_t>(batch.begin[i + 1] - batch.begin[i])};
    }

    void answer(const hone_feed& feed, const hone_request& request) const {
        if ((request.top_p > 0 && request.top_p < 1) || request.min_p > 0 || request.top_k > 0)
            throw hone::Refused("top_p, top_k and min_p are not offered by policy.bigram: use temperature");
        if (request.n_stop) throw hone::Refused("stop is not offered by policy.bigram: its answers end by themselves");
        const std::int32_t prompt = bigram::context_id(hone::prompt_text(request.messages, request.n));
        for (uint32_t member = 0; member < request.group; ++member) {
            const Answer made = generate(prompt, request.seed + member, request.temperature,
                                         request.max_tokens > 0 ? request.max_tokens : 64);
            std::vector<std::int32_t> words = made.ids;
            if (made.finish == HONE_STOP) words.pop_back();
            const std::string text = vocabulary_.decode(words);
            const hone_answer given{sizeof given,
                                    request.tag,
                                    member,
                                    made.finish,
                                    hone::borrow(text),
                                    &prompt,
                                    made.ids.data(),
                                    1,
                                    static_cast<uint32_t>(made.ids.size()),
                                    made.logp.data(),
                                    table_.steps,
                                    1,
                                    0,
                                    static_cast<double>(made.ids.size()),
                                    0};
            feed.give(feed.ctx, &given);
        }
    }

    Answer generate(std::int32_t prompt, std::uint64_t seed, double temperature, int max_tokens) const {
        Stream stream(seed);
        Answer answer;
        Contexts contexts(positions_);
        contexts.push(prompt);
        while (static_cast<int>(answer.ids.size()) < max_tokens && answer.finish != HONE_STOP) {
            const auto logp = bigram::log_softmax(table_.logits(contexts.next()), vocabulary_.size(),
                                                  temperature > 0 ? temperature : 1);
            const auto most = static_cast<std::size_t>(std::max_element(logp.begin(), logp.end()) - logp.begin());
            const std::size_t k = temperature > 0 ? draw(logp, stream.uniform()) : most;
            answer.ids.push_back(static_cast<std::int32_t>(k));
            answer.logp.push_back(temperature > 0 ? static_cast<float>(logp[k]) : 0.0f);
            if (answer.ids.back() == bigram::end_of_answer) answer.finish = HONE_STOP;
            contexts.push(answer.ids.back());
        }
        return answer;
    }

    void check_id(std::int32_t id) const {
        if (id < 0 || (id < bigram::first_context && id >= static_cast<std::int32_t>(vocabulary_.size())))
            throw hone::Refused("token id " + std::to_string(id) + " is not in the vocabulary of " +
                                std::to_string(vocabulary_.size()));
    }

    void forward(const Table& table, std::span<const std::int32_t> ids, double temperature, float* logp,
                 float* entropy) const {
        Contexts contexts(positions_);
        for (std::size_t t = 0; t < ids.size(); ++t) {
            check_id(ids[t]);
            const bool predicted = t > 0 && ids[t] < bigram::first_context;
            const auto all = predicted
                                 ? bigram::log_softmax(table.logits(contexts.next()), vocabulary_.size(), temperature)
                                 : std::vector<double>();
            logp[t] = predicted ? static_cast<float>(all[static_cast<std::size_t>(ids[t])]) : 0.0f;
            if (entropy) entropy[t] = predicted ? static_cast<float>(bigram::entropy_of(all)) : 0.0f;
            contexts.push(ids[t]);
        }
    }

    // Adds sequence i's gradient of  sum weight * logp + entropy_weight * H  with respect to the logits z = row, at
    // softmax(z / T): d logp_y / d z_k = ([k = y] - p_k) / T,  d H / d z_k = -p_k (log p_k + H) / T.
    void backward(const hone_batch& batch, const hone_step& step, uint32_t i, Gradient& gradient,
                  hone_stepped& done) const {
        const auto ids = sequence(batch, i);
        std::vector<float> logp(ids.size()), entropy(ids.size()), weight(ids.size()), entropy_weight(ids.size());
        forward(table_, ids, batch.temperature, logp.data(), entropy.data());
        if (step.weigh) step.weigh(step.ctx, i, logp.data(), entropy.data(), weight.data(), entropy_weight.data());
        else {
            std::copy_n(step.weight + batch.begin[i], ids.size(), weight.begin());
            if (step.entropy_weight)
                std::copy_n(step.entropy_weight + batch.begin[i], ids.size(), entropy_weight.begin());
        }
        Contexts contexts(positions_);
        for (std::size_t t = 0; t < ids.size(); contexts.push(ids[t++])) {
            if (t == 0 || ids[t] >= bigram::first_context || (weight[t] == 0 && entropy_weight[t] == 0)) continue;
            const auto all = bigram::log_softmax(table_.logits(contexts.next()), vocabulary_.size(), batch.temperature);
            const double h = bigram::entropy_of(all);
            auto& g = gradient.try_emplace(contexts.next(), vocabulary_.size(), 0.0).first->second;
            for (std::size_t k = 0; k < g.size(); ++k) {
                const double p = std::exp(all[k]), hit = static_cast<std::int32_t>(k) == ids[t] ? 1 : 0;
                g[k] += (weight[t] * (hit - p) - entropy_weight[t] * p * (all[k] + h)) / batch.temperature;
            }
            done.objective += weight[t] * all[static_cast<std::size_t>(ids[t])] + entropy_weight[t] * h;
            ++done.tokens;
        }
    }

    static Json rows_json(const Table& table, bool moments) {
        Json rows = Json::array();
        for (const auto& [context, row] : table.rows())
            rows.push_back(moments ? Json{context, row.logits, row.first, row.second} : Json{context, row.logits});
        return rows;
    }

    static std::map<std::uint64_t, bigram::Row> rows_of(const Json& list) {
        std::map<std::uint64_t, bigram::Row> rows;
        for (const Json& item : list) {
            bigram::Row row{item.at(1), {}, {}};
            row.first = item.size() > 2 ? item.at(2).get<std::vector<float>>() : std::vector<float>(row.logits.size());
            row.second = item.size() > 3 ? item.at(3).get<std::vector<float>>() : std::vector<float>(row.logits.size());
            rows.emplace(item.at(0), std::move(row));
        }
        return rows;
    }

    hone::Host host_;
    Vocabulary vocabulary_;
    int positions_;
    bool adam_;
    Table table_, first_;   // first_: the weights as first loaded
    bool settled_ = false;  // weights were loaded
};

}  // namespace

HONE_POLICY(Bigram, "bigram", "1.0",
            "a conditional next-token table that learns small programs in seconds; no dependency")
