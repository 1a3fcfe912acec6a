// The bell of a page (page.hpp), by which bench and process call each other.
#pragma once
#include <atomic>
#include <cstdint>

extern "C" {

// Until the bell shows another number than `last`, which is returned. soon: it is worth waiting awake for long.
std::uint32_t hone_python_await(std::atomic<std::uint32_t>* go, std::uint32_t last, bool soon);
void hone_python_answer(std::atomic<std::uint32_t>* word, std::uint32_t number);

}  // extern "C"
