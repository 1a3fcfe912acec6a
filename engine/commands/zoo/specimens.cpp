#include "commands/zoo/specimens.hpp"
#include <unistd.h>
#include <algorithm>
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_text.hpp"
#include "judge/call/defences.hpp"
#include "lua/task_file.hpp"
#include "parts/verifiers.hpp"
#include "sandbox/sandbox.hpp"

namespace hone {
namespace {

std::vector<fs::path> sorted_entries(const fs::path& folder) {
    std::vector<fs::path> entries;
    if (fs::is_directory(folder))
        for (const auto& entry : fs::directory_iterator(folder)) entries.push_back(entry.path());
    std::sort(entries.begin(), entries.end());
    return entries;
}

std::string join(const std::vector<std::string>& names) {
    std::string list;
    for (const std::string& name : names) list.append(list.empty() ? "" : ",").append(name);
    return list;
}

const VerifierKind& kind_of(const fs::path& program, const std::string& verifier = {}) {
    const VerifierKind* kind = verifier.empty() ? verifier_of_file(program) : verifier_kind(verifier);
    if (!kind && !verifier.empty())
        throw Error(Blame::usage, "--verifier", "no verifier \"" + verifier + "\" that says what it takes",
                    "`hone plugins` lists them");
    if (!kind) throw Error(Blame::input, program.string(), "no verifier here takes files of this ending");
    return *kind;
}

// A kernel's launch plan lies beside it: plan.lua, or its own name with the ending .lua.
Candidate program(const std::string& name, const fs::path& file, const VerifierKind& kind) {
    const fs::path plan =
        file.stem() == "candidate" ? file.parent_path() / "plan.lua" : fs::path(file).replace_extension(".lua");
    return make_candidate(name, kind.fence, read_file(file), fs::exists(plan) ? read_file(plan) : "");
}

// candidate.ENDING of an attack's folder
fs::path candidate_of(const fs::path& folder) {
    for (const fs::path& path : sorted_entries(folder))
        if (path.stem() == "candidate") return path;
    throw Error(Blame::input, folder.string(), "holds no candidate.ENDING");
}

Json options_of(const Json& about, const VerifierKind& kind) {
    Json options = kind.zoo;
    options.update(about.value("options", Json::object()));
    return options;
}

// Yama may keep everybody but root from other processes' memory, with or without our defences.
bool may_trace() {
    const fs::path scope = "/proc/sys/kernel/yama/ptrace_scope";
    return geteuid() == 0 || !fs::exists(scope) || read_file(scope).starts_with("0");
}

// Whether this machine has what a layer of a defence is made of.
bool is_here(const std::string& layer, const std::string& defence) {
    constexpr int scopes_signals = 6;  // Landlock's version
    if (layer == "landlock") return sandbox().landlock >= (defence == "signals" ? scopes_signals : 1);
    if (layer == "namespaces") return sandbox().namespaces;
    if (layer == "capabilities") return geteuid() == 0;  // others have none to lose
    return true;
}

Specimen read_attack(const fs::path& folder, const std::string& verifier) {
    Specimen attack;
    attack.name = folder.filename();
    const fs::path file = candidate_of(folder);
    const VerifierKind& kind = kind_of(file, verifier);
    attack.verifier = kind.id;
    attack.candidate = program(attack.name, file, kind);
    attack.about = parse_json(read_file(folder / "about.json"), (folder / "about.json").string());
    attack.suite = (folder.parent_path() / "zoo.lua").string();
    attack.reference = kind.reference.empty() ? "lua" : kind.reference;
    attack.task = attack.about.at("task");
    attack.options = options_of(attack.about, kind);
    attack.expected = {{"verdict", attack.about.at("verdict")}};
    for (const char* key : {"kind", "or", "unsaid"})
        if (attack.about.contains(key)) attack.expected[key] = attack.about.at(key);
    if (attack.about.value("against", false)) {
        attack.against =
            program("plain", folder.parent_path() / "plain" / (attack.task + file.extension().string()), kind);
        attack.expected["never"] = "faster";
    }
    return attack;
}

}  // namespace

std::vector<Specimen> read_attacks(const fs::path& folder, const std::string& verifier) {
    std::vector<Specimen> attacks;
    for (const fs::path& path : sorted_entries(folder)) {
        if (!fs::exists(path / "about.json")) continue;
        try {
            attacks.push_back(read_attack(path, verifier));
        } catch (const Json::exception& e) {
            throw Error(Blame::input, (path / "about.json").string(), e.what(),
                        "engine/commands/zoo/specimens.hpp lists its keys");
        }
    }
    if (attacks.empty())
        throw Error(Blame::input, "zoo", folder.string() + " holds no attacks",
                    "a source tree has them in tests/exploits");
    return attacks;
}

std::vector<Specimen> read_honest(const fs::path& folder, const std::string& verifier) {
    std::vector<Specimen> programs;
    for (const fs::path& path : sorted_entries(folder / "honest")) {
        if (path.extension() == ".lua") continue;  // a launch plan
        const std::string name = path.stem();
        Specimen honest;
        honest.name = "honest/" + name;
        const VerifierKind& kind = kind_of(path, verifier);
        honest.candidate = program(honest.name, path, kind);
        honest.verifier = kind.id;
        honest.task = name.substr(0, name.find('.'));
        if (kind.suite.empty()) honest.suite = (folder / "zoo.lua").string();
        else honest.task = kind.suite + "/" + honest.task;
        honest.reference = "torch";
        honest.expected = {{"verdict", "PASSED"}};
        honest.options = options_of(Json::object(), kind);
        programs.push_back(std::move(honest));
    }
    return programs;
}

std::vector<Specimen> opened(std::vector<Specimen> attacks) {
    const bool traces = may_trace();
    std::erase_if(attacks, [&](const Specimen& s) {
        return s.about.contains("harmless") || (!traces && s.about.value("needs", "") == "ptrace");
    });
    for (Specimen& attack : attacks) {
        attack.expected = attack.about.at("wins");
        attack.options["without"] = attack.about.at("defence");
    }
    return attacks;
}

std::vector<Specimen> opened_but_for_a_layer(const std::vector<Specimen>& attacks) {
    std::vector<Specimen> specimens;
    for (const Specimen& attack : opened(attacks)) {
        const std::string defence = attack.about.at("defence");
        const std::vector<std::string> layers = layers_of(defence);
        for (const std::string& layer : layers) {
            if (!is_here(layer, defence)) continue;
            std::vector<std::string> others = layers;
            std::erase(others, layer);
            Specimen& specimen = specimens.emplace_back(attack);
            specimen.name += " (" + layer + " alone)";
            specimen.expected = {{"not", attack.expected}};
            specimen.options["without"] = join(others);
        }
    }
    return specimens;
}

Task task_of(const Specimen& specimen) {
    if (specimen.suite.empty()) return load_task(specimen.task);
    for (Task& task : load_suite(fs::path(specimen.suite).parent_path().string()))
        if (task.name() == specimen.task) return task;
    throw Error(Blame::input, specimen.suite, "no task \"" + specimen.task + "\", which " + specimen.name + " attacks");
}

}  // namespace hone
