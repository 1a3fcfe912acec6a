#include "commands/judging.hpp"
#include <cstdio>
#include <sstream>
#include "base/error.hpp"
#include "base/paths.hpp"

namespace hone {

Candidate read_candidate(Judge& judge, const Task& task, const std::string& path) {
    std::istringstream words(judge.brief(task).at("fences").get<std::string>());
    std::vector<std::string> fences;
    for (std::string word; words >> word;) fences.push_back(word);
    if (!fs::exists(path)) throw Error(Blame::input, path, "there is no such file");
    if (fs::is_directory(path)) throw Error(Blame::input, path, "is a folder", "name the file in it that holds the program");
    const std::string text = read_file(path);
    const ParsedAnswer answer = parse_answer(task.name(), text, fences, text.find("```") != std::string::npos);
    if (!answer.ok) throw Error(Blame::input, path, answer.reason);
    return answer.candidate;
}

Judgement ask(Judge& judge, const Task& task, const Candidate& candidate, const std::optional<Candidate>& against) {
    judge.submit(0, task, candidate, against ? &*against : nullptr);
    while (true)
        if (auto result = judge.collect(60)) return result->second;
}

int exit_code(const Judgement& judgement) {
    if (judgement.passed()) return 0;
    return static_cast<int>(judgement.scorable() ? Blame::run : Blame::environment);
}

std::string engineering(double value, const std::string& unit) {
    static constexpr struct {
        double factor;
        const char* prefix;
    } scales[] = {{1, ""}, {1e-3, "m"}, {1e-6, "u"}, {1e-9, "n"}};
    char text[64];
    for (const auto& scale : scales) {
        if (value < scale.factor && scale.factor > 1e-9) continue;
        std::snprintf(text, sizeof text, "%.3g %s%s", value / scale.factor, scale.prefix, unit.c_str());
        break;
    }
    return text;
}

}  // namespace hone
