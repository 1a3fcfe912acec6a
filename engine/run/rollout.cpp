#include "run/rollout.hpp"
#include <algorithm>
#include <cmath>
#include <utility>
#include "base/error.hpp"
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

bool was_cut(const Json& answer) { return answer.value("finish", "") == "length"; }

class Quiet {  // policies keep off the cores while the judge times
public:
    explicit Quiet(std::vector<Policy*> policies) : policies_(std::move(policies)) {
        for (Policy* policy : policies_) policy->idle(true);
    }
    ~Quiet() {
        for (Policy* policy : policies_) try {
                policy->idle(false);
            } catch (const std::exception&) {  // the next call on it says so
            }
    }
    Quiet(const Quiet&) = delete;

private:
    std::vector<Policy*> policies_;
};

}  // namespace

Rollout::Rollout(RolloutPlan plan, Ask ask)
    : plan_(std::move(plan)),
      policies_(plan_.policies()),
      some_are_remote_(
          std::any_of(policies_.begin(), policies_.end(), [](PolicySession* policy) { return policy->remote(); })),
      ask_(std::move(ask)),
      size_(static_cast<std::size_t>(plan_.group)),
      members_(plan_.prompts.size() * size_) {}

std::uint64_t Rollout::seed_of(std::size_t group) const {
    return run_().derive("rollout/" + std::to_string(op_) + "/" + std::to_string(group));
}

void Rollout::run() {
    const auto words = [this](std::int64_t op, const std::string& name) {
        return name == "prompts" ? changed_prompts(run_().journal, op, plan_.prompts) : "";
    };
    op_ = run_().begin("rollout", plan_.key(), words);
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
            run_().broken_off = true;
            check_interrupt();  // a policy that saw the stop flag first says so in its own words
            if (run_().budget.refused()) run_().budget_is_spent();
            throw;
        }
        progress_.reset();
    }
    if (!run_().journal.result(op_)) end();
}

void Rollout::end() {
    std::size_t& in_a_row = run_().lost_in_a_row;
    if (losses_.too_many(members_.size(), !plan_.step.is_null(), in_a_row, run_().has_judged))
        throw Error(Blame::environment, title(),
                    std::to_string(losses_.count()) + " of " + std::to_string(members_.size()) + " answers are lost" +
                        (in_a_row ? ", like the " + std::to_string(in_a_row) + " before" : "") +
                        ", most often because of this: " + losses_.most_frequent(),
                    "mend the cause and resume: only what is lost is asked for and judged again");
    in_a_row = losses_.count() == members_.size() ? in_a_row + losses_.count() : 0;
    run_().journal.together([this] {
        for (std::size_t i = 0; i < members_.size(); ++i) {
            if (members_[i].judgement->scorable()) continue;
            if (!members_[i].kept) run_().journal.put_answer(slot(i), *members_[i].answer);
            put_judgement(i);
        }
        run_().journal.end(op_, {{"members", members_.size()}});
    });
}

