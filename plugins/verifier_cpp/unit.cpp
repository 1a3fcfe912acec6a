#include "unit.hpp"
#include <algorithm>
#include <cctype>
#include <cstring>
#include <iterator>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>
#include "hone/arguments.hpp"

namespace hone::cpp {
namespace {

std::string c_type(const std::string& dtype) {
    static const std::pair<const char*, const char*> types[] = {
        {"f32", "float"}, {"f64", "double"},     {"i32", "int"},
        {"i64", "long"},  {"i8", "signed char"}, {"u8", "unsigned char"},
        {"bool", "bool"}, {"f16", "_Float16"},   {"bf16", "unsigned short"}};
    for (const auto& [name, type] : types)
        if (dtype == name) return type;
    throw Refused("verifier.cpp knows no dtype \"" + dtype + "\"");
}

std::string join(const std::vector<std::string>& parts) {
    std::string all;
    for (const std::string& part : parts) all += (all.empty() ? "" : ", ") + part;
    return all;
}

// Its names are reserved: the candidate stands before it, and may have macros called in, out or sizes.
std::string thunk(const Doc& task) {
    std::vector<std::string> passed;
    for (const Argument& a : arguments(task)) {
        const std::string at = "[" + std::to_string(a.index) + "]";
        switch (a.kind) {
            case Argument::Kind::input:
                passed.push_back("(const " + c_type(a.dtype) + "*)hone_in" + at);
                break;
            case Argument::Kind::scalar:
                passed.push_back("*(const " + c_type(a.dtype) + "*)hone_in" + at);
                break;
            case Argument::Kind::output:
                passed.push_back("(" + c_type(a.dtype) + "*)hone_out" + at);
                break;
            case Argument::Kind::size:
                passed.push_back("hone_sizes" + at);
                break;
        }
    }
    return "extern \"C\" __attribute__((__visibility__(\"default\"))) void hone_thunk(const void* const* hone_in, "
           "void* const* hone_out, const long* hone_sizes) {\n    k(" +
           join(passed) + ");\n}\n";
}

// A line such as "candidate.cpp:3: error: ignoring '#pragma unroll ' [-Werror=unknown-pragmas]".
bool is_about_pragma(const std::string& line) { return line.find("unknown-pragmas]") != std::string::npos; }

// Hints for other compilers lose nothing but speed there. Other unknown pragmas are mistakes: "#pragma omp paralel".
bool is_hint(const std::string& line) {
    static constexpr const char* hints[] = {"GCC novector",
                                            "warning",
                                            "unroll",
                                            "nounroll",
                                            "unroll_and_jam",
                                            "nounroll_and_jam",
                                            "ivdep",
                                            "vector",
                                            "novector",
                                            "simd",
                                            "loop",
                                            "loop_count",
                                            "nofusion",
                                            "distribute_point",
                                            "prefetch",
                                            "noprefetch",
                                            "inline",
                                            "forceinline",
                                            "noinline",
                                            "clang",
                                            "intel",
                                            "STDC",
                                            "region",
                                            "endregion",
                                            "fp",
                                            "acc",
                                            "nv_diag_suppress",
                                            "nv_diag_default"};
    const std::size_t quote = line.find("'#pragma ");
    if (!is_about_pragma(line) || quote == std::string::npos) return false;
    const std::string pragma = line.substr(quote + std::strlen("'#pragma "));
    return std::any_of(std::begin(hints), std::end(hints), [&](const std::string& hint) {
        return pragma.starts_with(hint) && std::strchr(" '(", pragma.c_str()[hint.size()]);
    });
}

// A note at a line of the contract that explains why the error above it is one: a name is declared twice.
bool is_clash(const std::string& note, const std::string& error) {
    for (const char* words : {"previous", "old declaration"})
        if (note.find(words) != std::string::npos) return true;
    return error.find(" is ambiguous") != std::string::npos;
}

// What a name of the candidate's own causes beside a function, a macro or a name in namespace std that it may not have
// asked for. Not of k itself.
bool may_clash_with_headers(const std::string& line) {
    if (!line.starts_with("candidate.cpp:") || line.find(" error: ") == std::string::npos ||
        line.find("C function 'void k(") != std::string::npos)
        return false;
    for (const char* words : {"was declared 'extern' and later 'static'", "redeclared as different kind of entity",
                              "ambiguates", "is ambiguous", "conflicting declaration", "expected unqualified-id before",
                              "expected primary-expression before"})
        if (line.find(words) != std::string::npos) return true;
    return false;
}

// exp by Cody and Waite's reduction and the polynomial of Cephes' expf: relative error below 2e-7, no branch, no table.
// NaN gives NaN, what overflows infinity, what is below the normal numbers 0; the scale goes in two factors because
// 2^128 is no float.
constexpr std::string_view contract = R"(typedef float V __attribute__((vector_size(64), aligned(4), may_alias));
static inline float expf_fast(float x) {
    x = x < -87.0f ? -87.0f : x;
    x = x > 89.0f ? 89.0f : x;
    float shifted = x * 1.44269504f + 12582912.0f;
    int n = __builtin_bit_cast(int, shifted) - 0x4B400000;
    shifted -= 12582912.0f;
    float r = x - shifted * 0.693359375f;
    r = r + shifted * 2.12194440e-4f;
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * r * r + r + 1.0f;
    return p * __builtin_bit_cast(float, (n + 126) << 23) * 2.0f;
}
)";

// Each name on lines of its own, so that a note tells which one it is about.
constexpr std::string_view vector_type = contract.substr(0, contract.find('\n') + 1),
                           exponential = contract.substr(vector_type.size());

}  // namespace

