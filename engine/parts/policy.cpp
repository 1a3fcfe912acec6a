#include "parts/policy.hpp"
#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <utility>
#include "base/printable.hpp"
#include "base/progress.hpp"
#include "parts/host.hpp"
#include "parts/policy_checks.hpp"
#include "parts/saved_folder.hpp"
#include "parts/told.hpp"

namespace hone {
namespace {

std::string valid_text(hone_text text) { return text.at ? valid_utf8(std::string(text.at, text.len)) : ""; }

std::vector<hone_message> lend(const std::vector<Message>& messages) {
    std::vector<hone_message> result;
    for (const Message& message : messages)
        result.push_back({{message.role.data(), message.role.size()}, {message.text.data(), message.text.size()}});
    return result;
}

hone_batch lend(const Sequences& sequences, double temperature) {
    return {sequences.ids.data(), sequences.begin.data(), static_cast<std::uint32_t>(sequences.size()), temperature};
}

template <class T> std::vector<T> copied(const T* from, std::uint32_t n) {
    return from ? std::vector<T>(from, from + n) : std::vector<T>();
}

Answer copied(const hone_answer& answer) {
    static constexpr const char* finishes[] = {"stop", "length", "refusal", "error"};
    Answer result;
    result.tag = answer.tag;
    result.member = answer.member;
    result.finish = finishes[answer.finish];
    result.text = valid_text(answer.text);
    result.prompt_ids = copied(answer.prompt_ids, answer.n_prompt);
    result.ids = copied(answer.ids, answer.n);
    result.logp = copied(answer.logp, answer.n);
    result.version = answer.version;
    result.tokens_in = answer.tokens_in;
    result.tokens_cached = answer.tokens_cached;
    result.tokens_out = answer.tokens_out;
    result.usd = answer.usd;
    // a part that was built before the key existed has none
    if (answer.size >= offsetof(hone_answer, model) + sizeof answer.model) result.model = valid_text(answer.model);
    if (answer.size < offsetof(hone_answer, retry_after) + sizeof answer.retry_after) return result;
    const bool is_known = answer.fault > HONE_FAULT_UNKNOWN && answer.fault <= HONE_FAULT_SERVER;
    result.fault = is_known ? answer.fault : HONE_FAULT_UNKNOWN;
    if (std::isfinite(answer.retry_after)) result.retry_after = std::max(0.0, answer.retry_after);
    return result;
}

struct Lent {  // what a part reads of a request until its last answer
    explicit Lent(SampleRequest r)
        : request(std::move(r)), messages(lend(request.messages)), given(request.group, false) {
        for (const std::string& text : request.sampling.stop) stop.push_back({text.data(), text.size()});
    }
    const SampleRequest request;
    const std::vector<hone_message> messages;
    std::vector<hone_text> stop;
    std::vector<bool> given;  // by member
};

hone_request view_of(const Lent& lent) {
    const Sampling& by = lent.request.sampling;
    hone_request out{};
    out.size = sizeof out, out.tag = lent.request.tag;
    out.messages = lent.messages.data(), out.n = static_cast<std::uint32_t>(lent.messages.size());
    out.group = lent.request.group, out.seed = lent.request.seed;
    out.temperature = by.temperature, out.top_p = by.top_p, out.min_p = by.min_p, out.top_k = by.top_k;
    out.max_tokens = by.max_tokens;
    out.stop = lent.stop.data(), out.n_stop = static_cast<std::uint32_t>(lent.stop.size());
    return out;
}

// Runs on the part's stack: what throws is kept until the part has returned, and ends the feed. Answers to what the
// part had taken before are still given: they may have been paid for.
class Feed {
public:
    Feed(const Policy::Source& source, const std::function<void(Answer)>& give,
         const std::function<void(const Answer&)>& pay, const std::function<void()>& pause,
         const Policy::OnPiece& piece, bool learns, const std::string& policy)
        : source_(source), give_(give), pay_(pay), pause_(pause), piece_(piece), learns_(learns), policy_(policy) {}

