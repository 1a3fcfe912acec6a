#include "lua/policy.hpp"
#include <filesystem>
#include "base/error.hpp"

namespace hone::lua {

PolicyPart::PolicyPart(std::shared_ptr<Run> run, std::string name, std::unique_ptr<Policy> part)
    : run_(std::move(run)), name_(std::move(name)), part_(std::move(part)), resumed_from_(run_->journal.last_checkpoint(name_)) {
    if (resumed_from_) saved_at_ = resumed_from_->op;
}

PolicyPart::PolicyPart(std::shared_ptr<Run> run, std::string name, Ref function)
    : run_(std::move(run)), name_(std::move(name)), function_(std::move(function)) {}

bool PolicyPart::remote() {
    if (!remote_) remote_ = part_ && facts().value("device", Json()) == "remote";
    return *remote_;
}

Json PolicyPart::facts() { return part_ ? part_->facts() : Json{{"device", "script"}}; }

Policy& PolicyPart::ready() {
    if (!part_)
        throw Error(Blame::input, "policy \"" + name_ + "\"", "a Lua function has no tokens and no weights",
                    "use a policy part such as torch-lm here");
    if (!loaded_ && resumed_from_) part_->load(run_->path(resumed_from_->folder), true);
    loaded_ = true;
    return *part_;
}

Json PolicyPart::change(const std::string& kind, const Json& key, const std::function<Json(Policy&)>& body, bool is_update) {
    Json result;
    std::int64_t op = 0;
    run_->journal.together([&] {
        op = run_->begin(kind, key);
        const auto known = run_->journal.result(op);
        const bool in_checkpoint = known && resumed_from_ && op <= resumed_from_->op;
        Json done = in_checkpoint ? Json() : body(ready());
        changed_at_ = 0;
        result = known ? *known : std::move(done);
        if (!known && is_update) run_->journal.put_update(op, name_, result);
        if (!known) run_->journal.end(op, result);
    });
    changed_at_ = op;
    if (is_update && ++updates_ % run_->updates_a_checkpoint == 0) checkpoint();
    return result;
}

// Written after its operation has ended: a checkpoint without its result would count an update twice.
void PolicyPart::checkpoint() {
    if (!trainable() || changed_at_ <= saved_at_) return;
    const std::string folder = "checkpoints/" + name_ + "-" + std::to_string(changed_at_), old = resumed_from_ ? resumed_from_->folder : "";
    ready().save(run_->path(folder), true);
    run_->journal.put_checkpoint(changed_at_, name_, folder);
    saved_at_ = changed_at_;
    const std::string gone = saved_folder_.empty() ? old : saved_folder_;
    std::error_code ignored;  // a folder that stays costs room, no truth
    if (!gone.empty() && gone != folder) std::filesystem::remove_all(run_->path(gone), ignored);
    saved_folder_ = folder;
}

std::vector<Message> read_messages(lua_State* L, int index) {
    index = lua_absindex(L, index);
    if (Type<std::string>::is(L, index)) return {{"", Type<std::string>::get(L, index)}};
    luaL_argexpected(L, lua_istable(L, index), index, "text or list of messages");
    std::vector<Message> messages;
    const lua_Integer n = luaL_len(L, index);
    for (lua_Integer i = 1; i <= n; ++i) {
        lua_geti(L, index, i);
        if (Type<std::string>::is(L, -1)) {
            messages.push_back({"", Type<std::string>::get(L, -1)});
        } else {
            if (!lua_istable(L, -1))
                throw Error(Blame::input, "messages", "entry " + std::to_string(i) + " is neither a text nor {role=, text=}");
            lua_getfield(L, -1, "role");
            lua_getfield(L, -2, "text");
            if (!Type<std::string>::is(L, -1)) throw Error(Blame::input, "messages", "entry " + std::to_string(i) + " has no text");
            messages.push_back({luaL_optstring(L, -2, ""), Type<std::string>::get(L, -1)});
            lua_pop(L, 2);
        }
        lua_pop(L, 1);
    }
    return messages;
}

void push_messages(lua_State* L, const std::vector<Message>& messages) {
    lua_createtable(L, static_cast<int>(messages.size()), 0);
    for (std::size_t i = 0; i < messages.size(); ++i) {
        lua_createtable(L, 0, 2);
        set(L, "role", messages[i].role);
        set(L, "text", messages[i].text);
        lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
    }
}

Json messages_to_json(const std::vector<Message>& messages) {
    Json list = Json::array();
    for (const Message& message : messages) list.push_back({{"role", message.role}, {"text", message.text}});
    return list;
}

std::vector<std::int32_t> read_ids(lua_State* L, int index) {
    index = lua_absindex(L, index);
    if (!lua_istable(L, index)) throw Error(Blame::input, "token ids", std::string("a list expected, got ") + luaL_typename(L, index));
    const auto n = static_cast<lua_Integer>(lua_rawlen(L, index));
    std::vector<std::int32_t> ids;
    ids.reserve(static_cast<std::size_t>(n));
    for (lua_Integer i = 1; i <= n; ++i) {
        if (lua_rawgeti(L, index, i) != LUA_TNUMBER) throw Error(Blame::input, "token ids", "entry " + std::to_string(i) + " is no number");
        ids.push_back(static_cast<std::int32_t>(lua_tointeger(L, -1)));
        lua_pop(L, 1);
    }
    return ids;
}

Sequences read_sequences(lua_State* L, int index) {
    index = lua_absindex(L, index);
    Sequences sequences;
    const lua_Integer n = luaL_len(L, index);
    for (lua_Integer i = 1; i <= n; ++i) {
        if (lua_geti(L, index, i) == LUA_TTABLE && lua_getfield(L, -1, "ids") != LUA_TNIL) lua_remove(L, -2);
        else if (lua_istable(L, -2) && lua_isnil(L, -1)) lua_pop(L, 1);
        sequences.add(read_ids(L, -1));
        lua_pop(L, 1);
    }
    return sequences;
}

}  // namespace hone::lua
