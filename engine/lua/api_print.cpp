// The API as text: stubs for editors and a reference, both from the table of bindings.
#include <algorithm>
#include "domain/documents.hpp"
#include "lua/api.hpp"

namespace hone::lua {
namespace {

constexpr std::string_view task_type = "hone.Task", candidate_type = "hone.Candidate", answer_type = "hone.Answer";

struct Class {
    const char *name, *text;
    std::vector<Field> fields;
};

// The plain tables that go in and out.
const std::vector<Class>& tables() {
    static const std::vector<Class> all = {
        {"hone.Message",
         "A piece of a prompt.",
         {{"role", "string?",
           "\"system\", \"user\", \"assistant\"; empty: ready-rendered text; \"plain\": such text in which no special "
           "token is recognised"},
          {"text", "string", ""}}},
        {"hone.Sequence",
         "Token ids with a weight each.",
         {{"ids", "integer[]", "prompt and answer"}, {"weight", "number[]?", "as many as ids"}}},
        {"hone.Learnt",
         "What an update did.",
         {{"objective", "number", "before the update"},
          {"grad_norm", "number", "before it was cut"},
          {"tokens", "integer", "with a weight"},
          {"applied", "boolean", "false: skipped, for instance because the gradient was not finite"},
          {"version", "integer", "updates behind the weights now"},
          {"metrics", "table<string, number>", "sums of what `weigh` returned"}}},
        {"hone.Request",
         "What a policy that is a Lua function is asked.",
         {{"task", "hone.Task", ""},
          {"messages", "hone.Message[]", ""},
          {"exemplars", "hone.Exemplar[]?", ""},
          {"member", "integer", "1 to the group's size"},
          {"rng", "hone.Rng", "this member's own stream"},
          {"temperature", "number", ""},
          {"max_tokens", "integer", ""}}},
        {"hone.Brief",
         "What an answer must look like.",
         {{"text", "string", "for the prompt"},
          {"fences", "string", "languages of the fenced blocks, the code's first"},
          {"prototype", "string", "of the function to write"},
          {"tier", "string", "of trust"}}},
        {"hone.Program",
         "A program: what an answer held, or what judge:submit takes, which needs the code alone.",
         {{"task", "string?", "instance"},
          {"code", "string", ""},
          {"language", "string?", ""},
          {"plan", "string?", "launch plan"},
          {"hash", "string?", ""},
          {"analysis", "string?", ""},
          {"design", "string?", ""}}},
        {"hone.Member",
         "One answer of a group.",
         {{"text", "string", ""},
          {"ids", "integer[]?", "nil of a policy that is a Lua function"},
          {"prompt_ids", "integer[]?", "likewise"},
          {"logp", "number[]?", "of each id, as sampled"},
          {"finish", "string", "\"stop\", \"length\", \"refusal\", \"error\""},
          {"model", "string?", "that answered, where a provider tells it"},
          {"tokens_out", "number", "its length, as the policy counts; 0: not told"},
          {"version", "integer", "updates behind the weights"},
          {"judgement", "hone.Judgement", ""},
          {"candidate", "hone.Program?", "nil: the answer holds no program"},
          {"reward", "hone.Reward?", "what run:rewarded commits"}}},
        {"hone.Reward",
         "What a learning stage made of the reward of one answer.",
         {{"raw", "number?", "as the shape gave it; nil: left out"},
          {"reason", "string?", "the shaper's"},
          {"changes", "{name: string, value: number?}[]",
           "in order: what changed the reward, and the reward after it; nil: left out"},
          {"value", "number?", "what was optimised; nil: left out"},
          {"advantage", "number?", "what the answer's tokens were weighed by; nil: no part in the update"}}},
        {"hone.Group",
         "The answers to one prompt.",
         {{"task", "hone.Task", ""},
          {"messages", "hone.Message[]", ""},
          {"exemplars", "hone.Exemplar[]?", ""},
          {"prompt", "table", "the entry of `prompts`"},
          {"members", "hone.Member[]", ""},
          {"run", "hone.Run", ""},
          {"op", "integer", "the rollout's operation"},
          {"index", "integer", "of the prompt"}}},
    };
    return all;
}

// The documents that have a table of their own. A task is a handle in Lua; only parts get candidates and answers.
const std::vector<Class>& typed() {
    static const std::vector<DocumentText> texts = documents();
    static const std::vector<Class> all = [] {
        std::vector<Class> list;
        for (const DocumentText& document : texts) {
            Class one{document.title.c_str(), document.about.c_str(), {}};
            for (const KeyText& key : document.keys)
                one.fields.push_back({key.name.c_str(), key.type.c_str(), key.remark.c_str()});
            list.push_back(std::move(one));
        }
        return list;
    }();
    return all;
}

const std::vector<Field>& task_fields() {
    return std::find_if(typed().begin(), typed().end(), [](const Class& one) { return one.name == task_type; })->fields;
}

std::vector<Class> all_tables() {
    std::vector<Class> all = tables();
    std::copy_if(typed().begin(), typed().end(), std::back_inserter(all), [](const Class& one) {
        return one.name != task_type && one.name != candidate_type && one.name != answer_type;
    });
    return all;
}

struct Owner {
    const char *name, *type, *text;  // "run", "hone.Run"
};
constexpr Owner owners[] = {
    {"hone", "hone", "The module."},
    {"run", "hone.Run", "A run. run:NAME{...} for any other NAME calls the stage hone/NAME.lua."},
    {"task", "hone.Task", "A task instance: its fields are those of its document."},
    {"judge", "hone.Judge", "A judge."},
    {"policy", "hone.Policy", "A policy."},
    {"prompt", "hone.Prompt", "A prompt strategy."},
    {"archive", "hone.Archive", "The archive of a run, or a branch of it."},
    {"rng", "hone.Rng", "A random stream."}};
constexpr const char* handles[] = {"hone.Recipe", "hone.Shaper"};  // without members
bool optional(const std::string& type) { return type.ends_with("?"); }
std::string bare(const std::string& type) { return optional(type) ? type.substr(0, type.size() - 1) : type; }
std::string remark(const char* text) { return *text ? std::string(" ") + text : std::string(); }

std::string stub_options(const Binding& binding, std::string& classes) {
    if (binding.options.empty()) return "";
    const std::string name = "hone." + binding.owner() + "." + binding.method() + ".options";
    const bool open = std::string(binding.name) == "run:judge";
    classes += std::string("---@class ") + (open ? "" : "(exact) ") + name + "\n";
    for (const Field& f : binding.options)
        classes +=
            "---@field " + std::string(f.name) + (optional(f.type) ? "? " : " ") + bare(f.type) + remark(f.text) + "\n";
    classes += "\n";
    return name;
}

std::string stub_function(const Binding& binding) {
    std::string classes, body = std::string("---") + binding.text + " (since " + binding.since + ")\n", list;
    const std::string options = stub_options(binding, classes);
    for (const Field& p : binding.parameters) {
        const bool is_options = std::string(p.name) == "options" && !options.empty();
        body += "---@param " + std::string(p.name) + (optional(p.type) ? "? " : " ") +
                (is_options ? options : bare(p.type)) + remark(p.text) + "\n";
        list += (list.empty() ? "" : ", ") + std::string(p.name);
    }
    for (const Field& r : binding.results)
        body += "---@return " + std::string(r.type) + " " + r.name + remark(r.text) + "\n";
    return classes + body + "function " + binding.name + "(" + list + ") end\n\n";
}

std::string stub_owner(const Owner& owner) {
    std::string text = std::string("---") + owner.text + "\n---@class " + owner.type + "\n", functions;
    if (std::string(owner.name) == "task")
        for (const Field& f : task_fields())
            text += "---@field " + std::string(f.name) + (optional(f.type) ? "? " : " ") + bare(f.type) +
                    remark(f.text) + "\n";
    if (std::string(owner.name) == "run") text += "---@field [string] fun(run: hone.Run, options: table?): any\n";
    for (const Binding& binding : api()) {
        if (binding.owner() != owner.name) continue;
        if (binding.kind == Binding::Kind::field)
            text += "---@field " + binding.method() + " " + binding.results[0].type + " " + binding.text + "\n";
        else functions += stub_function(binding);
    }
    return text + "local " + owner.name + " = {}\n\n" + functions;
}

std::string cell(std::string text) {
    for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
    return text;
}

std::string rows(const std::vector<Field>& fields) {
    std::string text = "| name | type | |\n|---|---|---|\n";
    for (const Field& f : fields)
        text += "| `" + std::string(f.name) + "` | `" + cell(f.type) + "` | " + cell(f.text) + " |\n";
    return text + "\n";
}

std::string heading(const Binding& binding) {
    if (binding.kind == Binding::Kind::field) return binding.name;
    std::string list, results;
    for (const Field& p : binding.parameters)
        list += (list.empty() ? "" : ", ") + std::string(p.name) + (optional(p.type) ? "?" : "");
    for (const Field& r : binding.results) results += (results.empty() ? " -> " : ", ") + std::string(r.name);
    return std::string(binding.name) + "(" + list + ")" + results;
}

std::string page(const Binding& binding) {
    std::string text = "### `" + heading(binding) + "`\n\n" + binding.text + " Since " + binding.since + ".\n\n";
    std::vector<Field> rest;
    for (const Field& p : binding.parameters)
        if (std::string(p.name) != "options" || binding.options.empty()) rest.push_back(p);
    if (!rest.empty()) text += rows(rest);
    if (!binding.options.empty()) text += "Options:\n\n" + rows(binding.options);
    if (!binding.results.empty())
        text += (binding.kind == Binding::Kind::field ? "Value:\n\n" : "Returns:\n\n") + rows(binding.results);
    return text;
}

}  // namespace

std::vector<std::string> keys_of(const std::string& class_name) {
    std::vector<std::string> keys;
    for (const Class& table : tables())
        if (table.name == class_name)
            for (const Field& field : table.fields) keys.push_back(field.name);
    return keys;
}

std::string api_luacats() {
    std::string text =
        "---@meta hone\n-- Generated by `hone api --luacats`. DO NOT EDIT.\nerror(\"scripts/meta/hone.lua is for "
        "editors, not for "
        "require\")\n\n";
    for (const Class& table : all_tables()) {
        text += std::string("---") + table.text + "\n---@class " + table.name + "\n";
        for (const Field& f : table.fields)
            text += "---@field " + std::string(f.name) + (optional(f.type) ? "? " : " ") + bare(f.type) +
                    remark(f.text) + "\n";
        text += "\n";
    }
    for (const char* handle : handles) text += std::string("---@class ") + handle + "\n\n";
    for (const Owner& owner : owners) text += stub_owner(owner);
    return text + "return hone\n";
}

std::string api_markdown() {
    std::string text =
        "# The Lua API\n\nGenerated by `hone api --markdown`; do not edit. Indices and token positions count from "
        "1.\n\n";
    for (const Owner& owner : owners) {
        text += "## " + std::string(owner.name) + "\n\n" + owner.text + "\n\n";
        if (std::string(owner.name) == "task") text += rows(task_fields());
        for (const Binding& binding : api())
            if (binding.owner() == owner.name) text += page(binding);
    }
    text += "## Tables\n\n";
    for (const Class& table : all_tables())
        text += "### `" + std::string(table.name) + "`\n\n" + table.text + "\n\n" + rows(table.fields);
    return text;
}

}  // namespace hone::lua
