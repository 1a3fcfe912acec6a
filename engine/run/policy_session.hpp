// run/policy_session.hpp: a policy of a run. Updates of weights are operations; on resume those up to the last
// checkpoint are answered from the journal, and the checkpoint is loaded when the weights are first needed.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include "parts/policy.hpp"
#include "run/run.hpp"

namespace hone {

class PolicySession {
public:
    // part null: a function of the script answers, of this text; it has no tokens and no weights.
    PolicySession(std::shared_ptr<Run>, std::string name, std::unique_ptr<Policy> part, std::string script = {});

    Run& run() const { return *run_; }
    std::shared_ptr<Run> shared_run() const { return run_; }
    const std::string& name() const { return name_; }
    bool asks_script() const { return !part_; }
    bool trainable() const { return part_ && !frozen_ && part_->trainable(); }
    bool remote();  // works elsewhere, so the judge may time meanwhile
    Json facts();
    // What an operation's key says of it: {policy = its name, asks? = who answers}, by the part's facts "asks.NAME".
    const Json& key();

    const Policy& part() const { return *part_; }
    // The part, its weights as of this point of the script. Throws Error(input) for a Lua function.
    Policy& ready();
    // An operation that changes weights: skipped where a checkpoint holds its effect, redone where the journal only has
    // its result.
    Json change(const std::string& kind, const Json& key, const std::function<Json(Policy&)>& body, bool is_update);
    // For the script to keep. Throws Error(input) where something else stands that saving would replace.
    void save(const std::string& folder);
    void checkpoint();  // if updates were made since the last
    void freeze() { frozen_ = true; }

private:
    void count_skipped(const Json& update);

    std::shared_ptr<Run> run_;
    std::string name_;
    std::unique_ptr<Policy> part_;
    std::string script_;
    std::optional<Journal::Checkpoint> resumed_from_;
    bool frozen_ = false, loaded_ = false;
    std::int64_t updates_ = 0, saved_at_ = 0;
    // the operation whose weights these are; 0: none, or one that is not committed and must not be saved
    std::int64_t changed_at_ = 0;
    std::string saved_folder_;
    int skipped_in_a_row_ = 0;  // updates that changed nothing
    bool told_of_skipped_ = false;
    std::optional<bool> remote_;
    Json key_;
};

Json messages_to_json(const std::vector<Message>&);

}  // namespace hone
