#include "compiler.hpp"
#include <unistd.h>
#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <sstream>
#include "cache.hpp"
#include "listing.hpp"

namespace hone::cpp {
namespace {

// An honest library has some ten kilobytes; a hostile one as many as a file may. The newest two stay whatever their
// size: a candidate and what it is compared with are opened again and again, and are not built again for that.
constexpr std::size_t most_kept = 64, least_kept = 2, most_bytes = 16 << 20;

// The compiler's, or the assembler's: " error: ", " Error: ".
std::size_t find_error(const std::string& log) { return std::min(log.find(" error: "), log.find(" Error: ")); }
bool has_error(const std::string& log) { return find_error(log) != std::string::npos; }

constexpr const char* refusal = "the compiler refused it";  // of sandbox/build.cpp, which says no more

bool names_cause(const std::string& log) {
    return has_error(log) || log.find("undefined reference") != std::string::npos;
}

// " (candidate.cpp:3:17)": of an error in a header, the program's line that led there. An intrinsic fails so where
// -march=native lacks its instructions.
std::string who_called(const std::string& log) {
    const std::size_t note = log.find(": note: called from here");
    const std::size_t begin = note == std::string::npos ? note : log.rfind('\n', note) + 1;
    std::string words = begin == std::string::npos ? "" : " (" + log.substr(begin, note - begin) + ")";
    if (log.find("target specific option mismatch") != std::string::npos)
        words += ": this machine's processor has no such instructions";
    return words;
}

// Warnings may stand before it. The assembler reads a file of the build's own, whose path says nothing.
std::string first_error(const std::string& log) {
    const std::size_t error = find_error(log);
    std::size_t begin = has_error(log) ? log.rfind('\n', error) + 1 : 0;
    const bool elsewhere = has_error(log) && log[begin] == '/';
    if (elsewhere && log.compare(error, 7, " Error:") == 0) begin = error + 1;
    const std::string line = log.substr(begin, log.find('\n', begin) - begin);
    return elsewhere ? line + who_called(log) : line;
}

}  // namespace

std::vector<std::string> Compiler::flags() const {
    std::vector<std::string> all = {"-std=c++20",         "-O3",
                                    "-march=native",      "-fno-math-errno",
                                    "-fno-trapping-math", gnu() ? "-fopenmp" : "-fopenmp-simd"};
    all.insert(all.end(), further_.begin(), further_.end());
    return all;
}

std::string Compiler::command() const {
    std::string text = program_;
    for (const std::string& flag : flags()) text += " " + flag;
    return text;
}

std::vector<std::string> Compiler::words(std::initializer_list<const char*> rest) const {
    std::vector<std::string> all = flags();
    // a misspelt pragma is otherwise ignored without a word, and the program is slow for no visible reason; without
    // -fno-lto the linker would take a program out of sections that an asm statement has written
    for (const char* word :
         {"-fPIC", "-fno-lto", "-Werror=unknown-pragmas", "-Wno-psabi",
          gnu() ? "-fno-diagnostics-show-caret" : "-fno-caret-diagnostics", "-fdiagnostics-color=never"})
        all.emplace_back(word);
    all.insert(all.end(), rest.begin(), rest.end());
    return all;
}

void Compiler::run(const std::vector<std::string>& words, const Files& files, const char* product, Record& out) {
    if (!host_.builds()) throw Refused("verifier.cpp compiles only in a bench");
    std::vector<const char*> argv = {program_.c_str()};
    for (const std::string& word : words) argv.push_back(word.c_str());
    argv.push_back(nullptr);
    std::vector<hone_file> given;
    for (const auto& [name, bytes] : files) given.push_back({borrow(name), borrow(bytes)});
    const hone_host* host = host_.raw();
    host_.check(
        host->build(host->ctx, argv.data(), given.data(), static_cast<uint32_t>(given.size()), product, out.out()),
        "the compiler could not be run");
}

std::string Compiler::path() const {
    if (program_.find('/') != std::string::npos) return access(program_.c_str(), X_OK) == 0 ? program_ : "";
    std::istringstream folders(std::getenv("PATH") ? std::getenv("PATH") : "");
    for (std::string folder; std::getline(folders, folder, ':');)
        if (access((folder + "/" + program_).c_str(), X_OK) == 0) return folder + "/" + program_;
    return {};
}

const std::string& Compiler::version() {
    if (!version_.empty() || !host_.builds()) return version_;
    Record out;
    run({"--version"}, {}, nullptr, out);
    version_ = out.text("log").substr(0, out.text("log").find('\n'));
    return version_;
}

// Made by the first candidate that includes anything: a second once a machine, then 60 ms a candidate instead of 300.
const std::string& Compiler::precompiled() {
    if (asked_for_headers_ || !gnu()) return precompiled_;
    asked_for_headers_ = true;  // once: what failed would cost its time again with every candidate
    const std::string key = version() + "\n" + command() + "\n" + processor() + "\n" + system_headers;
    const std::string file = "precompiled-" + std::to_string(std::hash<std::string>{}(key));
    precompiled_ = recall(file, key);
    if (!precompiled_.empty()) return precompiled_;
    Record out;
    run(words({"-x", "c++-header", "@/system.hpp", "-o", "@/system.hpp.gch"}), {{"system.hpp", system_headers}},
        "system.hpp.gch", out);
    precompiled_ = out.text("product");
    if (!precompiled_.empty()) remember(file, key, precompiled_);
    else host_.log(2, "the headers could not be precompiled: " + out.text("reason"));
    return precompiled_;
}

const Compiler::Built* Compiler::known(const std::string& unit) const {
    for (const Built& built : built_)
        if (built.unit == unit) return &built;
    return nullptr;
}

std::string Compiler::deliver(const Built& built, Out facts) {
    facts.text("compiler", version());
    facts.text("flags", command());
    facts.num("build_seconds", built.seconds);
    facts.text("artifact", built.hash);
    if (!built.resources.empty()) facts.text("resources", built.resources);
    return built.product;
}

bool Compiler::compile(const Doc& task, const std::string& code, const Surroundings& around, Record& out) {
    make(task, code, around, {"-shared", "-Wl,-z,defs,-z,text", "@/unit.cpp", "-o", "@/unit.so"}, "unit.so", out);
    return !out.text("product").empty();
}

std::string Compiler::resources(const Doc& task, const std::string& code, const Surroundings& around) {
    if (!listed_) return "";
    Record out;
    make(task, code, around, {"-S", "@/unit.cpp", "-o", "@/unit.s"}, "unit.s", out);
    return vectors_in(out.text("product"));
}

void Compiler::make(const Doc& task, const std::string& code, const Surroundings& around,
                    std::initializer_list<const char*> rest, const char* product, Record& out) {
    const std::string text = unit(task, code, around);
    Files files = {{"unit.cpp", text}};
    const bool headers = wants_system_headers(code, around);
    if (headers) files.emplace_back("system.hpp", system_headers);
    if (headers && !precompiled().empty()) files.emplace_back("system.hpp.gch", precompiled());
    std::vector<std::string> all = words(rest);
    if (around.ignore_pragmas) all.emplace_back("-Wno-unknown-pragmas");
    run(all, files, product, out);
}

std::string Compiler::build(const Doc& task, const std::string& code, Out facts) {
    const std::string text = unit(task, code, {});
    if (const Built* built = known(text)) return deliver(*built, facts);
    Record records[3];
    Record* told = &records[0];  // what is said of it
    bool made = compile(task, code, {}, records[0]);
    double seconds = records[0].num("seconds");
    const Surroundings wanted = asked_for_by(records[0].text("log"));
    Surroundings taken;
    for (const int i : {1, 2}) {  // as the log asks; then also without our headers, which may have been in the way
        Surroundings around = wanted;
        around.own_headers = i == 2;
        if (made || records[0].text("verdict") != "COMPILE_ERROR" || around == Surroundings() ||
            around.own_headers > wanted.own_headers)
            continue;
        made = compile(task, code, taken = around, records[i]);
        seconds += records[i].num("seconds");
        if (made || i == 1) told = &records[i];
    }
    if (!made) return refuse(task, *told, seconds, facts), std::string();
    Built built{text, told->text("product"), told->text("hash"), seconds, resources(task, code, taken)};
    built_.push_back(std::move(built));
    const auto bytes = [&] {
        return std::accumulate(built_.begin(), built_.end(), std::size_t{0},
                               [](std::size_t sum, const Built& one) { return sum + one.product.size(); });
    };
    while (built_.size() > most_kept || (built_.size() > least_kept && bytes() > most_bytes)) built_.pop_front();
    return deliver(built_.back(), facts);
}

void Compiler::refuse(const Doc& task, Record& out, double seconds, Out facts) {
    facts.text("compiler", version());
    facts.text("flags", command());
    facts.num("build_seconds", seconds);
    const std::string log = own_lines(out.text("log"));
    facts.text("verdict", out.text("verdict"));
    facts.text("log", log);
    std::string reason = out.text("reason");
    // An intrinsic that this processor lacks fails in a header of the compiler's, not in a line of the candidate's.
    if (reason == refusal)
        if (const std::string error = first_error(names_cause(log) ? log : out.text("log")); !error.empty())
            reason = error;
    if (about_prototype(log)) reason += "; the prototype is " + prototype(task);
    facts.text("reason", reason);
}

}  // namespace hone::cpp
