// budget.hpp: how far a template may go. A template comes from strangers, as the rest of a model's folder does.
#pragma once
#include <cstddef>
#include <stdexcept>

namespace hone::lm::jinja {

// What went wrong in a template, and what its author can do. Template adds place and line.
struct Fault : std::runtime_error {
    using std::runtime_error::runtime_error;
};

inline constexpr std::size_t most_bytes = 64u << 20;  // of one value: a text, or a list with all that it holds
inline constexpr int most_depth = 100;                // of lists in lists
inline constexpr int most_nesting = 200;              // of brackets and blocks in the text of a template
inline constexpr int most_parts = 5000;               // of the expressions of one tag
inline constexpr int most_calls = 1000;               // of evaluations in each other: expressions, blocks, macros

// Work is counted in bytes that were written, and a fixed amount for each step and element: it bounds both the time
// and the memory that a template can take.
class Budget {
public:
    explicit Budget(std::size_t input_bytes);  // more input, more work
    void charge(std::size_t work) {
        if (work > left_) refuse();
        left_ -= work;
    }
    void step() { charge(32); }

private:
    [[noreturn]] static void refuse();
    std::size_t left_;
};

}  // namespace hone::lm::jinja
