#include "base/option_table.hpp"
#include <algorithm>
#include <set>
#include "base/error.hpp"

namespace hone {

void check_table(const std::vector<Option>& table, const std::string& place) {
    static const std::vector<std::string> kinds = {"bool", "int", "num", "text", "choice", "path"};
    std::set<std::string> names;
    for (const Option& option : table) {
        const std::string which = "option \"" + option.name + "\": ";
        if (!names.insert(option.name).second)
            throw Error(Blame::input, place, which + "stands twice in the table", "give each option a name of its own");
        if (std::find(kinds.begin(), kinds.end(), option.kind) == kinds.end())
            throw Error(Blame::input, place, which + "there is no kind \"" + option.kind + "\"",
                        choose(option.kind, kinds, "kinds"));
        if (const std::string fault = range_fault(option); !fault.empty())
            throw Error(Blame::input, place, which + "what it allows, \"" + option.allowed + "\", " + fault,
                        "write least..most, such as 1..5; an end may be left out");
        if (const std::string fault = preset_fault(option); !fault.empty())
            throw Error(Blame::input, place, which + "its preset " + fault, "give a preset that it allows");
    }
}

Json values_of_texts(const std::vector<Option>& table, Json given) {
    for (const Option& option : table)
        if (const auto text = given.find(option.name); text != given.end())
            *text = value_of_text(option, text->get<std::string>());
    return given;
}

}  // namespace hone
