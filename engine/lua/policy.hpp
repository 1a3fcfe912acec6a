// lua/policy.hpp: policies as scripts see them: a part, or a Lua function. Updates of weights are operations; on resume those up to the
// last checkpoint are answered from the journal, and the checkpoint is loaded when the weights are first needed.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include "lua/run.hpp"
#include "parts/policy.hpp"

namespace hone::lua {

class PolicyPart {
public:
    static constexpr const char* lua_name = "hone.Policy";
    PolicyPart(std::shared_ptr<Run>, std::string name, std::unique_ptr<Policy>);
    PolicyPart(std::shared_ptr<Run>, std::string name, Ref function);

    Run& run() const { return *run_; }
    std::shared_ptr<Run> shared_run() const { return run_; }
    const std::string& name() const { return name_; }
    bool is_function() const { return static_cast<bool>(function_); }
    const Ref& function() const { return function_; }
    bool trainable() const { return part_ && !frozen_ && part_->trainable(); }
    bool remote();                     // works elsewhere, so the judge may time meanwhile
    Json facts();

    const Policy& part() const { return *part_; }
    // The part, its weights as of this point of the script. Throws Error(input) for a Lua function.
    Policy& ready();
    // An operation that changes weights: skipped where a checkpoint holds its effect, redone where the journal only has its result.
    Json change(const std::string& kind, const Json& key, const std::function<Json(Policy&)>& body, bool is_update);
    void checkpoint();                 // if updates were made since the last
    void freeze() { frozen_ = true; }

private:
    std::shared_ptr<Run> run_;
    std::string name_;
    std::unique_ptr<Policy> part_;
    Ref function_;
    std::optional<Journal::Checkpoint> resumed_from_;
    bool frozen_ = false, loaded_ = false;
    std::int64_t updates_ = 0, saved_at_ = 0;
    std::int64_t changed_at_ = 0;      // the operation whose weights these are; 0: none, or one that is not committed and must not be saved
    std::string saved_folder_;
    std::optional<bool> remote_;
};

std::vector<Message> read_messages(lua_State*, int index);   // a text, or a list of texts and {role=, text=}
void push_messages(lua_State*, const std::vector<Message>&);
Json messages_to_json(const std::vector<Message>&);
std::vector<std::int32_t> read_ids(lua_State*, int index);   // a list of token ids, on the stack
Sequences read_sequences(lua_State*, int index);             // a list of such lists, or of tables with `ids`
Bindings policy_bindings();

}  // namespace hone::lua
