#include "torch_lm/text/jinja/template.hpp"
#include "hone/plugin.hpp"
#include "torch_lm/text/jinja/syntax/parser.hpp"

namespace hone::lm::jinja {
namespace {

constexpr std::size_t longest_template = 1 << 20;

std::string message(const std::string& place, int line, const std::string& cause, const std::string& cure) {
    return place + ", line " + std::to_string(line) + ": " + cause + "; " + cure;
}

}  // namespace

Template::Template(std::string_view text, std::string place, std::string cure)
    : place_(std::move(place)), cure_(std::move(cure)) {
    if (text.size() > longest_template) throw Refused(message(place_, 1, "the template has more than 1 MiB", cure_));
    try {
        block_ = parse(text);
    } catch (const SyntaxFault& fault) {
        throw Refused(message(place_, fault.line, fault.cause, cure_));
    }
}

Text Template::render(const std::vector<std::pair<std::string, Value>>& variables, std::time_t now) const {
    std::size_t size = 0;
    for (const auto& [name, value] : variables) size += weight(value);
    Run run(size, now);
    try {
        Scope given(nullptr), own(&given);
        for (const auto& [name, value] : variables) given.set(name, value);
        return capture(block_, run, own);
    } catch (const Fault& fault) {
        throw Refused(message(place_, run.line, fault.what(), cure_));
    }
}

}  // namespace hone::lm::jinja