    hone_feed functions() {
        return {this,
                [](void* self, std::int32_t wait_ms, hone_request* out) {
                    return static_cast<Feed*>(self)->take(wait_ms, out);
                },
                [](void* self, const hone_answer* answer) { static_cast<Feed*>(self)->give(*answer); },
                piece_ ? add_piece : nullptr};
    }
    void rethrow() const {
        if (thrown_) std::rethrow_exception(thrown_);
    }

private:
    std::int32_t take(std::int32_t wait_ms, hone_request* out) {
        InPart::answers();
        std::int32_t got = -1;
        if (thrown_) return got;
        keep([&] {
            pause_();
            SampleRequest next;
            got = source_(wait_ms, next);
            if (got <= 0) return;
            const std::uint64_t tag = next.tag;
            *out = view_of(*(lent_[tag] = std::make_unique<Lent>(std::move(next))));
        });
        return thrown_ ? -1 : got;
    }
    void give(const hone_answer& answer) {
        InPart::answers();
        const bool fine = keep([&] {
            check_given(answer, policy_);
            Answer given = copied(answer);
            check_answer(given, learns_, policy_);
            pay_(given);  // also where nothing more is taken
            if (failed_) return;
            const auto found = lent_.find(answer.tag);
            if (found == lent_.end() || !awaits(*found->second, answer.member)) return tell_surplus(answer.member);
            std::vector<bool>& all = found->second->given;
            all[answer.member] = true;
            give_(std::move(given));
            if (std::find(all.begin(), all.end(), false) == all.end()) lent_.erase(found);
        });
        failed_ = failed_ || !fine;
    }
    static bool awaits(const Lent& lent, std::uint32_t member) {
        return member < lent.given.size() && !lent.given[member];
    }
    void tell_surplus(std::uint32_t member) {
        if (std::exchange(told_surplus_, true)) return;
        Progress::warn(policy_ + ": sample: gave an answer that nobody asked for, or a second time (member " +
                       std::to_string(member) + " of a request): it is left out");
    }
    static void add_piece(void* self, std::uint64_t tag, std::uint32_t member, hone_text text) {
        InPart::answers();
        auto& feed = *static_cast<Feed*>(self);
        if (!feed.thrown_) feed.keep([&] { feed.piece_(tag, member, valid_text(text)); });
    }
    template <class Body> bool keep(Body&& body) {
        try {
            return body(), true;
        } catch (const std::exception&) {
            if (!thrown_) thrown_ = std::current_exception();
        }
        return false;
    }
    const Policy::Source& source_;
    const std::function<void(Answer)>& give_;
    const std::function<void(const Answer&)>& pay_;
    const std::function<void()>& pause_;
    const Policy::OnPiece& piece_;
    const bool learns_;
    const std::string& policy_;
    std::map<std::uint64_t, std::unique_ptr<Lent>> lent_;  // by tag
    std::exception_ptr thrown_;                            // the first
    bool failed_ = false;                                  // to take an answer
    bool told_surplus_ = false;
};

}  // namespace

void check_role(const std::string& place, const std::string& role) {
    static const std::vector<std::string> roles = {"system", "user", "assistant", "plain"};
    if (role.empty() || std::find(roles.begin(), roles.end(), role) != roles.end()) return;
    throw Error(Blame::input, place, "a message has the role \"" + role + "\"",
                choose(role, roles, "roles") + "; \"\" is ready-rendered text");
}

void Sequences::add(const std::vector<std::int32_t>& sequence) {
    ids.insert(ids.end(), sequence.begin(), sequence.end());
    begin.push_back(static_cast<std::int64_t>(ids.size()));
}

void Policy::pay_from(Budget& budget) {
    budget_ = &budget;
    handle_.part_host().pay_from(&budget);
}

const hone_learning& Policy::learning(const char* function) const {
    if (!learning_)
        throw Error(Blame::input, "policy \"" + recipe().id + "\"", std::string("does not offer ") + function,
                    "use a trainable policy here");
    return *learning_;
}

std::string Policy::waits() const { return handle_.part_host().waits(); }

Json Policy::facts() const {
    Collect collect;
    if (HONE_OFFERS(&functions(), facts)) handle_.call("facts", functions().facts, handle_.self(), collect.out());
    check_told(collect.json(), "policy", handle_.name(), "facts");
    return collect.json();
}

void Policy::sample(const std::vector<SampleRequest>& requests, const std::function<void(Answer)>& give,
                    const std::function<void()>& pause, const OnPiece& piece) {
    std::size_t next = 0;
    const Source listed = [&](std::int32_t, SampleRequest& out) {
        if (next == requests.size()) return -1;
        out = requests[next++];
        return 1;
    };
    sample(listed, give, pause, piece);
}

void Policy::sample(const Source& source, const std::function<void(Answer)>& give, const std::function<void()>& pause,
                    const OnPiece& piece) {
    const std::function<void(const Answer&)> pay = [&](const Answer& answer) {
        if (budget_ && !handle_.part_host().settles()) budget_->settle(0, answer.usd, false);
    };
    Feed feed(source, give, pay, pause, piece, trainable(), handle_.name());
    const hone_feed lent = feed.functions();
    const hone_rc rc = handle_.enter("sample", functions().sample, handle_.self(), &lent);
    feed.rethrow();
    handle_.check(rc, "sample");
}

void Policy::encode(const std::vector<Message>& messages, bool open, std::vector<std::int32_t>& ids,
                    std::vector<std::int32_t>& sources) {
    const hone_learning& functions = learning("encode");
    struct Target {
        std::vector<std::int32_t>&ids, &sources;
    } target{ids, sources};
    const auto lent = lend(messages);
    const auto put = [](void* ctx, const std::int32_t* at, const std::int32_t* source, std::uint32_t n) {
        auto& to = *static_cast<Target*>(ctx);
        to.ids.insert(to.ids.end(), at, at + n);
        if (source) to.sources.insert(to.sources.end(), source, source + n);
    };
    handle_.call("encode", functions.encode, handle_.self(), lent.data(), static_cast<std::uint32_t>(lent.size()), open,
                 &target, put);
    check_encoded(ids, sources, messages.size(), handle_.name());
}

Scores Policy::score(const Sequences& sequences, bool frozen, double temperature) {
    const hone_learning& functions = learning("score");
    Scores scores{std::vector<float>(sequences.ids.size()), std::vector<float>(sequences.ids.size())};
    const hone_batch batch = lend(sequences, temperature);
    handle_.call("score", functions.score, handle_.self(), &batch, frozen, scores.logp.data(), scores.entropy.data());
    check_logp(scores.logp, "score", handle_.name());
    return scores;
}

Updated Policy::learn(const Sequences& sequences, const Update& update) {
    const hone_learning& functions = learning("learn");
    struct Context {
        const Sequences& sequences;
        const Update& update;
        const std::string& policy;
        std::vector<bool> weighed;  // by sequence
        std::exception_ptr thrown;
    } context{sequences, update, handle_.name(), std::vector<bool>(update.weigh ? sequences.size() : 0), nullptr};
    hone_step step{update.lr, update.max_grad_norm, update.weight_decay, update.weight.data(), nullptr, &context,
                   nullptr};
    if (update.weigh)
        step.weigh = [](void* ctx, std::uint32_t i, const float* logp, const float* entropy, float* weight,
                        float* entropy_weight) {
            InPart::answers();
            auto& c = *static_cast<Context*>(ctx);
            const auto n = static_cast<std::size_t>(c.sequences.begin[i + 1] - c.sequences.begin[i]);
            std::fill_n(weight, n, 0.f);
            std::span<float> entropies;
            if (entropy_weight) std::fill_n(entropy_weight, n, 0.f), entropies = {entropy_weight, n};
            try {
                check_logp({logp, n}, "learn", c.policy);
                c.weighed.at(i) = true;
                if (!c.thrown) c.update.weigh(i, {logp, n}, {entropy, entropy ? n : 0}, {weight, n}, entropies);
            } catch (const std::exception&) {
                c.thrown = std::current_exception();
            }
            if (c.thrown) std::fill_n(weight, n, std::numeric_limits<float>::quiet_NaN());  // no update comes of it
        };
    hone_stepped stepped{};
    const hone_batch batch = lend(sequences, update.temperature);
    const hone_rc rc = handle_.enter("learn", functions.learn, handle_.self(), &batch, &step, &stepped);
    if (context.thrown) std::rethrow_exception(context.thrown);
    handle_.check(rc, "learn");
    check_stepped(stepped, context.weighed, handle_.name());
    return {stepped.objective, stepped.grad_norm, stepped.tokens, stepped.applied != 0, stepped.version};
}

void Policy::save(const std::string& folder, bool resume) {
    const hone_learning& functions = learning("save");
    constexpr const char* cure = "check that its disk has room and that the folder is yours";
    try {
        replace_saved_folder(folder, [&](const std::string& fresh) {
            handle_.call("save", functions.save, handle_.self(), fresh.c_str(), resume);
        });
    } catch (const std::filesystem::filesystem_error& error) {
        throw Error(Blame::environment, folder, "cannot be written: " + error.code().message(), cure);
    } catch (const PartFailed& error) {
        throw Error(Blame::environment, folder, error.what(), cure);
    } catch (const Error& error) {
        throw Error(error.blame(), error.place(), error.cause(), error.cure().empty() ? cure : error.cure());
    }
}

void Policy::load(const std::string& folder, bool resume) {
    if (resume) check_saved_files(folder);  // damaged weights are numbers like any other, and would be learnt from
    handle_.call("load", learning("load").load, handle_.self(), folder.c_str(), resume);
}

void Policy::idle(bool quiet) {
    if (HONE_OFFERS(&functions(), idle)) handle_.call("idle", functions().idle, handle_.self(), quiet);
}

Json Policy::adapt(const std::vector<std::string>& texts) {
    if (!learning_ || !HONE_OFFERS(learning_, adapt)) return Json::object();
    std::vector<hone_text> lent;
    for (const std::string& text : texts) lent.push_back({text.data(), text.size()});
    Collect collect;
    handle_.call("adapt", learning_->adapt, handle_.self(), lent.data(), static_cast<std::uint32_t>(lent.size()),
                 collect.out());
    return collect.json();
}

}  // namespace hone
