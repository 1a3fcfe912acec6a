// What a compiler's listing (-S) tells of the code that it made.
#pragma once
#include <string>
#include <string_view>

namespace hone::cpp {

// "512-bit vectors in 45 of 210 instructions", by the widest registers that an x86-64 program works with; "" for other
// processors. The function that only calls the program (hone_thunk) is left out.
std::string vectors_in(std::string_view listing);

}  // namespace hone::cpp
