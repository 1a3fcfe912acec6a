#include "run/rollout.hpp"
#include <algorithm>
#include <cmath>
#include <utility>
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/process.hpp"
#include "base/quantity.hpp"
#include "run/interrupt.hpp"
#include "run/prompt_changes.hpp"

namespace hone {
namespace {

Json to_json(const Answer& answer) {
    Json json = {{"text", answer.text},
                 {"ids", answer.ids},
                 {"prompt_ids", answer.prompt_ids},
                 {"finish", answer.finish},
                 {"version", answer.version},
                 {"tokens_in", answer.tokens_in},
                 {"tokens_cached", answer.tokens_cached},
                 {"tokens_out", answer.tokens_out},
                 {"usd", answer.usd}};
    if (!answer.logp.empty()) json["logp"] = answer.logp;
    if (!answer.model.empty()) json["model"] = answer.model;
    return json;
}

// Not the model's doing: no network, a server that is down.
bool gave_none(const Json& answer) { return answer.value("finish", "") == "error"; }
// A refusal, too, says nothing about a program; but it was given, and may have been paid for.
bool refused(const Json& answer) { return answer.value("finish", "") == "refusal"; }

bool was_cut(const Json& answer) { return answer.value("finish", "") == "length"; }

class Quiet {  // the policy keeps off the cores while the judge times
public:
    explicit Quiet(Policy* policy) : policy_(policy) {
        if (policy_) policy_->idle(true);
    }
    ~Quiet() {
        try {
            if (policy_) policy_->idle(false);
        } catch (const std::exception&) {  // the next call on it says so
        }
    }
    Quiet(const Quiet&) = delete;

private:
    Policy* policy_;
};

}  // namespace

Rollout::Rollout(RolloutPlan plan, Ask ask)
    : plan_(std::move(plan)),
      ask_(std::move(ask)),
      size_(static_cast<std::size_t>(plan_.group)),
      members_(plan_.prompts.size() * size_) {}

std::uint64_t Rollout::seed_of(std::size_t group) const {
    return run_().derive("rollout/" + std::to_string(op_) + "/" + std::to_string(group));
}

Json Rollout::key() const {
    std::string prompts;
    for (const RolloutPrompt& prompt : plan_.prompts)
        prompts += prompt.task->hash() + sha256(messages_to_json(prompt.messages).dump());
    const Sampling& by = plan_.sampling;
    Json key = {{"judge", plan_.judge->description()},
                {"prompts", sha256(prompts)},
                {"group", plan_.group},
                {"temperature", by.temperature},
                {"top_p", by.top_p},
                {"min_p", by.min_p},
                {"top_k", by.top_k},
                {"stop", by.stop},
                {"max_tokens", by.max_tokens},
                {"stage", plan_.stage},
                {"step", plan_.step}};
    key.update(plan_.policy->key());
    return key;
}

void Rollout::run() {
    const auto words = [this](std::int64_t op, const std::string& name) {
        return name == "prompts" ? changed_prompts(run_().journal, op, plan_.prompts) : "";
    };
    op_ = run_().begin("rollout", key(), words);
    run_().journal.together([this] {
        for (std::size_t g = 0; g < plan_.prompts.size(); ++g) put_prompt(g);
    });
    restore();
    if (judgements_ < members_.size()) {
        progress_.emplace(title(), static_cast<long>(members_.size()));
        try {
            {
                const Spending sampling(run_().spent.sampling);
                sample();
            }
            const Spending judging(run_().spent.judging);
            judge();
        } catch (const std::exception&) {
            plan_.judge->cancel();
            commit();
            put_lost_money();
            run_().broken_off = true;
            check_interrupt();  // a policy that saw the stop flag first says so in its own words
            if (run_().budget.refused() > 0) run_().budget_is_spent();
            throw;
        }
        progress_.reset();
    }
    if (!run_().journal.result(op_)) end();
}

void Rollout::end() {
    std::size_t& in_a_row = run_().lost_in_a_row;
    if (losses_.too_many(members_.size(), !plan_.step.is_null(), in_a_row)) {
        put_lost_money();
        throw Error(Blame::environment, title(),
                    std::to_string(losses_.count()) + " of " + std::to_string(members_.size()) +
                        " answers are lost, most often because of this: " + losses_.most_frequent(),
                    "mend the cause and resume: only what is lost is asked for and judged again");
    }
    in_a_row = losses_.count() == members_.size() ? in_a_row + losses_.count() : 0;
    run_().journal.together([this] {
        for (std::size_t i = 0; i < members_.size(); ++i)
            if (!members_[i].judgement->scorable()) put_answer(i), put_judgement(i);
        run_().journal.end(op_, {{"members", members_.size()}});
    });
}

std::string Rollout::title() const {
    return plan_.stage.empty() ? "rollout" : plan_.stage + (plan_.step.is_number() ? " " + plan_.step.dump() : "");
}

void Rollout::put_prompt(std::size_t g) {
    const RolloutPrompt& prompt = plan_.prompts[g];
    run_().journal.put_task(*prompt.task);
    run_().journal.put_prompt(op_, static_cast<int>(g),
                              {{"task", prompt.task->name()},
                               {"stage", plan_.stage},
                               {"step", plan_.step},
                               {"messages", messages_to_json(prompt.messages)},
                               {"exemplars", prompt.exemplars},
                               {"seed", seed_of(g)}});
}

void Rollout::restore() {
    for (std::size_t i = 0; i < members_.size(); ++i) {
        auto answer = run_().journal.answer(slot(i));
        if (!answer) continue;
        Member& member = members_[i];
        parse(i, std::move(*answer));
        member.kept = true;
        member.judgement = run_().journal.judgement(slot(i));
        if (answers_ == i) ++answers_;
        if (member.judgement && judgements_ == i) ++judgements_;
    }
}

void Rollout::sample() {
    const bool overlap = plan_.policy->remote();
    for (std::size_t i = judgements_; i < members_.size() && overlap; ++i)
        if (members_[i].answer) submit(i);
    if (answers_ == members_.size()) return;
    if (plan_.policy->asks_script()) sample_script();
    else sample_part(overlap);
}

void Rollout::sample_script() {
    for (std::size_t i = answers_; i < members_.size(); ++i) {
        check_interrupt();
        if (members_[i].answer) continue;
        const std::string text = ask_(i / size_, static_cast<int>(i % size_), seed_of(i / size_) + i % size_);
        take_answer(i, {{"text", text},
                        {"finish", "stop"},
                        {"version", 0},
                        {"tokens_in", 0.0},
                        {"tokens_out", 0.0},
                        {"usd", 0.0}});
        show();
    }
    commit();
}

void Rollout::sample_part(bool overlap) {
    std::vector<std::size_t> first;  // of the members that a request, known by its tag, asks for
    const std::vector<SampleRequest> requests = unanswered(first);
    const auto give = [&](Answer answer) {
        const std::size_t i = answer.tag < requests.size() ? first[answer.tag] + answer.member : members_.size();
        if (i >= members_.size() || answer.member >= requests[answer.tag].group || members_[i].answer)
            throw Error(Blame::run, "policy \"" + plan_.policy->name() + "\"", "gave an answer that nobody asked for");
        take_answer(i, to_json(answer));
        if (overlap) submit(i), receive(0);
        show();
    };
    const auto pause = [&] {
        check_interrupt();
        if (overlap) receive(0);
    };
    plan_.policy->ready().sample(requests, give, pause);
    commit();
    if (const Json notes = plan_.policy->facts().value("notes", Json()); notes.is_string())
        run_().journal.put_event(op_, "policy", {{"name", plan_.policy->name()}, {"notes", notes}});
    if (answers_ < members_.size())
        throw Error(Blame::run, "policy \"" + plan_.policy->name() + "\"",
                    "gave " + std::to_string(answered()) + " of " + std::to_string(members_.size()) + " answers");
}

// One request for each run of members of a group that have no answer yet.
std::vector<SampleRequest> Rollout::unanswered(std::vector<std::size_t>& first) const {
    std::vector<SampleRequest> requests;
    for (std::size_t i = answers_; i < members_.size(); ++i) {
        if (members_[i].answer) continue;
        const std::size_t g = i / size_;
        if (!first.empty() && first.back() / size_ == g && first.back() + requests.back().group == i) {
            ++requests.back().group;
            continue;
        }
        requests.push_back({requests.size(), plan_.prompts[g].messages, 1, seed_of(g) + i % size_, plan_.sampling});
        first.push_back(i);
    }
    return requests;
}

void Rollout::take_answer(std::size_t i, Json answer) {
    parse(i, std::move(answer));
    commit_at_times();
}

void Rollout::parse(std::size_t i, Json answer) {
    const RolloutPrompt& prompt = prompt_of(i);
    members_[i].parsed =
        parse_answer(prompt.task->name(), answer.value("text", ""), plan_.judge->fences(*prompt.task), prompt.fenced);
    members_[i].answer = std::move(answer);
}

std::string Rollout::why_no_program(const Member& member) const {
    const std::string& reason = member.parsed.reason;
    if (!was_cut(*member.answer)) return reason;
    return reason + ": the answer was cut at max_tokens = " + std::to_string(plan_.sampling.max_tokens);
}

void Rollout::submit(std::size_t i) {
    Member& member = members_[i];
    if (member.judgement || member.ticket) return;
    const Task& task = *prompt_of(i).task;
    if (gave_none(*member.answer) || refused(*member.answer))
        judged(i, rejected(task.name(), "", Verdict::INFRASTRUCTURE,
                           "the policy gave no answer: " + member.answer->value("text", "")));
    else if (!member.parsed.ok) judged(i, rejected(task.name(), "", Verdict::PARSE_ERROR, why_no_program(member)));
    if (member.judgement) return;
    member.ticket = plan_.judge->submit(task, member.parsed.candidate);
    waiting_.push_back(i);
}

void Rollout::judged(std::size_t i, Judgement judgement) {
    if (!judgement.scorable()) {
        losses_.add(judgement.reason, gave_none(*members_[i].answer) || judgement.kind == "busy");
        run_().tell_loss(title(), judgement.reason);
    }
    members_[i].judgement = std::move(judgement);
}

void Rollout::receive(double seconds) {
    plan_.judge->poll(seconds);
    std::erase_if(waiting_, [&](std::size_t i) {
        auto judgement = plan_.judge->take(*members_[i].ticket);
        if (judgement) run_().judged(*judgement), judged(i, std::move(*judgement));
        return members_[i].judgement.has_value();
    });
    if (waiting_.empty()) commit();
    else commit_at_times();
}

void Rollout::judge() {
    Policy* policy = plan_.policy->asks_script() || plan_.policy->remote() ? nullptr : &plan_.policy->ready();
    const Quiet quiet(policy);
    for (std::size_t i = judgements_; i < members_.size(); ++i) submit(i);
    for (receive(0); judgements_ < members_.size(); receive(0.1)) {
        check_interrupt();
        show();
    }
}

// A commit waits for the disk. What was paid for goes there at once, what only took time a few times a second.
void Rollout::commit_at_times() {
    if (!plan_.policy->remote() && monotonic_seconds() - committed_ < 0.25) return;
    commit();
}

void Rollout::commit() {
    run_().journal.together([this] {
        put_complete();
        if (const double maybe = run_().budget.take_maybe(); maybe > 0)
            run_().journal.put_event(0, "lost", {{"op", op_}, {"usd", maybe}, {"maybe", true}});
    });
    committed_ = monotonic_seconds();
}

// What was paid for as it came, the rest from the front, so that equal runs leave equal journals. A judgement after its
// answer. What is lost waits for the end of the operation.
void Rollout::put_complete() {
    for (std::size_t i = answers_; i < members_.size() && (i == answers_ || plan_.policy->remote()); ++i) {
        if (!members_[i].answer) continue;
        if (!gave_none(*members_[i].answer)) put_answer(i);
        if (answers_ == i) ++answers_;
    }
    for (; judgements_ < answers_ && members_[judgements_].judgement; ++judgements_)
        if (members_[judgements_].judgement->scorable()) put_judgement(judgements_);
}

// Answers that hold nothing are asked for again, and leave no row; what they cost was paid all the same.
void Rollout::put_lost_money() {
    double usd = 0;
    for (const Member& member : members_)
        if (member.answer && !member.kept && gave_none(*member.answer)) usd += member.answer->value("usd", 0.0);
    if (usd > 0) run_().journal.put_event(0, "lost", {{"op", op_}, {"usd", usd}});
}

void Rollout::put_answer(std::size_t i) {
    Member& member = members_[i];
    if (!std::exchange(member.kept, true)) run_().journal.put_answer(slot(i), *member.answer);
}

void Rollout::put_judgement(std::size_t i) {
    if (run_().journal.judgement(slot(i))) return;
    const ParsedAnswer& parsed = members_[i].parsed;
    run_().journal.put_judgement(
        slot(i), {parsed.ok ? std::optional(parsed.candidate) : std::nullopt, parsed.analysis, parsed.design},
        *members_[i].judgement);
}

std::ptrdiff_t Rollout::answered() const {
    return std::count_if(members_.begin(), members_.end(), [](const Member& m) { return m.answer.has_value(); });
}

// ", $0.42 of $5.00": what the run has paid.
std::string Rollout::cost() const {
    const Budget& budget = run_().budget;
    if (budget.paid() == 0) return "";
    return ", " + dollars(budget.paid()) + (std::isfinite(budget.cap()) ? " of " + dollars(budget.cap()) : "");
}

void Rollout::show() {
    const auto passed = std::count_if(members_.begin(), members_.end(),
                                      [](const Member& m) { return m.judgement && m.judgement->passed(); });
    const auto judged = static_cast<long>(members_.size()) -
                        std::count_if(members_.begin(), members_.end(), [](const Member& m) { return !m.judgement; });
    const auto cut =
        std::count_if(members_.begin(), members_.end(), [](const Member& m) { return m.answer && was_cut(*m.answer); });
    const std::string lost = losses_.count() ? ", " + std::to_string(losses_.count()) + " lost" : "";
    const std::string counts = std::to_string(answered()) + " written, " + std::to_string(judged) + " judged, " +
                               std::to_string(passed) + " passed" + lost +
                               (cut ? ", " + std::to_string(cut) + " cut" : "") + cost();
    if (plan_.judge->waits())
        progress_->update(judged, counts + "  waits: another program of hone has the machine", Progress::Left::unknown);
    else progress_->update(judged, counts);
}

}  // namespace hone
