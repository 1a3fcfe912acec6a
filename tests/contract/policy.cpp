// The contract of a policy: sampling for all, learning for those that offer it.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include "base/random.hpp"
#include "contract.hpp"

namespace hone::contract {

namespace {

constexpr std::uint32_t group = 2, requests = 2;
const std::string prompt = "# Task: contract\n\nWrite three lines.";
const std::string words = "int x = 1; int y = 2; int z = x + y;";

struct Given {
    std::string text;
    std::vector<std::int32_t> prompt_ids, ids;
    std::vector<float> logp;
    bool operator==(const Given&) const = default;
};

struct Feed {
    Contract& contract;
    std::string role = "user";
    hone_message message{{role.data(), role.size()}, {prompt.data(), prompt.size()}};
    std::uint64_t next = 0;
    std::map<std::pair<std::uint64_t, std::uint32_t>, Given> answers;

    int32_t take(hone_request* out) {
        if (next == requests) return -1;
        *out = {sizeof *out, 40 + next, &message, 1, group, 11 + 100 * next, 1.0, 1.0, 0, 0, 12, 0, nullptr};
        ++next;
        return 1;
    }
    void give(const hone_answer& a) {
        contract.expect(a.tag >= 40 && a.tag < 40 + next && a.member < group,
                        "sample: an answer bears the tag of a request that was taken");
        contract.expect(a.finish >= HONE_STOP && a.finish <= HONE_ERROR, "sample: an answer says how it ended");
        contract.expect(!a.logp || a.ids, "sample: log-probabilities are those of ids");
        for (std::uint32_t i = 0; a.logp && i < a.n; ++i)
            contract.expect(a.logp[i] <= 1e-5f, "sample: log-probabilities are at most 0");
        for (const double cost : {a.tokens_in, a.tokens_cached, a.tokens_out, a.usd})
            contract.expect(std::isfinite(cost) && cost >= 0, "sample: tokens and usd are 0 or above");
        Given given{std::string(a.text.at ? a.text.at : "", a.text.len), {}, {}, {}};
        if (a.prompt_ids) given.prompt_ids.assign(a.prompt_ids, a.prompt_ids + a.n_prompt);
        if (a.ids) given.ids.assign(a.ids, a.ids + a.n);
        if (a.logp) given.logp.assign(a.logp, a.logp + a.n);
        contract.expect(answers.emplace(std::pair(a.tag, a.member), given).second, "sample: gives each answer once");
    }
};

auto sample(Contract& contract) {
    Feed feed{contract};
    const hone_feed functions{
        &feed, [](void* ctx, int32_t, hone_request* out) { return static_cast<Feed*>(ctx)->take(out); },
        [](void* ctx, const hone_answer* answer) { static_cast<Feed*>(ctx)->give(*answer); }, nullptr};
    const auto& f = contract.functions<hone_policy>();
    const hone_rc rc = contract.call("sample", [&] { return f.sample(contract.self(), &functions); });
    contract.expect(rc == HONE_OK, "sample: answers (" + contract.error() + ")");
    contract.expect(feed.answers.size() == requests * group, "sample: returns when all answers were given");
    return feed.answers;
}

std::vector<std::int32_t> encode(Contract& contract) {
    std::vector<std::int32_t> ids;
    const hone_message talk[] = {{{"user", 4}, {"Write.", 6}}, {{"assistant", 9}, {words.data(), words.size()}}};
    const auto put = [](void* ctx, const int32_t* at, const int32_t*, uint32_t n) {
        auto& list = *static_cast<std::vector<std::int32_t>*>(ctx);
        list.insert(list.end(), at, at + n);
    };
    const auto& f = *contract.extension<hone_learning>(HONE_EXT_LEARNING);
    contract.expect(
        contract.call("encode", [&] { return f.encode(contract.self(), talk, 2, 0, &ids, put); }) == HONE_OK,
        "encode: " + contract.error());
    contract.expect(ids.size() >= 2, "encode: gives the ids of a prompt and its answer");
    ids.resize(std::max<std::size_t>(ids.size(), 2));
    return ids;
}

struct Batch {
    std::vector<std::int32_t> ids;
    std::int64_t begin[3];
    explicit Batch(const std::vector<std::int32_t>& text)
        : ids(text), begin{0, static_cast<std::int64_t>(text.size()), 0} {
        ids.insert(ids.end(), text.begin(), text.begin() + 2);  // two sequences of different length
        begin[2] = static_cast<std::int64_t>(ids.size());
    }
    hone_batch lend() const { return {ids.data(), begin, 2, 1.0}; }
};

std::vector<float> score(Contract& contract, const Batch& batch) {
    std::vector<float> logp(batch.ids.size(), 7), entropy(batch.ids.size(), -7);
    const hone_batch lent = batch.lend();
    const auto& f = *contract.extension<hone_learning>(HONE_EXT_LEARNING);
    const hone_rc rc =
        contract.call("score", [&] { return f.score(contract.self(), &lent, 0, logp.data(), entropy.data()); });
    contract.expect(rc == HONE_OK, "score: " + contract.error());
    contract.expect(logp[0] == 0 && logp[static_cast<std::size_t>(batch.begin[1])] == 0,
                    "score: the first of each sequence is 0");
    for (std::size_t i = 0; i < logp.size(); ++i)
        contract.expect(logp[i] <= 1e-5f && std::isfinite(logp[i]) && entropy[i] >= -1e-5f,
                        "score: log-probabilities are at most 0, entropies at least 0");
    return logp;
}

double sum(const std::vector<float>& values) {
    double total = 0;
    for (const float value : values) total += value;
    return total;
}

// Caches and narrow formats round otherwise; another base, or probabilities, are far beyond that.
bool near(const std::vector<float>& found, const std::vector<float>& known) {
    double apart = 0, size = 0;
    for (std::size_t i = 0; i < known.size(); ++i) apart += std::fabs(found[i] - known[i]), size += std::fabs(known[i]);
    return apart <= 0.05 * size + 0.05;
}

// weigh of hone_step: weights of 1, and what it was called with.
struct Weighed {
    const Batch& batch;
    std::vector<int> calls;
    std::vector<float> logp;
    explicit Weighed(const Batch& of) : batch(of), calls(2), logp(of.ids.size()) {}
    static void weigh(void* ctx, std::uint32_t i, const float* logp, const float*, float* weight, float* entropy) {
        auto& self = *static_cast<Weighed*>(ctx);
        const auto first = static_cast<std::size_t>(self.batch.begin[i]);
        const auto n = static_cast<std::size_t>(self.batch.begin[i + 1]) - first;
        ++self.calls.at(i);
        std::copy_n(logp, n, self.logp.begin() + static_cast<std::ptrdiff_t>(first));
        std::fill_n(weight, n, 1.f);
        if (entropy) std::fill_n(entropy, n, 0.f);
    }
};

// The weights of a script's function are asked for once a sequence, with the forward's own log-probabilities.
void check_weigh(Contract& contract, const Batch& batch) {
    const std::vector<float> known = score(contract, batch);
    Weighed weighed(batch);
    const hone_batch lent = batch.lend();
    hone_step step{};
    step.lr = 1e-3, step.max_grad_norm = 1, step.ctx = &weighed, step.weigh = Weighed::weigh;
    hone_stepped stepped{};
    const auto& f = *contract.extension<hone_learning>(HONE_EXT_LEARNING);
    contract.expect(contract.call("learn", [&] { return f.learn(contract.self(), &lent, &step, &stepped); }) == HONE_OK,
                    "learn: " + contract.error());
    contract.expect(std::ranges::count(weighed.calls, 1) == std::ssize(weighed.calls),
                    "learn: calls weigh once for each sequence");
    contract.expect(stepped.tokens > 0 && stepped.grad_norm >= 0, "learn: tells its tokens and a norm of at least 0");
    contract.expect(near(weighed.logp, known), "learn: weigh gets the log-probabilities that score tells");
}

hone_stepped learn(Contract& contract, const Batch& batch, float each = 1) {
    std::vector<float> weight(batch.ids.size(), each);
    const hone_batch lent = batch.lend();
    hone_step step{};
    step.lr = 1e-3;
    step.max_grad_norm = 1;
    step.weight = weight.data();
    hone_stepped stepped{};
    const auto& f = *contract.extension<hone_learning>(HONE_EXT_LEARNING);
    contract.expect(contract.call("learn", [&] { return f.learn(contract.self(), &lent, &step, &stepped); }) == HONE_OK,
                    "learn: " + contract.error());
    if (std::isnan(each)) contract.expect(stepped.applied == 0, "learn: applies no update whose weights are NaN");
    else
        contract.expect(stepped.applied == 1 && std::isfinite(stepped.objective) && std::isfinite(stepped.grad_norm),
                        "learn: applies a finite update");
    return stepped;
}

// What was sampled is learnt from: its log-probabilities are natural ones, of the weights that sampled.
void check_sampled(Contract& contract, const Given& given) {
    contract.expect(given.text.empty() || !given.ids.empty(), "sample: who learns tells the ids of its answers");
    contract.expect(given.logp.size() == given.ids.size(), "sample: who learns tells the log-probability of each id");
    if (given.ids.empty() || given.prompt_ids.empty() || given.logp.size() != given.ids.size()) return;
    std::vector<std::int32_t> all = given.prompt_ids;
    all.insert(all.end(), given.ids.begin(), given.ids.end());
    std::vector<float> known = score(contract, Batch(all));
    known.erase(known.begin(), known.begin() + std::ssize(given.prompt_ids));
    known.resize(given.ids.size());  // a batch has a second sequence
    contract.expect(near(given.logp, known), "sample: log-probabilities are those that score tells");
}

void check_learning(Contract& contract) {
    const auto& f = *contract.extension<hone_learning>(HONE_EXT_LEARNING);
    const Batch batch(encode(contract));
    const std::vector<float> before = score(contract, batch);
    const std::uint64_t first = learn(contract, batch).version;
    contract.expect(learn(contract, batch).version == first + 1, "learn: each update is a version");
    const std::vector<float> after = score(contract, batch);
    contract.expect(sum(after) > sum(before), "learn: ascends the sum of weight x logp");
    check_weigh(contract, batch);
    const std::vector<float> weighed = score(contract, batch);
    learn(contract, batch, std::numeric_limits<float>::quiet_NaN());
    contract.expect(score(contract, batch) == weighed, "learn: an update that is not applied leaves the weights alone");
    const std::string folder =
        std::filesystem::temp_directory_path() / ("hone-contract-" + std::to_string(fresh_seed()));
    std::filesystem::create_directory(folder);
    contract.expect(contract.call("save", [&] { return f.save(contract.self(), folder.c_str(), 1); }) == HONE_OK,
                    "save: " + contract.error());
    learn(contract, batch);
    contract.expect(contract.call("load", [&] { return f.load(contract.self(), folder.c_str(), 1); }) == HONE_OK,
                    "load: " + contract.error());
    contract.expect(score(contract, batch) == weighed, "load: brings back the weights that were saved, bit for bit");
    std::filesystem::remove_all(folder);
}

}  // namespace

void check_policy(Contract& contract) {
    const auto& f = contract.functions<hone_policy>();
    const auto* learning = contract.extension<hone_learning>(HONE_EXT_LEARNING);
    if (learning && HONE_OFFERS(learning, adapt)) {
        const hone_text text{words.data(), words.size()};
        Collect facts;
        contract.expect(
            contract.call("adapt", [&] { return learning->adapt(contract.self(), &text, 1, facts.out()); }) == HONE_OK,
            "adapt: " + contract.error());
    }
    const auto answers = sample(contract);
    if (learning) contract.expect(sample(contract) == answers, "sample: equal seeds and weights give equal answers");
    if (learning) check_sampled(contract, answers.begin()->second);
    if (learning) check_learning(contract);
    if (HONE_OFFERS(&f, idle))
        for (const int32_t quiet : {1, 0})
            contract.expect(contract.call("idle", [&] { return f.idle(contract.self(), quiet); }) == HONE_OK,
                            "idle: " + contract.error());
    if (HONE_OFFERS(&f, facts)) check_facts(contract, f.facts);
}

}  // namespace hone::contract
