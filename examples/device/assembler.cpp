#include <algorithm>
#include <sstream>
#include "dsp.hpp"

namespace dsp {
namespace {

int register_of(const std::string& word) {
    if (word.size() == 2 && word[0] == 'r' && word[1] >= '0' && word[1] < '0' + Device::registers) return word[1] - '0';
    throw std::invalid_argument("\"" + word + "\" is no register r0 to r7");
}

float number_of(const std::string& word) {
    std::size_t used = 0;
    float value = 0;
    try {
        value = std::stof(word, &used);
    } catch (const std::exception&) {
    }
    if (used != word.size() || word.empty()) throw std::invalid_argument("\"" + word + "\" is no number");
    return value;
}

Instruction read(const std::vector<std::string>& w, const std::vector<std::string>& inputs, const std::string& output) {
    const auto input = w.size() > 2 ? std::find(inputs.begin(), inputs.end(), w[2]) : inputs.end();
    if (w.size() == 3 && w[0] == "load") {
        if (input == inputs.end()) throw std::invalid_argument("\"" + w[2] + "\" is no input");
        return {Instruction::load, register_of(w[1]), static_cast<int>(input - inputs.begin())};
    }
    if (w.size() == 3 && w[0] == "set") return {Instruction::set, register_of(w[1]), 0, 0, number_of(w[2])};
    if (w.size() == 3 && w[0] == "store") {
        if (w[1] != output) throw std::invalid_argument("\"" + w[1] + "\" is not the output");
        return {Instruction::store, 0, register_of(w[2])};
    }
    const auto what = w[0] == "add"   ? Instruction::add
                      : w[0] == "sub" ? Instruction::sub
                      : w[0] == "mul" ? Instruction::mul
                                      : Instruction::store;
    if (w.size() != 4 || what == Instruction::store)
        throw std::invalid_argument("no such instruction: load, set, add, sub, mul or store");
    return {what, register_of(w[1]), register_of(w[2]), register_of(w[3])};
}

}  // namespace

Program assemble(const std::string& text, const std::vector<std::string>& inputs, const std::string& output) {
    Program program;
    std::istringstream lines(text);
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
        std::istringstream in(line.substr(0, line.find('#')));
        std::vector<std::string> words;
        for (std::string word; in >> word;) words.push_back(word);
        if (words.empty()) continue;
        try {
            program.push_back(read(words, inputs, output));
        } catch (const std::invalid_argument& e) {
            throw std::invalid_argument("line " + std::to_string(number) + ": " + e.what());
        }
    }
    return program;
}

}  // namespace dsp
