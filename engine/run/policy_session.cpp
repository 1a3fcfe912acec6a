#include "run/policy_session.hpp"
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/progress.hpp"
#include "parts/saved_folder.hpp"

namespace hone {
namespace {

// An update that is repeated from a checkpoint has the recorded objective and gradient, but for sums on a GPU in
// another order, whose differences grow from update to update.
constexpr double relative = 0.2, absolute = 0.02;
constexpr int most_skipped = 5;
constexpr std::size_t digits_of_function = 12;  // of the hash that names a function of a script

void compare_update(const Journal& journal, std::int64_t op, const Json& recorded, const Json& now) {
    for (const char* const key : {"objective", "grad_norm"}) {
        const auto before = recorded.find(key), after = now.find(key);
        if (before == recorded.end() || after == now.end() || !before->is_number() || !after->is_number()) continue;
        const double x = *before, y = *after;
        if (std::abs(x - y) > absolute + relative * std::max(std::abs(x), std::abs(y))) journal.differs(op, key, x, y);
    }
}

}  // namespace

PolicySession::PolicySession(std::shared_ptr<Run> run, std::string name, std::unique_ptr<Policy> part,
                             std::string script)
    : run_(std::move(run)),
      name_(std::move(name)),
      part_(std::move(part)),
      script_(std::move(script)),
      resumed_from_(part_ ? run_->journal.last_checkpoint(name_) : std::nullopt) {
    if (part_) part_->pay_from(run_->budget);
    if (resumed_from_) saved_at_ = resumed_from_->op;
}

bool PolicySession::remote() {
    if (!remote_) remote_ = part_ && facts().value("device", Json()) == "remote";
    return *remote_;
}

Json PolicySession::facts() {
    if (part_) return part_->facts();
    return {{"device", "script"}, {"asks.function", sha256(script_).substr(0, digits_of_function)}};
}

const Json& PolicySession::key() {
    if (!key_.is_null()) return key_;
    constexpr std::string_view mark = "asks.";
    key_ = {{"policy", name_}};
    const Json told = facts();
    for (const auto& [name, value] : told.items())
        if (name.starts_with(mark)) key_["asks"][name.substr(mark.size())] = value;
    return key_;
}

Policy& PolicySession::ready() {
    if (!part_)
        throw Error(Blame::input, "policy \"" + name_ + "\"", "a Lua function has no tokens and no weights",
                    "use a policy part such as torch-lm here");
    if (!loaded_ && resumed_from_) part_->load(run_->path(resumed_from_->folder), true);
    loaded_ = true;
    return *part_;
}

Json PolicySession::change(const std::string& kind, const Json& key, const std::function<Json(Policy&)>& body,
                           bool is_update) {
    if (is_update && frozen_)
        throw Error(
            Blame::input, "policy \"" + name_ + "\"", "a clone never learns",
            "let the policy learn that it was cloned from, or a further one: run:policy(...), then policy:load");
    Json result;
    std::int64_t op = 0;
    run_->journal.together([&] {
        op = run_->begin(kind, key);
        const auto known = run_->journal.result(op);
        const bool in_checkpoint = known && resumed_from_ && op <= resumed_from_->op;
        Json done = in_checkpoint ? Json() : body(ready());
        changed_at_ = 0;
        if (is_update && known && !in_checkpoint) compare_update(run_->journal, op, *known, done);
        result = known ? *known : std::move(done);
        if (!known && is_update) run_->journal.put_update(op, name_, result);
        if (!known) run_->journal.end(op, result);
    });
    changed_at_ = op;
    if (is_update) count_skipped(result);
    if (is_update && ++updates_ % run_->updates_a_checkpoint == 0) checkpoint();
    return result;
}

// An update without effect is told once; a learner that no update reaches any more must not go on unseen.
void PolicySession::count_skipped(const Json& update) {
    if (update.value("applied", true)) {
        skipped_in_a_row_ = 0;
        return;
    }
    const std::string place = "policy \"" + name_ + "\"", cause = "its gradient is not finite";
    if (!std::exchange(told_of_skipped_, true)) Progress::say(place + ": an update is skipped: " + cause);
    if (++skipped_in_a_row_ < most_skipped) return;
    throw Error(Blame::run, place, std::to_string(most_skipped) + " updates in a row are skipped: " + cause,
                "the learning rate is too high most often: lower lr, and begin another run with --new");
}

void PolicySession::save(const std::string& folder) {
    const std::vector<std::string> around = {std::filesystem::current_path().string(), run_->journal.folder()},
                                   own = {run_->path("checkpoints"), run_->path("clones")};
    ready().save(check_saved_folder(folder, around, own), false);
}

// Written after its operation has ended: a checkpoint without its result would count an update twice.
void PolicySession::checkpoint() {
    if (!trainable() || changed_at_ <= saved_at_) return;
    const std::string folder = "checkpoints/" + name_ + "-" + std::to_string(changed_at_),
                      old = resumed_from_ ? resumed_from_->folder : "";
    ready().save(run_->path(folder), true);
    run_->journal.put_checkpoint(changed_at_, name_, folder);
    saved_at_ = changed_at_;
    const std::string gone = saved_folder_.empty() ? old : saved_folder_;
    std::error_code ignored;  // a folder that stays costs room, no truth
    if (!gone.empty() && gone != folder) std::filesystem::remove_all(run_->path(gone), ignored);
    saved_folder_ = folder;
}

Json messages_to_json(const std::vector<Message>& messages) {
    Json list = Json::array();
    for (const Message& message : messages) list.push_back({{"role", message.role}, {"text", message.text}});
    return list;
}

}  // namespace hone
