// What a rollout writes to the journal, and when.
#include <exception>
#include "base/process.hpp"
#include "run/rollout.hpp"

namespace hone {

bool refused(const Json& answer) { return answer.value("finish", "") == "refusal"; }
bool gave_none(const Json& answer) { return answer.value("finish", "") == "error" || refused(answer); }

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

// A judgement may be refused (a timer that counts in another unit now): what was paid for is kept all the same.
void Rollout::commit() {
    const double maybe = run_().budget.maybe(), paid = run_().budget.paid();
    std::vector<std::size_t> put;
    std::exception_ptr refused;
    run_().journal.together([&] {
        put = put_answers();
        if (paid > run_().paid_kept) put_paid(paid, maybe);
        try {
            put_judgements();
        } catch (const Error&) {
            refused = std::current_exception();
        }
    });
    for (const std::size_t i : put) members_[i].kept = true;
    while (answers_ < members_.size() && members_[answers_].answer) ++answers_;
    run_().paid_kept = paid;
    committed_ = monotonic_seconds();
    if (refused) std::rethrow_exception(refused);
}

// In all, also for answers that are lost, or that tell no cost of theirs: a resumed run's budget counts it.
void Rollout::put_paid(double usd, double maybe) {
    run_().journal.put_event(0, "paid", {{"usd", usd}, {"maybe", maybe}});
}

// What was paid for as it came, the rest from the front, so that equal runs leave equal journals. What is lost waits
// for the end of the operation. Gives the places of those that were put.
std::vector<std::size_t> Rollout::put_answers() {
    std::vector<std::size_t> put;
    for (std::size_t i = answers_; i < members_.size() && (members_[i].answer || some_are_remote_); ++i) {
        const Member& member = members_[i];
        if (!member.answer || member.kept || gave_none(*member.answer)) continue;
        run_().journal.put_answer(slot(i), *member.answer);
        put.push_back(i);
    }
    return put;
}

// From the front; a member that is judged has its answer.
void Rollout::put_judgements() {
    for (; judgements_ < members_.size() && members_[judgements_].judgement; ++judgements_)
        if (members_[judgements_].judgement->scorable()) put_judgement(judgements_);
}

void Rollout::put_judgement(std::size_t i) {
    if (run_().journal.judgement(slot(i))) return;
    const ParsedAnswer& parsed = members_[i].parsed;
    run_().journal.put_judgement(
        slot(i), {parsed.ok ? std::optional(parsed.candidate) : std::nullopt, parsed.analysis, parsed.design},
        *members_[i].judgement);
}

}  // namespace hone
