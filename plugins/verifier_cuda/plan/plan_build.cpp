#include "verifier_cuda/plan/plan_build.hpp"
#include <algorithm>
#include <array>
#include "verifier_cuda/plan/plan.hpp"
#include "verifier_cuda/plan/plan_fields.hpp"

namespace hone::cuda {
namespace {

constexpr std::size_t most_defines = 32, most_text = 64, most_bytes = 2048;
constexpr const char* registers = "--maxrregcount=";

struct Option {
    const char* text;
    bool inexact;  // rounds otherwise than the language says
};
constexpr std::array options = {Option{"--use_fast_math", true},   Option{"--ftz=true", true},
                                Option{"--prec-div=false", true},  Option{"--prec-sqrt=false", true},
                                Option{"--fmad=false", false},     Option{"--fmad=true", false},
                                Option{"--ftz=false", false},      Option{"--prec-div=true", false},
                                Option{"--prec-sqrt=true", false}, Option{"--extra-device-vectorization", false},
                                Option{"--restrict", false}};

bool plain(const std::string& text) {
    return text.size() <= most_text && std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      std::string_view("_ .+-:<>*").find(c) != std::string_view::npos;
           });
}

std::string definition(const std::string& name, const Field& field) {
    if (!is_name(name) || name.size() > most_text) field.refuse("is no name of a macro");
    const std::string head = "--define-macro=" + name + "=";
    if (field.value().is_boolean()) return head + (field.value().get<bool>() ? "1" : "0");
    if (!field.is_text()) return head + std::to_string(field.integer(INT64_MIN, INT64_MAX));
    if (!plain(field.text()))
        field.refuse("must be a number, true, false or a text of up to 64 letters, digits, blanks and _.+-:<>*");
    return head + field.text();
}

std::string checked_option(const Field& field, bool fast_math) {
    const std::string& text = field.text();
    const auto found =
        std::find_if(options.begin(), options.end(), [&](const Option& option) { return text == option.text; });
    if (found != options.end()) {
        if (found->inexact && !fast_math) field.refuse(text + ": this task's tolerance (f64) leaves no room for it");
        return text;
    }
    if (text.starts_with(registers)) {
        const std::string digits = text.substr(std::char_traits<char>::length(registers));
        const bool number = !digits.empty() && digits.size() <= 3 &&
                            std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
        const int n = number ? std::stoi(digits) : 0;
        if (n >= 16 && n <= 255) return registers + std::to_string(n);
    }
    std::vector<std::string> names = {"--maxrregcount=16 to 255"};
    for (const Option& option : options) names.emplace_back(option.text);
    field.refuse("\"" + text.substr(0, 40) + "\" is not allowed; allowed are: " + listed(names));
}

}  // namespace

bool is_name(const std::string& name) {
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    return !name.empty() && letter(name[0]) &&
           std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

std::uint32_t choose_build(Plan& plan, const Field& root, bool fast_math) {
    std::vector<std::string> wanted;
    if (root.has("defines")) {
        const Field defines = root.at("defines");
        if (defines.count()) defines.refuse("must have names: defines = { TILE = 32 }");
        if (defines.named().size() > most_defines) defines.refuse("more than " + std::to_string(most_defines));
        for (const auto& [name, field] : defines.named()) wanted.push_back(definition(name, field));
    }
    if (root.has("options")) {
        const Field list = root.at("options");
        list.only({});
        if (list.count() > options.size()) list.refuse("more than " + std::to_string(options.size()));
        for (std::size_t i = 0; i < list.count(); ++i) wanted.push_back(checked_option(list.element(i), fast_math));
    }
    std::size_t bytes = 0;
    for (const std::string& word : wanted) bytes += word.size() + 1;
    if (bytes > most_bytes)
        root.refuse("defines and options are longer than " + std::to_string(most_bytes) + " bytes together");
    const auto found = std::find(plan.builds.begin(), plan.builds.end(), wanted);
    const auto index = static_cast<std::uint32_t>(found - plan.builds.begin());
    if (found == plan.builds.end()) plan.builds.push_back(std::move(wanted));
    return index;
}

}  // namespace hone::cuda
