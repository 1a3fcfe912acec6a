// `hone plugins [NAME]`: what can be used, what is hidden by what, what is refused and why; and the options of one
// part.
#include <algorithm>
#include <cstdio>
#include <optional>
#include "base/json.hpp"
#include "base/options.hpp"
#include "base/paths.hpp"
#include "base/printable.hpp"
#include "commands/command.hpp"
#include "judge/call/settings.hpp"
#include "judge/service/judge.hpp"
#include "parts/library.hpp"
#include "parts/verifiers.hpp"

namespace hone {
namespace {

Json describe_options(const std::vector<Option>& options) {
    Json list = Json::array();
    for (const Option& option : options)
        list.push_back({{"name", option.name},
                        {"kind", option.kind},
                        {"preset", option.preset},
                        {"allowed", option.allowed},
                        {"doc", option.doc}});
    return list;
}

Json describe(const PartFile& file) {
    Json row = {{"interface", file.interface_name},
                {"id", file.id},
                {"file", file.path.string()},
                {"hides", file.hides.string()}};
    try {
        const Library library = Library::open(file);
        if (file.interface_name == "verifier") kind_of(library);  // refused where what it takes cannot be read
        row["version"] = library.part().version;
        row["summary"] = library.part().summary;
        row["built_with"] = library.part().built_with;
        row["options"] = describe_options(library.options());
        row["extensions"] = Json::array();
        for (const hone_extension* one = library.part().extensions; one && one->id; ++one)
            row["extensions"].push_back(one->id);
    } catch (const Error& e) {
        row["refused"] = e.what();
    }
    return row;
}

void print_list(const Json& rows) {
    for (const Json& row : rows) {
        const std::string address = row["interface"].get<std::string>() + "." + row["id"].get<std::string>();
        const bool refused = row.contains("refused");
        std::printf("%-28s %-8s %s\n", address.c_str(), refused ? "refused" : row["version"].get<std::string>().c_str(),
                    row[refused ? "refused" : "summary"].get<std::string>().c_str());
        if (row["hides"] != "") std::printf("%-28s hides %s\n", "", row["hides"].get<std::string>().c_str());
    }
}

void print_options(const Json& options) {
    for (const Json& option : options) {
        const std::string preset = option["preset"], allowed = option["allowed"];
        std::printf("  %-16s %-7s %s (preset: %s%s%s)\n", option["name"].get<std::string>().c_str(),
                    option["kind"].get<std::string>().c_str(), option["doc"].get<std::string>().c_str(),
                    preset.empty() ? "none" : preset.c_str(), allowed.empty() ? "" : "; allowed: ", allowed.c_str());
    }
}

void print_one(const Json& row) {
    const auto text = [&](const char* key) { return row.value(key, std::string()); };
    if (row.contains("refused"))
        return (void)std::printf("%s.%s: refused: %s\n", text("interface").c_str(), text("id").c_str(),
                                 text("refused").c_str());
    std::printf("%s.%s %s: %s\n%s, built with %s\n", text("interface").c_str(), text("id").c_str(),
                text("version").c_str(), text("summary").c_str(), text("file").c_str(), text("built_with").c_str());
    for (const Json& id : row.value("extensions", Json::array()))
        std::printf("offers %s\n", id.get_ref<const std::string&>().c_str());
    if (row.contains("options") && !row["options"].empty()) std::printf("\noptions:\n"), print_options(row["options"]);
}

// The judge is no part, but its options are given and looked up like those of one.
Json describe_judge() {
    return {{"interface", "judge"},
            {"summary", "what judges candidates with verifier, timer and reference; its own options:"},
            {"options", describe_options(judge_options())}};
}

void print_judge(const Json& row) {
    std::printf("judge: %s\n", row["summary"].get<std::string>().c_str());
    print_options(row["options"]);
}

// NAME is "timer.wall", or the id alone where only one part bears it.
std::vector<PartFile> choose(const std::vector<PartFile>& files, const std::string& name) {
    std::vector<PartFile> chosen;
    std::vector<std::string> names;
    for (const PartFile& file : files) {
        const std::string address = file.interface_name + "." + file.id;
        if (name == address || name == file.id) chosen.push_back(file);
        names.push_back(address);
    }
    if (chosen.empty())
        throw Error(Blame::input, "plugins", "no part \"" + name + "\"" + suggestion(name, names),
                    "`hone plugins` lists them");
    return chosen;
}

int run(const Arguments& arguments) {
    const bool judge = arguments.at_or(0, "") == "judge";
    std::vector<PartFile> files;
    if (!judge) files = list_parts(plugin_folders());
    if (!judge && arguments.count()) files = choose(files, arguments.at(0));
    Json rows = Json::array();
    if (judge) rows.push_back(describe_judge());
    for (const PartFile& file : files) rows.push_back(describe(file));
    if (arguments.has("--json"))
        std::fputs(document_text({{"schema", "hone.plugins/1"}, {"plugins", rows}}).c_str(), stdout);
    else if (judge) print_judge(rows.at(0));
    else if (!arguments.count()) print_list(rows);
    else
        for (const Json& row : rows) print_one(row);
    return 0;
}

}  // namespace

Command plugins_command() {
    return {
        "plugins",
        "[NAME]",
        "parts that were found, what they hide, and the options of one",
        "NAME is an address as in the first column (timer.wall) or an id (wall); judge shows the judge's own options.\n"
        "Searched: HONE_PLUGIN_PATH, then the installed folder.",
        {{"--json", "", "one JSON document on stdout"}},
        run};
}

}  // namespace hone
