// base/options.hpp: option tables. One table serves validation, defaults, `hone plugins NAME`, editor stubs and the run
// record.
#pragma once
#include <string>
#include <string_view>
#include <vector>
#include "base/json.hpp"

namespace hone {

struct Option {  // as hone_option in hone/part.h
    std::string name, kind, preset, allowed, doc;
};

// The given options checked against the table, with defaults filled in, each in its kind's JSON type; a number with an
// empty preset stays absent unless given. Throws Error(input): `place: no option "warmpu"; did you mean "warmup"?
// (options: warmup, repeats)`.
Json check_options(const std::vector<Option>& table, const Json& given, const std::string& place);

// Levenshtein's distance with neighbouring letters swapped counting as one step (optimal string alignment).
std::size_t edit_distance(std::string_view, std::string_view);
// A value given as text, as its option wants it; what cannot be read so stays text, and is refused later.
Json value_of_text(const Option&, const std::string& text);
// Why an option's preset is no value that it allows; "": it is one, or a number that is unset.
std::string preset_fault(const Option&);
// Why what an option of numbers allows is no range that check_options keeps to; "": it is one.
std::string range_fault(const Option&);

// The name nearest to a misspelt one (edit distance at most a third of its length, 1 at least), or empty.
std::string nearest_name(std::string_view misspelt, const std::vector<std::string>& names);
// `; did you mean "x"?` or nothing.
std::string suggestion(std::string_view misspelt, const std::vector<std::string>& names);
// A cure for a misspelt name: `did you mean "epochs"? (options: epochs, lr)`, or `options: epochs, lr` where none is
// near.
std::string choose(const std::string& misspelt, const std::vector<std::string>& names, const char* what);

}  // namespace hone
