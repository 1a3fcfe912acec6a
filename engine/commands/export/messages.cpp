#include "commands/export/messages.hpp"
#include <algorithm>
#include <set>
#include "domain/thoughts.hpp"
#include "store/record_text.hpp"
#include "store/report/report.hpp"
#include "store/runs.hpp"

namespace hone {
namespace {

const std::string verified =
    "SELECT c.op, c.grp, c.member, c.id, c.stage, c.task, c.hash, c.speedup_estimate AS speedup, c.speedup_lower AS "
    "lower, c.unit, "
    "o.key FROM v_candidate c JOIN operation o USING (op) JOIN answer a USING (op, grp, member) WHERE c.scored AND (?1 "
    "= '' OR c.stage = ?1) ORDER BY c.op, c.grp, c.member";

// Of ready-rendered text nobody can say which of it is whose.
bool is_rendered(const Json& messages) {
    return std::any_of(messages.begin(), messages.end(),
                       [](const Json& message) { return message["role"] == "" || message["role"] == "plain"; });
}

Json teacher_of(const Journal& journal, const Json& row, const Json& prompt) {
    const std::string key = journal.text(row["key"], "the key of operation " + row["op"].dump());
    const Json policy = policy_of(parse_record(key, journal), prompt);
    if (policy.is_null()) return nullptr;
    return policy.value("model", policy["name"]);
}

Json conversation_of(const Json& row, const Json& prompt, const std::string& answer, const std::string& run) {
    Json messages = Json::array();
    for (const Json& message : prompt["messages"])
        messages.push_back({{"role", message["role"]}, {"content", message["text"]}});
    messages.push_back({{"role", "assistant"}, {"content", without_thoughts(answer)}});
    return {{"messages", std::move(messages)},
            {"hone",
             {{"task", row["task"]},
              {"speedup", row["speedup"]},
              {"speedup_lower", row["lower"]},
              {"unit", row["unit"]},
              {"run", run},
              {"stage", row["stage"]},
              {"program", row["hash"]},
              {"judgement", row["id"]}}}};
}

}  // namespace

ExportedMessages exported_messages(const Journal& journal, const std::string& stage) {
    ExportedMessages all;
    std::set<std::pair<std::string, std::string>> seen;
    const std::string run = folder_name(journal);
    for (const Json& row : journal.rows(verified, {stage})) {
        const Json prompt = journal.prompt(row["op"], row["grp"]).value_or(Json::object());
        const Json messages = prompt.value("messages", Json::array());
        if (messages.empty() || is_rendered(messages)) {
            ++all.rendered;
        } else if (!seen.emplace(row["task"], row["hash"]).second) {
            ++all.repeated;
        } else {
            const std::string answer = journal.answer({row["op"], row["grp"], row["member"]})->value("text", "");
            Json conversation = conversation_of(row, prompt, answer, run);
            conversation["hone"]["teacher"] = teacher_of(journal, row, prompt);
            all.lines += conversation.dump() + "\n";
            ++all.conversations;
        }
    }
    return all;
}

}  // namespace hone
