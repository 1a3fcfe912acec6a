// Option tables and what is given for them: [[{name, kind, preset, allowed, doc}, ...], given], or given alone for the
// judge's own table.
#include "base/options.hpp"
#include "judge/call/settings.hpp"
#include "judge/service/judge.hpp"
#include "property.hpp"

using namespace hone;

namespace {

std::string text(const Json& from, const char* key) {
    return from.is_object() && from.contains(key) && from[key].is_string() ? from[key].get<std::string>()
                                                                           : std::string();
}

std::vector<Option> table_of(const Json& rows) {
    std::vector<Option> table;
    for (const Json& row : rows)
        table.push_back(
            {text(row, "name"), text(row, "kind"), text(row, "preset"), text(row, "allowed"), text(row, "doc")});
    return table;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const Json doc = Json::parse(fuzz::view(bytes, size), nullptr, false);
    if (doc.is_discarded()) return 0;
    const bool own = doc.is_array() && doc.size() == 2 && doc[0].is_array();
    const std::vector<Option> table = own ? table_of(doc[0]) : judge_options();
    fuzz::taken([&] {
        const Json checked = check_options(table, own ? doc[1] : doc, "fuzz");
        fuzz::hold(check_options(table, checked, "fuzz") == checked, "checked options stay as they are");
        if (!own) (void)Settings::from_json(checked);
    });
    return 0;
}
