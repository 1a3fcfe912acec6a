// `hone` as a command line runs it: exit code and what it prints.
#pragma once
#include <gtest/gtest.h>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>
#include "base/paths.hpp"
#include "commands/command.hpp"

namespace hone {

struct Ran {
    int code;
    std::string out, err;
};

inline Ran run(const std::vector<std::string>& words) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int code = run_program(words);
    return {code, testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}

inline std::string file_with(const std::string& text) {
    const std::string path =
        testing::TempDir() + "hone-judge-" + std::to_string(std::hash<std::string>()(text)) + ".txt";
    write_file(path, text);
    return path;
}

// What standard input holds while it lives.
class Typed {
public:
    explicit Typed(const std::string& text) : text_(text), before_(std::cin.rdbuf(text_.rdbuf())) { std::cin.clear(); }
    ~Typed() {
        std::cin.rdbuf(before_);
        std::cin.clear();
    }
    Typed(const Typed&) = delete;

private:
    std::istringstream text_;
    std::streambuf* before_;
};

}  // namespace hone
