#include "store/report/stage_row.hpp"
#include <algorithm>
#include <cmath>
#include "base/error.hpp"
#include "base/options.hpp"
#include "base/quantity.hpp"

namespace hone {
namespace {

const std::vector<std::string> numbers = {"samples",        "lost",   "cut",    "success",  "typical",
                                          "fallback",       "mean",   "median", "max",      "best_of_n",
                                          "shrinkage",      "tasks",  "novel",  "distinct", "above_1_01",
                                          "tasks_verified", "seconds"},
                               texts = {"lost_reason", "baseline", "unit", "note"};

const std::vector<std::string> counts = {"samples", "lost", "cut", "tasks", "tasks_verified", "above_1_01"},
                               shares = {"success", "novel"},
                               ratios = {"typical", "fallback", "mean", "median", "max", "best_of_n"};

bool is_in(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

void refuse(const std::string& name, const std::string& cause, const std::string& cure = {}) {
    throw Error(Blame::input, "run:record", "column \"" + name + "\": " + cause, cure);
}

void check_name(const std::string& name) {
    std::vector<std::string> known = numbers;
    known.insert(known.end(), texts.begin(), texts.end());
    const std::string near = suggestion(name, known);
    if (!near.empty())
        throw Error(Blame::input, "run:record",
                    "no column \"" + name + "\"" + near + ", or give a column of your own another name");
}

void check_value(const std::string& name, double value) {
    if (is_in(counts, name) && !(value >= 0 && value == std::floor(value)))
        refuse(name, plain_number(value) + " is no number of things");
    if (is_in(shares, name) && !(value >= 0 && value <= 1))
        refuse(name, plain_number(value) + " is no share", "give a number from 0 to 1");
    if (is_in(ratios, name) && !(value > 0))
        refuse(name, plain_number(value) + " is no ratio",
               "give a number above 0: 1.3 is 30 % faster; math.exp of a logarithm");
}

}  // namespace

bool is_own_column(const std::string& name) { return name != "stage" && !is_in(numbers, name) && !is_in(texts, name); }

void require_finite(const Json& values, const std::string& place, const std::string& noun) {
    for (const auto& [name, value] : values.items())
        if (value.is_number_float() && !std::isfinite(value.get<double>()))
            throw Error(Blame::input, place, noun + " \"" + name + "\": no finite number",
                        "leave out what could not be computed");
}

void check_stage_row(const Json& row) {
    if (row.contains("stage")) refuse("stage", "it is the name of the stage itself", "give yours another name");
    require_finite(row, "run:record", "column");
    for (const auto& [name, value] : row.items()) {
        if (is_in(numbers, name) && !value.is_number())
            refuse(name, std::string("a number expected, got ") + value.type_name());
        if (is_in(texts, name) && !value.is_string())
            refuse(name, std::string("a text expected, got ") + value.type_name());
        if (value.is_number()) check_value(name, value.get<double>());
        if (is_own_column(name)) check_name(name);
    }
}

}  // namespace hone
