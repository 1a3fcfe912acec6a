// What a rollout writes to the journal, and when.
#include <utility>
#include "base/process.hpp"
#include "run/rollout.hpp"

namespace hone {

bool gave_none(const Json& answer) { return answer.value("finish", "") == "error"; }

void Rollout::put_prompt(std::size_t g) {
    const RolloutPrompt& prompt = plan_.prompts[g];
    Json row = {{"task", prompt.task->name()},
                {"stage", plan_.stage},
                {"step", plan_.step},
                {"messages", messages_to_json(prompt.messages)},
                {"exemplars", prompt.exemplars},
                {"seed", seed_of(g)}};
    if (policies_.size() > 1) row["policy"] = prompt.policy->name();  // else the operation's key has it
    run_().journal.put_task(*prompt.task);
    run_().journal.put_prompt(op_, static_cast<int>(g), row);
}

// A commit waits for the disk. What was paid for goes there at once, what only took time a few times a second.
void Rollout::commit_at_times() {
    if (!some_are_remote_ && monotonic_seconds() - committed_ < 0.25) return;
    commit();
}

void Rollout::commit() {
    const double maybe = run_().budget.maybe(), paid = run_().budget.paid();
    run_().journal.together([&] {
        put_complete();
        if (paid > run_().paid_kept) put_paid(paid, maybe);
    });
    run_().paid_kept = paid;
    committed_ = monotonic_seconds();
}

// In all, also for answers that are lost, or that tell no cost of theirs: a resumed run's budget counts it.
void Rollout::put_paid(double usd, double maybe) {
    run_().journal.put_event(0, "paid", {{"usd", usd}, {"maybe", maybe}});
}

// What was paid for as it came, the rest from the front, so that equal runs leave equal journals. A judgement after its
// answer. What is lost waits for the end of the operation.
void Rollout::put_complete() {
    for (std::size_t i = answers_; i < members_.size() && (i == answers_ || some_are_remote_); ++i) {
        if (!members_[i].answer) continue;
        if (!gave_none(*members_[i].answer)) put_answer(i);
        if (answers_ == i) ++answers_;
    }
    for (; judgements_ < answers_ && members_[judgements_].judgement; ++judgements_)
        if (members_[judgements_].judgement->scorable()) put_judgement(judgements_);
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

}  // namespace hone
