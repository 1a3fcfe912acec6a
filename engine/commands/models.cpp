// `hone models [PROVIDER]`: which models the policies could be made with, and whether who serves them answers.
#include "hone/ext/models.h"
#include <algorithm>
#include <cstdio>
#include "base/paths.hpp"
#include "base/printable.hpp"
#include "commands/command.hpp"
#include "commands/models.hpp"
#include "parts/handle.hpp"
#include "parts/host.hpp"
#include "parts/library.hpp"

namespace hone {
namespace {

std::string text_of(hone_text text) { return valid_utf8(std::string(text.len ? text.at : "", text.len)); }

Json row_of(const hone_model_source& source, const std::string& policy) {
    Json row = {{"policy", policy},
                {"name", text_of(source.name)},
                {"place", text_of(source.place)},
                {"key", text_of(source.key)},
                {"answers", source.answers < 0 ? Json(nullptr) : Json(source.answers > 0)},
                {"said", text_of(source.said)},
                {"models", Json::array()}};
    for (std::uint32_t i = 0; i < source.n; ++i) row["models"].push_back(text_of(source.models[i]));
    return row;
}

void list_of(const Library& library, bool ask, Json& rows) {
    const auto* models = static_cast<const hone_models*>(find_extension(library.part(), HONE_EXT_MODELS));
    if (!models) return;
    struct To {
        Json& rows;
        std::string policy;
    } to{rows, library.file().id};
    PartHost host("policy \"" + to.policy + "\"");
    const hone_rc rc = models->list(host.functions(), ask, &to, [](void* ctx, const hone_model_source* source) {
        To& found = *static_cast<To*>(ctx);
        found.rows.push_back(row_of(*source, found.policy));
    });
    if (rc != HONE_OK) throw Error(Blame::input, host.name(), host.take_error());
}

bool lacks_key(const Json& row) { return row["key"].get_ref<const std::string&>().ends_with(", not set"); }

// It answers, or may be asked.
bool is_ready(const Json& row) { return row["answers"] == true || (row["said"] == "" && !lacks_key(row)); }

std::string state_of(const Json& row) {
    const std::size_t n = row["models"].size();
    const std::string count = std::to_string(n) + (n == 1 ? " model" : " models");
    if (row["answers"] == true) return n > 0 ? "answers: " + count : "answers";
    const std::string said = row["said"];
    if (row["answers"] == false) return "does not answer: " + said;
    if (lacks_key(row)) return "not asked: no key";
    return !said.empty() ? "not asked: " + said : n > 0 ? count : "not asked";
}

void print_table(const Json& rows) {
    std::size_t names = 8, places = 7, keys = 3;
    for (const Json& row : rows) {
        names = std::max(names, row["name"].get_ref<const std::string&>().size());
        places = std::max(places, row["place"].get_ref<const std::string&>().size());
        keys = std::max(keys, row["key"].get_ref<const std::string&>().size());
    }
    const auto line = [&](const std::string& name, const std::string& place, const std::string& key,
                          const std::string& state) {
        std::printf("%-*s  %-*s  %-*s  %s\n", static_cast<int>(names), printable(name).c_str(),
                    static_cast<int>(places), printable(place).c_str(), static_cast<int>(keys), printable(key).c_str(),
                    printable(state).c_str());
    };
    line("provider", "address", "key", "state");
    for (const Json& row : rows)
        line(row["name"] == "" ? "(" + row["policy"].get<std::string>() + ")" : row["name"].get<std::string>(),
             row["place"], row["key"], state_of(row));
}

int run_models(const Arguments& arguments) {
    Json rows = list_models(!arguments.has("--configured"));
    if (arguments.count() > 0) {
        std::vector<std::string> names;
        for (const Json& row : rows) names.push_back(row["name"] == "" ? row["policy"] : row["name"]);
        const auto found = std::find(names.begin(), names.end(), arguments.at(0));
        if (found == names.end())
            throw Error(Blame::input, "models", "no provider \"" + arguments.at(0) + "\"",
                        choose(arguments.at(0), names, "providers"));
        rows = Json::array({rows[static_cast<std::size_t>(found - names.begin())]});
    }
    const int code = arguments.count() > 0 && !is_ready(rows[0]) ? static_cast<int>(Blame::run) : 0;
    if (arguments.has("--json"))
        return std::fputs(document_text({{"schema", "hone.models/1"}, {"sources", rows}}).c_str(), stdout), code;
    print_table(rows);
    if (arguments.count() > 0)
        for (const Json& model : rows[0]["models"]) std::printf("%s\n", printable(model.get<std::string>()).c_str());
    return code;
}

}  // namespace

Json list_models(bool ask) {
    Json rows = Json::array();
    for (const PartFile& file : list_parts(plugin_folders()))
        if (file.interface_name == "policy") list_of(Library::open(file), ask, rows);
    return rows;
}

Command models_command() {
    return {
        "models",
        "[PROVIDER]",
        "which models can be asked, and whether their servers answer",
        "Providers of hone.toml and those that are known are asked for their models, where the key that they want is "
        "set. With PROVIDER the names of its models too, as `model` takes them. Exit code: 0, and with PROVIDER 1 "
        "where it does not answer, lacks its key or is configured wrongly.",
        {{"--configured", "", "ask nobody"}, {"--json", "", "one JSON document (hone.models/1) on stdout"}},
        run_models};
}

}  // namespace hone
