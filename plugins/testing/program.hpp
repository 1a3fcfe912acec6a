// A program of the fake device: a few integers and perhaps one word of mischief: "3 1 4" or "3 1 4 crash".
#pragma once
#include <array>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace fake {

// What a program may be made to do wrong, each named by its word. One for every promise that the judge makes.
inline constexpr std::array<std::string_view, 35> mischiefs = {
    "crash",       // ends while it runs
    "wedge",       // ends while it runs, and so does every later program of this process
    "hang",        // does not end within its time
    "die",         // takes the bench with it
    "stall",       // blocks the bench itself
    "unwritten",   // leaves the last element of the first output as it was
    "outside",     // writes one element behind the first output
    "input",       // changes its first input
    "late",        // when timed, writes the first output once more after it said that it had ended
    "once",        // is right while it is not timed
    "wears",       // is right in the first 60 calls of a process only
    "shy",         // is right in the first three calls of a process only: at the timed shape, inputs as declared
    "outgrown",    // is wrong where a size is above its first call's and the first input lies far from zero
    "random",      // gives other bits in each call
    "aligned",     // gives other bits where its output lies at an odd multiple of 64 bytes
    "stale",       // gives its last answer again where inputs lie where they lay and begin as they began
    "forge",       // says that it took no time: costs a thousandth of its cost
    "flatter",     // by its own clock it takes half as long
    "jolted",      // no mischief: by its own clock it takes half as long, in the first process that is timed
    "shade",       // by its own clock it takes 3 us less
    "early",       // the device's clock shows a fifth of what its own shows
    "gone",        // the device's clock stands before where it stood
    "settles",     // by its own clock it takes 3 us less in its first timed calls
    "flicker",     // by its own clock each ninth call takes a hundredth of its time
    "ahead",       // answers the next call of a run as well, and does nothing when that call comes
    "chases",      // has computed most of a call before it is launched, unless it was held while the inputs came
    "behind",      // leaves the calls of a run to its last one
    "burdens",     // while it is open other programs take twice as long
    "foresees",    // computes when it is prepared; a call whose inputs were there then costs a tenth
    "unfinished",  // writes its output when it is waited for, of which the device's clock shows nothing
    "hoards",      // while it is open there is no memory left
    "empty",       // does nothing at all
    "packs",       // no mischief: copies its second input while it prepacks, and computes from the copy
    "trips",       // ends while it prepacks
    "peeks",       // computes everything while it prepacks, from where the data will lie
};

struct Program {
    std::vector<long> integers;
    std::string mischief;  // empty: none
};

// Nothing if the text is not a program; `why` then says so.
inline std::optional<Program> parse(const std::string& text, std::string& why) {
    Program program;
    std::istringstream in(text);
    for (std::string word; in >> word;) {
        char* end = nullptr;
        const long value = std::strtol(word.c_str(), &end, 10);
        bool known = false;
        for (std::string_view m : mischiefs) known |= m == word;
        if (*end == '\0' && program.mischief.empty()) program.integers.push_back(value);
        else if (known && program.mischief.empty()) program.mischief = word;
        else return why = "\"" + word + "\" is not an integer", std::nullopt;
    }
    if (program.integers.empty() && program.mischief.empty()) return why = "the program is empty", std::nullopt;
    return program;
}

}  // namespace fake
