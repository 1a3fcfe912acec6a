// What a Python program asks the bench to compile (plugins/verifier_python/wish).
#include "verifier_python/wish.hpp"
#include <stdexcept>
#include "property.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    try {
        const hone::python::Wish wish = hone::python::read_wish(std::string(hone::fuzz::view(bytes, size)));
        hone::fuzz::hold(wish.key.size() == 64, "a key stands in a line of the order");
        hone::fuzz::hold(wish.cpp.size() + wish.cuda.size() <= size, "the texts are what was written");
        for (const auto* flags : {&wish.flags, &wish.cuda_flags})
            for (const std::string& word : hone::python::words_of(*flags))
                for (const bool cuda : {false, true})
                    if (const auto passed = hone::python::passed_on(word, cuda); passed && !passed->empty())
                        hone::fuzz::hold(passed->front() == '-' && passed->find_first_of("/,") == std::string::npos,
                                         "no flag names a file, or is several");
    } catch (const std::invalid_argument&) {
    }
    return 0;
}