const char* const system_headers = R"(#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <immintrin.h>
#include <omp.h>
#include <vector>
)";

// Words that C++ takes for its own cannot be parameters.
void require_names(const Doc& task) {
    static const std::set<std::string> words = {
        "and",    "asm",      "auto",      "bool",    "break",  "case",     "catch",   "char",    "class",
        "const",  "continue", "default",   "delete",  "do",     "double",   "else",    "enum",    "export",
        "extern", "false",    "float",     "for",     "friend", "goto",     "if",      "inline",  "int",
        "long",   "mutable",  "namespace", "new",     "not",    "operator", "or",      "private", "protected",
        "public", "register", "requires",  "return",  "short",  "signed",   "sizeof",  "static",  "struct",
        "switch", "template", "this",      "throw",   "true",   "try",      "typedef", "typeid",  "typename",
        "union",  "unsigned", "using",     "virtual", "void",   "volatile", "while",   "xor",     "concept"};
    for (const Argument& one : arguments(task))
        if (words.contains(one.name))
            throw Refused("verifier.cpp: \"" + one.name +
                          "\" is a word of C++, and names a tensor or a size of task \"" + task.text("name") +
                          "\": give it another name");
}

std::string prototype(const Doc& task) {
    require_names(task);
    return "extern \"C\" void k(" + c_parameters(task, c_type) + ")";
}

bool wants_system_headers(const std::string& code, const Surroundings& around) {
    if (around.own_headers) return false;
    for (std::size_t at = code.find('#'); at != std::string::npos; at = code.find('#', at + 1)) {
        const std::size_t word = code.find_first_not_of(" \t", at + 1);
        if (word != std::string::npos && code.compare(word, 7, "include") == 0) return true;
    }
    return false;
}

std::string unit(const Doc& task, const std::string& code, const Surroundings& around) {
    const std::string head = prototype(task) + (around.noexcept_prototype ? " noexcept" : "");
    std::string text = wants_system_headers(code, around) ? "#include \"system.hpp\"\n" : "";
    if (around.vector) text.append("#line 1 \"V.contract\"\n").append(vector_type);
    if (around.exponential) text.append("#line 1 \"expf_fast.contract\"\n").append(exponential);
    return text + "#line 1 \"prototype.contract\"\n" + head + ";\n#line 1 \"candidate.cpp\"\n" + code +
           "\n#line 1 \"thunk.cpp\"\n" + thunk(task);
}

Surroundings asked_for_by(const std::string& log) {
    Surroundings wanted;
    bool hints = false, mistakes = false;
    std::string error;
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line);) {
        if (is_about_pragma(line)) (is_hint(line) ? hints : mistakes) = true;
        if (line.find(" error: ") != std::string::npos) error = line;
        if (may_clash_with_headers(line)) wanted.own_headers = true;
        if (line.starts_with("V.contract:") && is_clash(line, error)) wanted.vector = false;
        if (line.starts_with("expf_fast.contract:") && is_clash(line, error)) wanted.exponential = false;
        if (line.find(" error: ") != std::string::npos && line.find("exception specif") != std::string::npos)
            wanted.noexcept_prototype = true;
    }
    wanted.ignore_pragmas = hints && !mistakes;
    return wanted;
}

bool about_prototype(const std::string& log) {
    for (const char* words :
         {"conflicting declaration of C function", "conflicting types for 'k'", "undefined reference to `k'",
          "undefined symbol: k\n", "functions that differ only in their return type"})
        if (log.find(words) != std::string::npos) return true;
    return false;
}

std::string own_lines(const std::string& log) {
    constexpr std::size_t room = 4096;
    std::string kept;
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line) && kept.size() < room;) {
        const std::size_t undefined = line.find("undefined reference to ");
        if (is_hint(line)) continue;
        const bool own = line.starts_with("candidate.cpp:") && std::isdigit(static_cast<unsigned char>(line[14]));
        if (own && line.find(": note: ") == std::string::npos) kept += line + "\n";
        else if (line.find("read-only segment has dynamic relocations") != std::string::npos)
            kept +=
                "candidate.cpp: error: an address stands in a section that is not writable: put it into .data.rel.ro\n";
        else if (undefined != std::string::npos) kept += "candidate.cpp: " + line.substr(undefined) + "\n";
        else if (line.starts_with("thunk.cpp:") && line.find(" error: ") != std::string::npos && kept.empty())
            kept += "candidate.cpp: the program ends too early:" + line.substr(line.find(" error: ")) + "\n";
    }
    if (kept.size() > room) kept = kept.substr(0, room) + "...\n";
    return kept;
}

}  // namespace hone::cpp
