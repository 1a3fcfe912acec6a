#include "lua/conversations.hpp"
#include <algorithm>
#include <sstream>
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/paths.hpp"
#include "lua/messages.hpp"

namespace hone::lua {
namespace {

constexpr const char* form =
    R"(write {"messages": [{"role": "user", "content": "..."}, {"role": "assistant", "content": "..."}]})";

[[noreturn]] void refuse(const std::string& place, const std::string& cause, const std::string& cure = form) {
    throw Error(Blame::input, place, cause, cure);
}

Message message_of(const Json& given, const std::string& place, const std::string& which) {
    if (!given.is_object()) refuse(place, which + " is no object");
    const Json role = given.value("role", Json()), content = given.value("content", Json());
    if (!role.is_string()) refuse(place, which + " has no text \"role\"");
    if (!content.is_string()) refuse(place, which + " has no text \"content\"");
    const std::string name = role;
    if (name != "system" && name != "user" && name != "assistant")
        refuse(place, which + " has the role \"" + name + "\"", "the roles are system, user and assistant");
    return {name, content};
}

bool is_learnt(const Json& given, const std::string& place, const std::string& which) {
    const Json weight = given.value("weight", Json(1));
    if (weight != 0 && weight != 1)
        refuse(place, which + " has a \"weight\" that is neither 0 nor 1", "leave it out to learn the answer");
    return given["role"] == "assistant" && weight == 1;
}

Conversation conversation_of(const std::string& line, const std::string& place) {
    const Json json = Json::parse(line, nullptr, false);
    if (json.is_discarded()) refuse(place, "is no JSON");
    if (!json.is_object() || !json.contains("messages") || !json["messages"].is_array())
        refuse(place, "has no list \"messages\"");
    Conversation conversation;
    for (const Json& given : json["messages"]) {
        const std::string which = "message " + std::to_string(conversation.messages.size() + 1);
        conversation.messages.push_back(message_of(given, place, which));
        conversation.learnt.push_back(is_learnt(given, place, which));
    }
    if (std::find(conversation.learnt.begin(), conversation.learnt.end(), true) == conversation.learnt.end())
        refuse(place, "has no answer to learn", "give a message of the role assistant, with a weight that is not 0");
    return conversation;
}

void push(lua_State* L, const Conversation& conversation) {
    lua_createtable(L, 0, 2);
    push_messages(L, conversation.messages);
    lua_setfield(L, -2, "messages");
    lua_createtable(L, static_cast<int>(conversation.learnt.size()), 0);
    for (std::size_t i = 0; i < conversation.learnt.size(); ++i) {
        lua_pushboolean(L, conversation.learnt[i]);
        lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
    }
    lua_setfield(L, -2, "learnt");
}

// The form of what run:collect returns.
int corpus(lua_State* L) {
    const std::vector<Conversation> all = read_conversations(get<std::string>(L, 1));
    lua_createtable(L, 0, 3);
    for (const char* empty : {"items", "samples"}) lua_newtable(L), lua_setfield(L, -2, empty);
    lua_createtable(L, static_cast<int>(all.size()), 0);
    for (std::size_t i = 0; i < all.size(); ++i) {
        push(L, all[i]);
        lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
    }
    lua_setfield(L, -2, "conversations");
    return 1;
}

}  // namespace

std::vector<Conversation> read_conversations(const std::string& path) {
    std::istringstream text(read_file(path));
    std::vector<Conversation> all;
    int number = 0;
    for (std::string line; std::getline(text, line);) {
        ++number;
        if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
        all.push_back(conversation_of(line, path + ":" + std::to_string(number)));
    }
    if (all.empty()) refuse(path, "holds no conversation");
    return all;
}

Bindings conversation_bindings() {
    using enum Binding::Kind;
    return {
        {function,
         "hone.corpus",
         corpus,
         {{"path", "string", "a JSONL file, one {\"messages\": [{\"role\", \"content\"}, ...]} a line"}},
         {{"corpus", "{items: table, samples: table, conversations: table}", "as run:collect returns one"}},
         {},
         "Conversations as a corpus: run:sft and the replay of run:self_supervised learn their answers as they stand "
         "(`\"weight\": 0`: "
         "not that one). `hone export messages` writes such a file.",
         "0.1"}};
}

}  // namespace hone::lua
