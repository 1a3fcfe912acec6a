// g++ or clang++ in the host's build sandbox.
#pragma once
#include <deque>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include "hone/plugin.hpp"
#include "hone/record.hpp"
#include "unit.hpp"

namespace hone::cpp {

class Compiler {
public:
    // further: flags behind the usual ones; listed: facts tell "resources" of what is built, at the price of another
    // run of the compiler.
    Compiler(Host host, std::string program, std::vector<std::string> further, bool listed)
        : host_(host), program_(std::move(program)), further_(std::move(further)), listed_(listed) {}

    // Empty where the candidate is at fault; facts then hold verdict, reason and log.
    std::string build(const Doc& task, const std::string& code, Out facts);
    std::string command() const;   // program and flags, for people
    const std::string& version();  // first line of --version; empty outside a bench
    std::string path() const;      // where the program is found; empty: nowhere

private:
    struct Built {
        std::string unit, product, hash;
        double seconds;
        std::string resources;
    };
    using Files = std::vector<std::pair<std::string, std::string_view>>;
    bool gnu() const { return program_.find("clang") == std::string::npos; }
    std::vector<std::string> flags() const;
    std::vector<std::string> words(std::initializer_list<const char*> rest) const;
    void run(const std::vector<std::string>& words, const Files&, const char* product, Record& out);
    const std::string& precompiled();
    // Whether it gave a library.
    bool compile(const Doc& task, const std::string& code, const Surroundings&, Record& out);
    // Makes `product` (unit.so, unit.s) of the candidate with these words besides.
    void make(const Doc& task, const std::string& code, const Surroundings&, std::initializer_list<const char*> words,
              const char* product, Record& out);
    std::string resources(const Doc& task, const std::string& code, const Surroundings&);
    void refuse(const Doc& task, Record& out, double seconds, Out facts);
    const Built* known(const std::string& unit) const;
    std::string deliver(const Built&, Out facts);

    Host host_;
    std::string program_, version_, precompiled_;
    std::vector<std::string> further_;
    bool listed_;
    bool asked_for_headers_ = false;
    // the last ones: timing a program in fresh processes, or once more, does not compile it again
    std::deque<Built> built_;
};

}  // namespace hone::cpp