std::string Rollout::title() const {
    return plan_.stage.empty() ? "rollout" : plan_.stage + (plan_.step.is_number() ? " " + plan_.step.dump() : "");
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

// Functions of the script first: they may ask a policy themselves, and each is entered by one thread at a time.
void Rollout::sample() {
    std::vector<Asking> asked_here, asked_away;
    for (PolicySession* policy : policies_) {
        Asking asking = unanswered(*policy);
        if (asking.requests.empty()) continue;
        if (policy->asks_script()) sample_script(asking);
        else (policy->remote() ? asked_away : asked_here).push_back(std::move(asking));
    }
    std::vector<RemoteAnswers::Asked> lent;
    for (const Asking& asking : asked_away) lent.push_back({&asking.policy->ready(), &asking.requests});
    RemoteAnswers away(lent);
    try {
        for (const Asking& asking : asked_here) sample_here(asking, away, asked_away);
        if (some_are_remote_) sample_away(away, asked_away);
    } catch (const std::exception&) {
        away.end();
        take(away, asked_away, 0);
        throw;
    }
}

// A policy that shares the machine: nothing is judged meanwhile.
void Rollout::sample_here(const Asking& asking, RemoteAnswers& away, const std::vector<Asking>& asked_away) {
    const auto given = [&](const Answer& answer) { give(asking, answer), show(); };
    const auto pause = [&] {
        check_interrupt();
        take(away, asked_away, 0);
    };
    asking.policy->ready().sample(asking.requests, given, pause);
    commit();
    end_of(asking);
}

void Rollout::sample_script(const Asking& asking) {
    for (std::size_t r = 0; r < asking.requests.size(); ++r)
        for (std::size_t i = asking.first[r]; i < asking.first[r] + asking.requests[r].group; ++i) {
            check_interrupt();
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

// Policies that work elsewhere are judged while they write.
void Rollout::sample_away(RemoteAnswers& away, const std::vector<Asking>& asked) {
    const Quiet quiet(here());
    for (std::size_t i = judgements_; i < members_.size(); ++i)
        if (members_[i].answer) submit(i);
    while (!away.ended()) {
        check_interrupt();
        for (const std::size_t i : take(away, asked, 0.02)) submit(i);
        receive(0);
        for (const std::string& words : away.failures())
            if (away.writes()) Progress::say(title() + ": " + words + "; what the other policies write is kept");
        show();
    }
    away.end();
    commit();
    away.rethrow();
    for (const Asking& asking : asked) end_of(asking);
}

std::vector<std::size_t> Rollout::take(RemoteAnswers& away, const std::vector<Asking>& asked, double seconds) {
    std::vector<std::size_t> members;
    for (const auto& [by, answer] : away.take(seconds)) members.push_back(give(asked[by], answer));
    return members;
}

// The number of the member that the answer is.
std::size_t Rollout::give(const Asking& asking, const Answer& answer) {
    const std::size_t i = asking.first[answer.tag] + answer.member;
    take_answer(i, to_json(answer));
    return i;
}

void Rollout::end_of(const Asking& asking) {
    const std::string& name = asking.policy->name();
    if (const Json notes = asking.policy->facts().value("notes", Json()); notes.is_string())
        run_().journal.put_event(op_, "policy " + name, {{"name", name}, {"notes", notes}});
    std::size_t asked = 0, answered = 0;
    for (std::size_t r = 0; r < asking.requests.size(); ++r)
        for (std::size_t m = 0; m < asking.requests[r].group; ++m)
            ++asked, answered += members_[asking.first[r] + m].answer.has_value();
    if (answered < asked)
        throw Error(Blame::run, "policy \"" + name + "\"",
                    "gave " + std::to_string(answered) + " of " + std::to_string(asked) + " answers");
}

// One request for each run of members of a group that have no answer yet.
Rollout::Asking Rollout::unanswered(PolicySession& policy) const {
    Asking asking{&policy, {}, {}};
    for (std::size_t i = answers_; i < members_.size(); ++i) {
        if (members_[i].answer || prompt_of(i).policy.get() != &policy) continue;
        const std::size_t g = i / size_;
        if (!asking.first.empty() && asking.first.back() / size_ == g &&
            asking.first.back() + asking.requests.back().group == i) {
            ++asking.requests.back().group;
            continue;
        }
        asking.requests.push_back(
            {asking.requests.size(), plan_.prompts[g].messages, 1, seed_of(g) + i % size_, plan_.sampling});
        asking.first.push_back(i);
    }
    return asking;
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
    const double tokens = member.answer->value("tokens_out", 0.0);
    if (tokens > 0 && tokens < plan_.sampling.max_tokens)
        return reason +
               ": the answer was cut before max_tokens: the model's context was full, or its server has a limit of its "
               "own";
    return reason + ": the answer was cut at max_tokens = " + std::to_string(plan_.sampling.max_tokens);
}

void Rollout::submit(std::size_t i) {
    Member& member = members_[i];
    if (member.judgement || member.ticket) return;
    const Task& task = *prompt_of(i).task;
    if (gave_none(*member.answer))
        judged(i, rejected(task.name(), "", Verdict::INFRASTRUCTURE,
                           "the policy gave no answer: " + member.answer->value("text", "")));
    else if (!member.parsed.ok) judged(i, rejected(task.name(), "", Verdict::PARSE_ERROR, why_no_program(member)));
    if (member.judgement) return;
    member.ticket = plan_.judge->submit(task, member.parsed.candidate);
    waiting_.push_back(i);
}

void Rollout::judged(std::size_t i, Judgement judgement) {
    if (!judgement.scorable()) {
        const Json& answer = *members_[i].answer;
        losses_.add(judgement.reason, (gave_none(answer) && !refused(answer)) || judgement.kind == "busy");
        run_().tell_loss(title(), judgement.reason);
    } else {
        run_().has_judged = true;
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
    const Quiet quiet(here());
    for (std::size_t i = judgements_; i < members_.size(); ++i) submit(i);
    for (receive(0); judgements_ < members_.size(); receive(0.1)) {
        check_interrupt();
        show();
    }
}

// Those whose parts share the machine with the judge.
std::vector<Policy*> Rollout::here() const {
    std::vector<Policy*> parts;
    for (PolicySession* policy : policies_)
        if (!policy->asks_script() && !policy->remote()) parts.push_back(&policy->ready());
    return parts;
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

// "  requests wait for tokens_per_minute, about 20 s": of policies that work elsewhere.
std::string Rollout::waits() const {
    std::string text;
    for (PolicySession* policy : policies_) {
        if (policy->asks_script() || !policy->remote()) continue;
        const std::string said = policy->part().waits(), of = policies_.size() > 1 ? policy->name() + ": " : "";
        if (!said.empty()) text += "  " + of + said;
    }
    return text;
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
                               (cut ? ", " + std::to_string(cut) + " cut" : "") + cost() + waits();
    if (plan_.judge->waits())
        progress_->update(judged, counts + "  waits: another program of hone has the machine", Progress::Left::unknown);
    else progress_->update(judged, counts);
}

}  // namespace hone
