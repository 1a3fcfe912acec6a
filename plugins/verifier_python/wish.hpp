// What the process of a program asks the bench to compile (runner/extension.py). All of it is hostile text.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace hone::python {

struct Wish {
    std::string key;  // the process's own name for it: 64 hexadecimal digits
    std::string cpp, cuda;
    std::vector<std::string> flags, cuda_flags;
};
// Throws std::invalid_argument with what is wrong.
Wish read_wish(const std::string& bytes);

// A compiler's words one by one: two that stand for one are joined by "=", {"-Xptxas", "-O3"}.
std::vector<std::string> words_of(const std::vector<std::string>& flags);
// A word as it is passed on to the C++ compiler (cuda: to nvcc); empty: left out, as the bench chooses it; nullopt:
// refused. What is passed on changes the code that is made of a text, and names no file.
std::optional<std::string> passed_on(const std::string& word, bool cuda);

}  // namespace hone::python
