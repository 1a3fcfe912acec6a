#include "parts/descriptor.hpp"
#include <algorithm>
#include <cstring>
#include <string_view>
#include "base/error.hpp"

namespace hone {

namespace {

// A struct of functions as this program knows it: those that no part can do without are given by their places in the
// struct.
struct Functions {
    const char* id;
    std::uint32_t size;
    std::vector<std::size_t> required;
};

struct Interface {
    const char* name;
    Functions functions;
    std::vector<Functions> extensions;
};

const std::vector<Functions>& verifier_extensions() {
    static const std::vector<Functions> all = {
        {HONE_EXT_DEVICE_DATA,
         sizeof(hone_device_data),
         {offsetof(hone_device_data, fill), offsetof(hone_device_data, gather), offsetof(hone_device_data, set)}},
        {HONE_EXT_PREPACK, sizeof(hone_prepack), {offsetof(hone_prepack, prepack)}},
        {HONE_EXT_PROBE, sizeof(hone_probe), {offsetof(hone_probe, probe)}},
        {HONE_EXT_RULES, sizeof(hone_rules), {offsetof(hone_rules, check)}},
        {HONE_EXT_TIMING, sizeof(hone_timing), {}}};
    return all;
}

const Functions& checks() {
    static const Functions all = {
        "hone_verifier.checks",
        sizeof(hone_checks),
        {offsetof(hone_checks, copy), offsetof(hone_checks, differ), offsetof(hone_checks, strays),
         offsetof(hone_checks, widen), offsetof(hone_checks, moments), offsetof(hone_checks, local_scale),
         offsetof(hone_checks, compare)}};
    return all;
}

const std::vector<Functions>& policy_extensions() {
    static const std::vector<Functions> all = {
        {HONE_EXT_LEARNING,
         sizeof(hone_learning),
         {offsetof(hone_learning, encode), offsetof(hone_learning, score), offsetof(hone_learning, learn),
          offsetof(hone_learning, save), offsetof(hone_learning, load)}}};
    return all;
}

const std::vector<Interface>& interfaces() {
    static const std::vector<Interface> all = {
        {"policy", {"hone.policy/1", sizeof(hone_policy), {offsetof(hone_policy, sample)}}, policy_extensions()},
        {"prompt", {"hone.prompt/1", sizeof(hone_prompt), {offsetof(hone_prompt, write)}}, {}},
        {"verifier",
         {"hone.verifier/1",
          sizeof(hone_verifier),
          {offsetof(hone_verifier, brief), offsetof(hone_verifier, device), offsetof(hone_verifier, open),
           offsetof(hone_verifier, close), offsetof(hone_verifier, launch), offsetof(hone_verifier, wait),
           offsetof(hone_verifier, reserve), offsetof(hone_verifier, release), offsetof(hone_verifier, write),
           offsetof(hone_verifier, read), offsetof(hone_verifier, checks)}},
         verifier_extensions()},
        {"reference",
         {"hone.reference/1",
          sizeof(hone_reference),
          {offsetof(hone_reference, open), offsetof(hone_reference, close), offsetof(hone_reference, launch)}},
         {}},
        {"timer",
         {"hone.timer/1",
          sizeof(hone_timer),
          {offsetof(hone_timer, kinds), offsetof(hone_timer, unit), offsetof(hone_timer, time)}},
         {}},
        {"shaper", {"hone.shaper/1", sizeof(hone_shaper), {offsetof(hone_shaper, shape)}}, {}}};
    return all;
}

const Interface* find_interface(const std::string& name) {
    const auto found = std::find_if(interfaces().begin(), interfaces().end(),
                                    [&](const Interface& each) { return name == each.name; });
    return found == interfaces().end() ? nullptr : &*found;
}

[[noreturn]] void refuse(const PartFile& file, const std::string& cause, const std::string& cure) {
    throw Error(Blame::input, file.path.string(), cause, cure);
}

std::string version(int major, int minor) { return std::to_string(major) + "." + std::to_string(minor); }

// Size, major and minor lie at the same place in every version; nothing behind them is read before they agree.
void check_versions(const hone_part& part, const PartFile& file) {
    const std::string theirs = version(part.major, part.minor), ours = version(HONE_MAJOR, HONE_MINOR);
    const std::string both = "was built for hone ABI " + theirs + ", this is hone " HONE_VERSION " with ABI " + ours;
    if (part.major != HONE_MAJOR) refuse(file, both, "build the part again with the headers of this hone");
    if (part.minor > HONE_MINOR) refuse(file, both, "update hone, or build the part with the headers of this one");
    if (part.size != sizeof(hone_part))
        refuse(file,
               "its descriptor says " + std::to_string(part.size) + " bytes, ABI " + theirs + " has " +
                   std::to_string(sizeof(hone_part)),
               "set its size to sizeof(hone_part)");
}

void check_names(const hone_part& part, const PartFile& file) {
    for (const char* text : {part.interface_id, part.id, part.version, part.summary, part.built_with})
        if (!text)
            refuse(file, "its descriptor lacks a text", "fill interface_id, id, version, summary and built_with");
    const std::string wanted = find_interface(file.interface_name)->functions.id;
    const std::string named = std::string(part.interface_id).substr(0, std::string(part.interface_id).find('/'));
    if (named != "hone." + file.interface_name || part.id != file.id) {
        const std::string own = (named.starts_with("hone.") ? named.substr(5) : named) + "." + part.id + ".so";
        refuse(file, "calls itself " + own, "rename the file or the part: a part is found by its file's name");
    }
    if (part.interface_id != wanted)
        refuse(file, std::string("serves ") + part.interface_id + ", this hone knows " + wanted,
               "build the part again with the headers of this hone");
}

void check_struct(const void* functions, const Functions& expected, const PartFile& file) {
    const auto* bytes = static_cast<const char*>(functions);
    std::uint32_t size = 0;
    std::memcpy(&size, bytes, sizeof size);
    if (size > expected.size)
        refuse(file,
               "its functions say " + std::to_string(size) + " bytes, " + expected.id + " has " +
                   std::to_string(expected.size),
               "set their size to that of the header's struct");
    for (const std::size_t place : expected.required) {
        const void* function = nullptr;
        if (place + sizeof function <= size) std::memcpy(&function, bytes + place, sizeof function);
        if (!function)
            refuse(file, std::string("lacks a function that ") + expected.id + " requires",
                   "the header of " + std::string(expected.id) + " tells which are optional");
    }
}

void check_functions(const hone_part& part, const PartFile& file) {
    if (!part.create || !part.destroy || !part.functions)
        refuse(file, "lacks create, destroy or its functions", "use a HONE_ macro of hone/plugin.hpp");
    check_struct(part.functions, find_interface(file.interface_name)->functions, file);
    if (file.interface_name == "verifier")
        check_struct(static_cast<const hone_verifier*>(part.functions)->checks, checks(), file);
}

// Extensions that this program does not know are for newer or other hosts: they are left alone.
void check_extensions(const hone_part& part, const PartFile& file) {
    for (const hone_extension* one = part.extensions; one && one->id; ++one) {
        if (!one->functions) refuse(file, std::string("names ") + one->id + " without functions", "fill its table in");
        for (const Functions& known : find_interface(file.interface_name)->extensions)
            if (std::string_view(one->id) == known.id) check_struct(one->functions, known, file);
    }
}

void check_option_table(const hone_part& part, const PartFile& file) {
    static const std::vector<std::string> kinds = {"bool", "int", "num", "text", "choice", "path"};
    for (const hone_option* option = part.options; option && option->name; ++option)
        if (!option->kind || std::find(kinds.begin(), kinds.end(), option->kind) == kinds.end())
            refuse(file, std::string("option \"") + option->name + "\" is of no known kind",
                   "kinds: bool, int, num, text, choice, path");
}

}  // namespace

bool known_interface(const std::string& name) { return find_interface(name) != nullptr; }

void check_descriptor(const hone_part& part, const PartFile& file) {
    check_versions(part, file);
    check_names(part, file);
    check_functions(part, file);
    check_extensions(part, file);
    check_option_table(part, file);
}

}  // namespace hone
