// policy.replay: recorded answers, given again in the order of the file, each once. A line of the file:
//     {"task": "softmax", "text": "..."}             for prompts whose first line names the task, or whose request does
//     {"prompt": "89ab4567cdef0123", "text": "..."}  for exactly one prompt (its hash is in the error text where an
//     answer is missing)
// optional: "finish": "stop" | "length" | "refusal" | "error". Where several tasks are named, the longest name holds.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>
#include "hone/task_line.hpp"

namespace {

using Json = nlohmann::json;

struct Recorded {
    std::string text;
    int finish;
};
struct Tape {
    std::vector<Recorded> answers;
    std::size_t next = 0;
};

int finish_of(const std::string& name, const std::string& place) {
    if (name == "stop") return HONE_STOP;
    if (name == "length") return HONE_LENGTH;
    if (name == "refusal") return HONE_REFUSAL;
    if (name == "error") return HONE_ERROR;
    throw hone::Refused(place + ": finish is stop, length, refusal or error, not \"" + name + "\"");
}

// True if `name` stands in `line` as a whole word; names may hold ':' and '-'.
bool names(std::string_view line, std::string_view name) {
    const auto part = [&](std::size_t at) {
        return at < line.size() &&
               (std::isalnum(static_cast<unsigned char>(line[at])) || std::strchr("_:-.", line[at]));
    };
    for (std::size_t at = line.find(name); at != std::string_view::npos; at = line.find(name, at + 1))
        if (!(at > 0 && part(at - 1)) && !part(at + name.size())) return true;
    return false;
}

class Replay : public hone::PolicyPart {
public:
    static constexpr hone_option options[] = {{"file", "path", "", nullptr, "recorded answers, one JSON object a line"},
                                              {}};

    Replay(hone::Host host, hone::Doc given) : host_(host), file_(given.text("file")) {
        std::ifstream in(file_);
        if (file_.empty() || !in)
            throw hone::Refused("option file: \"" + file_ +
                                "\" cannot be read: " + (file_.empty() ? "no file is named" : std::strerror(errno)));
        std::size_t number = 0;
        for (std::string line; std::getline(in, line); content_ = hone::fnv1a(line, content_))
            if (++number; line.find_first_not_of(" \t\r") != std::string::npos)
                record(line, file_ + ":" + std::to_string(number));
    }

    void sample(const hone_feed& feed) override {
        for (;;) {
            hone_request request{};
            request.size = sizeof request;
            const int32_t got = feed.take(feed.ctx, 100, &request);
            if (got < 0 || host_.stop()) return;
            if (got > 0) answer(feed, request);
        }
    }

    void facts(hone::Out out) override {
        out.text("device", "none");
        out.text("file", file_);
        // by name and content: a recording may be moved
        out.text("asks.file", std::filesystem::path(file_).filename().string());
        out.text("asks.content", hex(content_));
    }

private:
    void record(const std::string& line, const std::string& place) {
        const Json json = Json::parse(line, nullptr, false);
        const auto text = [&](const char* key) {
            return json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : std::string();
        };
        if (!json.is_object()) throw hone::Refused(place + ": no JSON object");
        if (text("task").empty() == text("prompt").empty())
            throw hone::Refused(place + ": needs either \"task\" or \"prompt\"");
        if (!json.contains("text") || !json["text"].is_string()) throw hone::Refused(place + ": needs \"text\"");
        Tape& tape = text("task").empty() ? by_prompt_[text("prompt")] : by_task_[text("task")];
        tape.answers.push_back({text("text"), json.contains("finish") ? finish_of(text("finish"), place) : HONE_STOP});
    }

    void answer(const hone_feed& feed, const hone_request& request) {
        Tape& tape = find(request);
        for (uint32_t member = 0; member < request.group; ++member) {
            if (tape.next == tape.answers.size())
                throw hone::Refused(file_ + ": all " + std::to_string(tape.answers.size()) + " answers to " +
                                    described(request) + " were given, and one more is asked for");
            const Recorded& recorded = tape.answers[tape.next++];
            const hone_answer given{sizeof given, request.tag, member, recorded.finish, hone::borrow(recorded.text)};
            feed.give(feed.ctx, &given);
        }
    }

    Tape& find(const hone_request& request) {
        if (const auto exact = by_prompt_.find(hash_of(request)); exact != by_prompt_.end()) return exact->second;
        const std::string prompt = hone::prompt_text(request.messages, request.n);
        Tape* best = nullptr;
        std::size_t longest = 0;
        for (auto& [task, tape] : by_task_)
            if (task.size() > longest && names(hone::task_line(prompt), task)) best = &tape, longest = task.size();
        if (!best)
            throw hone::Refused(file_ + ": no answer to " + described(request) + "; record one with {\"prompt\": \"" +
                                hash_of(request) + "\", \"text\": ...}");
        return *best;
    }

    std::string described(const hone_request& request) const {
        const std::string prompt = hone::prompt_text(request.messages, request.n);
        return "the prompt that begins \"" + std::string(hone::task_line(prompt).substr(0, 60)) + "\"";
    }

    static std::string hash_of(const hone_request& request) {
        std::string all;
        for (uint32_t i = 0; i < request.n; ++i)
            all += hone::text(request.messages[i].role) + "\n" + hone::text(request.messages[i].text) + "\n";
        return hex(hone::fnv1a(all));
    }
    static std::string hex(uint64_t number) {
        char text[24];
        std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(number));
        return text;
    }

    hone::Host host_;
    std::string file_;
    uint64_t content_ = hone::fnv1a("");  // of all lines
    std::map<std::string, Tape> by_task_, by_prompt_;
};

}  // namespace

HONE_POLICY(Replay, "replay", "1.0", "recorded answers from a JSONL file, in order")
