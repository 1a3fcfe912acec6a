// `hone plugins [NAME]`: what can be used, what is hidden by what, what is refused and why; and the options of one
// part.
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <cstdio>
#include <optional>
#include "base/json.hpp"
#include "base/option_table.hpp"
#include "base/options.hpp"
#include "base/paths.hpp"
#include "base/printable.hpp"
#include "base/process.hpp"
#include "base/progress.hpp"
#include "commands/command.hpp"
#include "judge/call/settings.hpp"
#include "judge/service/judge.hpp"
#include "parts/checked.hpp"
#include "parts/descriptor.hpp"
#include "parts/library.hpp"
#include "parts/verifiers.hpp"

namespace hone {
namespace {

constexpr int cannot_be_made = 77;  // exit code of hone-contract

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
        row["offers"] = Json::array();
        for (const Offer& offer : offers_of(library.part(), file.interface_name))
            row["offers"].push_back({{"id", offer.id}, {"functions", offer.offered}, {"absent", offer.absent}});
        if (file.interface_name == "timer") {
            const auto& timer = *static_cast<const hone_timer*>(library.part().functions);
            row["kinds"] = timer.kinds;
            row["unit"] = timer.unit;
        }
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
                    preset.empty() ? "empty" : preset.c_str(), allowed.empty() ? "" : "; allowed: ", allowed.c_str());
    }
}

void print_one(const Json& row) {
    const auto text = [&](const char* key) { return row.value(key, std::string()); };
    if (row.contains("refused"))
        return (void)std::printf("%s.%s: refused: %s\n", text("interface").c_str(), text("id").c_str(),
                                 text("refused").c_str());
    std::printf("%s.%s %s: %s\n%s, built with %s\n", text("interface").c_str(), text("id").c_str(),
                text("version").c_str(), text("summary").c_str(), text("file").c_str(), text("built_with").c_str());
    if (row.contains("unit"))
        std::printf("times devices of kind %s, in unit \"%s\"\n", text("kinds").c_str(),
                    printable(text("unit")).c_str());
    for (const Json& offer : row.value("offers", Json::array())) {
        const std::string absent = offer.at("absent");
        std::printf("offers %s: %s%s%s\n", offer.at("id").get_ref<const std::string&>().c_str(),
                    offer.at("functions").get_ref<const std::string&>().c_str(), absent.empty() ? "" : "; not ",
                    absent.c_str());
    }
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

// Parts in Lua (parts/policy.template.lua) are no libraries, and know no version; scripts use both alike.
void refuse_lua_part(const std::string& name) {
    for (const fs::path& folder : script_folders()) {
        std::error_code absent;
        for (const auto& entry : fs::directory_iterator(folder / "parts", absent)) {
            const std::string address = entry.path().stem().string();
            if (name == address || address.ends_with("." + name))
                throw Error(Blame::input, "plugins", address + " is a part in Lua, no library",
                            "its file has its options: " + entry.path().string());
        }
    }
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
    if (chosen.empty()) refuse_lua_part(name);
    if (chosen.empty())
        throw Error(Blame::input, "plugins", "no part \"" + name + "\"" + suggestion(name, names),
                    "`hone plugins` lists them");
    return chosen;
}

// The part with the options of the command line, which its test has understood.
Recipe asked_for(const PartFile& file, const Arguments& arguments) {
    Json texts = Json::object();
    for (std::size_t i = 1; i < arguments.count(); ++i) {
        const std::string& text = arguments.at(i);
        texts[text.substr(0, text.find('='))] = text.substr(std::min(text.find('=') + 1, text.size()));
    }
    const Library library = Library::open(file);
    return {file.interface_name, file.id, file.path, library.file_hash(),
            check_options(library.options(), values_of_texts(library.options(), texts), "plugins")};
}

// The conformance test of its interface, a program of its own: a part may take its process with it.
int check(const Arguments& arguments) {
    if (!arguments.count())
        throw Error(Blame::usage, "plugins", "--check names no part",
                    "usage: hone plugins --check NAME [OPTION=VALUE]");
    const std::vector<PartFile> files = choose(list_parts(plugin_folders()), arguments.at(0));
    for (const PartFile& file : files) print_one(describe(file));
    std::fflush(stdout);
    SpawnPlan plan;
    plan.argv = {(program_path().parent_path() / "hone-contract").string(), files.at(0).path.string()};
    for (std::size_t i = 1; i < arguments.count(); ++i) plan.argv.push_back(arguments.at(i));
    plan.files = {{STDOUT_FILENO, STDOUT_FILENO}, {STDERR_FILENO, STDERR_FILENO}};
    for (char** entry = environ; *entry; ++entry) plan.environment.emplace_back(*entry);
    if (!fs::exists(plan.argv[0]))
        throw Error(Blame::environment, plan.argv[0], "is not there",
                    "build the target hone_contract, or install hone");
    int status = 0;
    Child(plan).wait(-1, &status);
    const bool is_right = WIFEXITED(status) && WEXITSTATUS(status) == 0,
               unfit = WIFEXITED(status) && WEXITSTATUS(status) == cannot_be_made;
    if (files.at(0).interface_name == "timer" && !unfit) try {
            note_checked(asked_for(files.at(0), arguments), is_right);
        } catch (const Error&) {  // wrong options, of which its test has told
        }
    if (is_right) return 0;
    return static_cast<int>(unfit ? Blame::environment : Blame::run);  // a part may end the program with any code
}

void tell_missing_folders() {
    for (const std::string& missing : missing_folders()) Progress::say("hone: " + missing);
}

int run_plugins(const Arguments& arguments) {
    if (arguments.has("--check") && arguments.has("--json"))
        throw Error(Blame::usage, "plugins", "--check prints no document", "leave --json out");
    if (arguments.has("--check")) return check(arguments);
    if (arguments.count() > 1)
        throw Error(Blame::usage, "plugins", "\"" + arguments.at(1) + "\" has an effect with --check alone",
                    "add --check, or leave it out");
    const bool judge = arguments.at_or(0, "") == "judge";
    std::vector<PartFile> files;
    if (!judge) files = list_parts(plugin_folders()), tell_missing_folders();
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
        "[NAME] [OPTION=VALUE]...",
        "parts that were found, what they hide, and the options of one",
        "NAME is an address as in the first column (timer.wall) or an id (wall); judge shows the judge's own options.\n"
        "--check asks every function of NAME, made with these options, whether it keeps the contract of its header, "
        "and\n"
        "of a timer tells noise, resolution and drift. Exit code: 0 it does, 1 it does not, 4 it cannot be made here.\n"
        "Searched: HONE_PLUGIN_PATH, then the installed folder.",
        {{"--check", "", "test NAME against its contract"}, {"--json", "", "one JSON document on stdout"}},
        run_plugins};
}

}  // namespace hone
