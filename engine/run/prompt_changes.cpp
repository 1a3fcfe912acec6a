#include "run/prompt_changes.hpp"
#include "store/changes.hpp"
#include "store/record_text.hpp"

namespace hone {
namespace {

// "" where all messages are the recorded ones.
std::string changed_messages(const Json& recorded, const Json& now, const std::string& prompt) {
    if (recorded.size() != now.size())
        return "another number of messages of " + prompt + was_and_is(recorded.size(), now.size());
    for (std::size_t i = 0; i < now.size(); ++i)
        for (const char* const key : {"role", "text"})
            if (recorded[i].at(key) != now[i].at(key))
                return std::string("another ") + key + " of message " + std::to_string(i + 1) + " of " + prompt +
                       was_and_is(recorded[i].at(key), now[i].at(key));
    return {};
}

std::string changed_prompt(const Json& recorded, const RolloutPrompt& now, std::size_t number) {
    const std::string prompt = "prompt " + std::to_string(number), task = now.task->name();
    if (recorded.at("task") != task) return "another task of " + prompt + was_and_is(recorded.at("task"), task);
    if (recorded.contains("policy") && recorded["policy"] != now.policy->name())
        return "another policy of " + prompt + was_and_is(recorded["policy"], now.policy->name());
    const std::string place = prompt + " (task \"" + task + "\")",
                      text = changed_messages(recorded.at("messages"), messages_to_json(now.messages), place);
    if (!text.empty() || recorded.at("exemplars") == now.exemplars) return text;
    return "another list of exemplars of " + place + was_and_is(recorded["exemplars"], now.exemplars);
}

// The messages are the same, but what the answers are judged by is not.
std::string changed_definition(const Journal& journal, const Task& task) {
    const std::vector<Json> others = journal.rows(
        "SELECT doc FROM task WHERE name = ? AND hash <> ? ORDER BY rowid DESC LIMIT 1", {task.name(), task.hash()});
    if (others.empty()) return {};
    const std::string doc = journal.text(others.front()["doc"], "task \"" + task.name() + "\"");
    Json recorded = parse_record(doc, journal), now = to_json(task);
    recorded.erase("hash"), now.erase("hash");
    return "another definition of task \"" + task.name() +
           "\": " + another_argument(recorded, now, first_difference(recorded, now).value_or(""));
}

}  // namespace

std::string changed_prompts(const Journal& journal, std::int64_t op, const std::vector<RolloutPrompt>& prompts) {
    const Json count = journal.rows("SELECT count(*) AS n FROM prompt WHERE op = ?", {op}).at(0)["n"];
    if (count != prompts.size()) return "another number of prompts" + was_and_is(count, prompts.size());
    for (std::size_t g = 0; g < prompts.size(); ++g) {
        const std::string text = changed_prompt(*journal.prompt(op, static_cast<int>(g)), prompts[g], g + 1);
        if (!text.empty()) return text;
    }
    for (const RolloutPrompt& prompt : prompts)
        if (const std::string text = changed_definition(journal, *prompt.task); !text.empty()) return text;
    return {};
}

}  // namespace hone
