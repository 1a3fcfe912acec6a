// lua/captured.hpp: what a function of a script uses, as text. A resumed run compares the text with the recorded one.
// It takes from the journal what a policy answered and what an update made of the weights: a function that remembers
// would go on from another place there, because nobody calls it again for what is recorded.
#pragma once
#include <string>
#include "lua/bind.hpp"
#include "run/session.hpp"

namespace hone::lua {

inline constexpr const char* chunk_texts = "hone.chunks";  // in the registry: texts by the names of chunks

// The lines of scripts that hold the function at this index, and what it uses: functions (of modules too, and those of
// metatables), numbers, texts, where streams of random numbers and coroutines stand; not what globals hold.
std::string function_text(lua_State*, int index);

// Says, once for each `who`, that its function changed what it uses, where the texts before and after a call differ.
void tell_of_memory(Session&, const std::string& who, const std::string& before, const std::string& after,
                    const std::string& cure);

}  // namespace hone::lua
