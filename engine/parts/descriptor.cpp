#include "parts/descriptor.hpp"
#include <algorithm>
#include <cstring>
#include <string_view>
#include "base/error.hpp"
#include "base/option_table.hpp"

namespace hone {

namespace {

// A struct of functions as this program knows it, each by its name and its place in the struct.
struct Member {
    const char* name;
    std::size_t place;
    bool required;  // no part can do without it
};
struct Functions {
    const char* id;
    std::uint32_t size;
    std::vector<Member> members;
};

struct Interface {
    const char* name;
    Functions functions;
    std::vector<Functions> extensions;
};

#define HONE_NEEDS(functions, member) \
    Member { #member, offsetof(functions, member), true }
#define HONE_MAY(functions, member) \
    Member { #member, offsetof(functions, member), false }

const std::vector<Functions>& verifier_extensions() {
    static const std::vector<Functions> all = {
        {HONE_EXT_DEVICE_DATA,
         sizeof(hone_device_data),
         {HONE_NEEDS(hone_device_data, fill), HONE_NEEDS(hone_device_data, gather), HONE_NEEDS(hone_device_data, set)}},
        {HONE_EXT_PREPACK, sizeof(hone_prepack), {HONE_NEEDS(hone_prepack, prepack)}},
        {HONE_EXT_PROBE, sizeof(hone_probe), {HONE_NEEDS(hone_probe, probe)}},
        {HONE_EXT_RULES, sizeof(hone_rules), {HONE_NEEDS(hone_rules, check)}},
        {HONE_EXT_TIMING,
         sizeof(hone_timing),
         {HONE_MAY(hone_timing, suspend), HONE_MAY(hone_timing, null_call), HONE_MAY(hone_timing, prepare),
          HONE_MAY(hone_timing, recorded), HONE_MAY(hone_timing, process)}}};
    return all;
}

const Functions& checks() {
    static const Functions all = {
        "hone_verifier.checks",
        sizeof(hone_checks),
        {HONE_NEEDS(hone_checks, copy), HONE_NEEDS(hone_checks, differ), HONE_NEEDS(hone_checks, strays),
         HONE_NEEDS(hone_checks, widen), HONE_NEEDS(hone_checks, moments), HONE_NEEDS(hone_checks, local_scale),
         HONE_NEEDS(hone_checks, compare)}};
    return all;
}

const std::vector<Functions>& policy_extensions() {
    static const std::vector<Functions> all = {
        {HONE_EXT_LEARNING,
         sizeof(hone_learning),
         {HONE_NEEDS(hone_learning, encode), HONE_NEEDS(hone_learning, score), HONE_NEEDS(hone_learning, learn),
          HONE_NEEDS(hone_learning, save), HONE_NEEDS(hone_learning, load), HONE_MAY(hone_learning, adapt)}},
        {HONE_EXT_MODELS, sizeof(hone_models), {HONE_NEEDS(hone_models, list)}}};
    return all;
}

const std::vector<Interface>& interfaces() {
    static const std::vector<Interface> all = {
        {"policy",
         {"hone.policy/1",
          sizeof(hone_policy),
          {HONE_NEEDS(hone_policy, sample), HONE_MAY(hone_policy, idle), HONE_MAY(hone_policy, facts)}},
         policy_extensions()},
        {"prompt",
         {"hone.prompt/1", sizeof(hone_prompt), {HONE_NEEDS(hone_prompt, write), HONE_MAY(hone_prompt, facts)}},
         {}},
        {"verifier",
         {"hone.verifier/1",
          sizeof(hone_verifier),
          {HONE_NEEDS(hone_verifier, brief), HONE_NEEDS(hone_verifier, device), HONE_NEEDS(hone_verifier, open),
           HONE_NEEDS(hone_verifier, close), HONE_NEEDS(hone_verifier, launch), HONE_NEEDS(hone_verifier, wait),
           HONE_NEEDS(hone_verifier, reserve), HONE_NEEDS(hone_verifier, release), HONE_NEEDS(hone_verifier, write),
           HONE_NEEDS(hone_verifier, read), HONE_NEEDS(hone_verifier, checks), HONE_MAY(hone_verifier, facts),
           HONE_MAY(hone_verifier, takes)}},
         verifier_extensions()},
        {"reference",
         {"hone.reference/1",
          sizeof(hone_reference),
          {HONE_NEEDS(hone_reference, open), HONE_NEEDS(hone_reference, close), HONE_NEEDS(hone_reference, launch),
           HONE_MAY(hone_reference, facts), HONE_MAY(hone_reference, null_call), HONE_MAY(hone_reference, wait),
           HONE_MAY(hone_reference, inside), HONE_MAY(hone_reference, deliver)}},
         {}},
        {"timer",
         {"hone.timer/1",
          sizeof(hone_timer),
          {HONE_NEEDS(hone_timer, kinds), HONE_NEEDS(hone_timer, unit), HONE_NEEDS(hone_timer, time),
           HONE_MAY(hone_timer, attach), HONE_MAY(hone_timer, flush), HONE_MAY(hone_timer, facts)}},
         {}},
        {"shaper", {"hone.shaper/1", sizeof(hone_shaper), {HONE_NEEDS(hone_shaper, shape)}}, {}}};
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

bool is_set(const void* functions, const Member& member) {
    const auto* bytes = static_cast<const char*>(functions);
    std::uint32_t size = 0;
    std::memcpy(&size, bytes, sizeof size);
    const void* function = nullptr;
    if (member.place + sizeof function <= size) std::memcpy(&function, bytes + member.place, sizeof function);
    return function != nullptr;
}

std::string named(const void* functions, const Functions& known, bool offered) {
    std::string names;
    for (const Member& member : known.members)
        if (is_set(functions, member) == offered) names += (names.empty() ? "" : " ") + std::string(member.name);
    return names;
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
    for (const Member& member : expected.members) {
        if (member.required && !is_set(functions, member))
            refuse(file, "lacks the function \"" + std::string(member.name) + "\", which " + expected.id + " requires",
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

// Extensions of other hosts are left alone; one by hone's name that this program does not know would never be asked.
void check_extension(const hone_extension& one, const std::vector<Functions>& all, const PartFile& file) {
    std::vector<std::string> names;
    for (const Functions& known : all) {
        if (std::string_view(one.id) == known.id) return check_struct(one.functions, known, file);
        names.emplace_back(known.id);
    }
    if (!std::string_view(one.id).starts_with("hone.")) return;
    refuse(file, "names the extension \"" + std::string(one.id) + "\", which this hone does not know",
           choose(one.id, names, ("extensions of a " + file.interface_name).c_str()));
}

void check_extensions(const hone_part& part, const PartFile& file) {
    for (const hone_extension* one = part.extensions; one && one->id; ++one) {
        if (!one->functions) refuse(file, std::string("names ") + one->id + " without functions", "fill its table in");
        check_extension(*one, find_interface(file.interface_name)->extensions, file);
    }
}

}  // namespace

std::vector<Option> options_of(const hone_part& part) {
    const auto text = [](const char* word) { return std::string(word ? word : ""); };
    std::vector<Option> options;
    for (const hone_option* o = part.options; o && o->name; ++o)
        options.push_back({o->name, text(o->kind), text(o->preset), text(o->allowed), text(o->doc)});
    return options;
}

bool known_interface(const std::string& name) { return find_interface(name) != nullptr; }

void check_descriptor(const hone_part& part, const PartFile& file) {
    check_versions(part, file);
    check_names(part, file);
    check_functions(part, file);
    check_extensions(part, file);
    check_table(options_of(part), file.path.string());
}

std::vector<Offer> offers_of(const hone_part& part, const std::string& interface_name) {
    const Interface& known = *find_interface(interface_name);
    const auto offer = [](const void* functions, const Functions& of) {
        return Offer{of.id, named(functions, of, true), named(functions, of, false)};
    };
    std::vector<Offer> offers = {offer(part.functions, known.functions)};
    for (const Functions& extension : known.extensions) {
        const hone_extension* one = part.extensions;
        while (one && one->id && std::string_view(one->id) != extension.id) ++one;
        if (one && one->id) offers.push_back(offer(one->functions, extension));
    }
    return offers;
}

}  // namespace hone
