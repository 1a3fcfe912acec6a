// `hone new KIND NAME`: a folder of one's own for a part, made from the example of its kind, ready to build.
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <string>
#include <vector>
#include "base/error.hpp"
#include "base/options.hpp"
#include "base/paths.hpp"
#include "commands/command.hpp"
#include "parts/library.hpp"

namespace hone {
namespace {

struct Kind {
    const char *name, *example;  // the folder below examples/, and the name that its files use
};
constexpr Kind kinds[] = {{"timer", "stopwatch"}, {"verifier", "postfix"}, {"reference", "formula"},
                          {"prompt", "terse"},    {"shaper", "rank"},      {"policy", "pipe"}};

const Kind& kind_of(const std::string& name) {
    std::vector<std::string> names;
    for (const Kind& kind : kinds) {
        if (name == kind.name) return kind;
        names.push_back(kind.name);
    }
    const std::string nearest = nearest_name(name, names);
    throw Error(Blame::usage, "hone new", "there is no kind \"" + name + "\"",
                nearest.empty() ? "kinds: timer, verifier, reference, prompt, shaper, policy"
                                : "did you mean \"" + nearest + "\"?");
}

void check_name(const std::string& name) {
    const bool fits = !name.empty() && name.size() <= 40 && std::islower(static_cast<unsigned char>(name[0])) &&
                      std::all_of(name.begin(), name.end(),
                                  [](unsigned char c) { return std::islower(c) || std::isdigit(c) || c == '-'; });
    if (!fits)
        throw Error(Blame::usage, "hone new", "\"" + name + "\" is no name of a part",
                    "use small letters, digits and \"-\", a letter first: \"my-timer\"");
    if (fs::exists(name))
        throw Error(Blame::input, name, "is there already", "choose another name, or remove it: nothing was written");
}

// A part of one's own would hide it from every script.
void check_address(const std::string& kind, const std::string& name) {
    for (const PartFile& file : list_parts(plugin_folders()))
        if (file.interface_name == kind && file.id == name)
            throw Error(Blame::input, "hone new", kind + "." + name + " is there already: " + file.path.string(),
                        "choose another name; nothing was written");
}

// "my-timer" -> "MyTimer": what the class is called
std::string class_name(const std::string& name) {
    std::string result;
    bool begins = true;
    for (const char c : name) {
        if (c != '-') result += begins ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
        begins = c == '-';
    }
    return result;
}

bool in_word(const std::string& text, std::size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_');
}

std::string with_word_replaced(std::string text, const std::string& word, const std::string& by) {
    for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos;) {
        if ((at > 0 && in_word(text, at - 1)) || in_word(text, at + word.size())) at += word.size();
        else text.replace(at, word.size(), by), at += by.size();
    }
    return text;
}

// The example has names of its own, which the class of the part must not have. (Words of comments are taken for such.)
void check_class(const Kind& kind, const std::string& name) {
    const std::string of_class = class_name(name);
    for (const auto& file : fs::directory_iterator(examples_folder() / kind.name)) {
        if (file.path().stem() != kind.example || name == kind.example) continue;
        const std::string source = read_file(file.path());
        if (with_word_replaced(source, of_class, "") != source)
            throw Error(Blame::input, "hone new", "the example's source has the word \"" + of_class + "\" already",
                        "choose another name: \"my-" + name + "\"; nothing was written");
    }
}

// A tree that was built without its tests lacks the program that asks.
std::string contract_line() {
    if (fs::exists(installation() / "bin/hone-contract")) return "";
    return "  cmake --build " + installation().string() + " --target hone_contract\n";
}

int new_part(const Arguments& arguments) {
    const Kind& kind = kind_of(arguments.at(0));
    const std::string name = arguments.at(1), example = kind.example;
    check_name(name);
    check_address(kind.name, name);
    check_class(kind, name);
    const fs::path from = examples_folder() / kind.name;
    fs::create_directories(name);
    for (const auto& file : fs::directory_iterator(from)) {
        std::string text = with_word_replaced(read_file(file.path()), class_name(example), class_name(name));
        // sources name the part in quotes, and the word may mean something else beside them
        const std::string quote = file.path().stem() == example ? "\"" : "";
        text = with_word_replaced(text, quote + example + quote, quote + name + quote);
        write_file(fs::path(name) / with_word_replaced(file.path().filename(), example, name), text);
    }
    std::printf(
        "%s/ holds the example %s.%s under its new name. Then:\n%s"
        "  cmake -G Ninja -S %s -B %s/build -DCMAKE_PREFIX_PATH=%s && cmake --build %s/build\n"
        "  ctest --test-dir %s/build                                  # does it keep the contract?\n"
        "  HONE_PLUGIN_PATH=%s/build hone plugins %s.%s\n"
        "The base class is in hone/%s.hpp, the contract of each function in hone/%s.h.\n",
        name.c_str(), kind.name, kind.example, contract_line().c_str(), name.c_str(), name.c_str(),
        installation().c_str(), name.c_str(), name.c_str(), name.c_str(), kind.name, name.c_str(), kind.name,
        kind.name);
    return 0;
}

}  // namespace

Command new_command() {
    return {"new",
            "KIND NAME",
            "a folder with a part of your own, ready to build: timer, verifier, reference, prompt, shaper, policy",
            "The folder NAME is made here, from the example of its kind. Its test asks every function of the part\n"
            "whether it keeps the contract.",
            {},
            new_part};
}

}  // namespace hone
