// `hone generate MODEL [PROMPT]`: what a policy answers, as it comes.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <optional>
#include "base/paths.hpp"
#include "base/printable.hpp"
#include "base/process.hpp"
#include "base/progress.hpp"
#include "base/quantity.hpp"
#include "commands/asked_policy.hpp"
#include "commands/command.hpp"
#include "commands/judging.hpp"
#include "parts/handle.hpp"
#include "parts/library.hpp"
#include "parts/policy.hpp"
#include "run/interrupt.hpp"

namespace hone {
namespace {

Error usage(const std::string& cause) { return {Blame::usage, "generate", cause}; }

double number_of(const Arguments& arguments, const std::string& flag, double absent, double least, double most) {
    return flag_number(arguments, "generate", flag, absent, least, most);
}
std::int64_t whole_of(const Arguments& arguments, const std::string& flag, std::int64_t absent, std::int64_t least,
                      std::int64_t most) {
    return flag_whole(arguments, "generate", flag, absent, least, most);
}

SampleRequest request_of(const Arguments& arguments) {
    SampleRequest request;
    const std::string prompt = arguments.at_or(1, standard_input),
                      text = prompt == standard_input ? read_program(standard_input) : prompt;
    if (arguments.has("--system") && arguments.has("--plain"))
        throw usage("--plain is text to go on with, which has no --system prompt; leave one of them out");
    if (text.empty() && !arguments.has("--system")) throw usage("the prompt is empty");
    if (arguments.has("--system")) request.messages.push_back({"system", arguments.value("--system")});
    request.messages.push_back({arguments.has("--plain") ? "plain" : "user", text});
    for (const Message& message : request.messages)
        if (!is_utf8(message.text)) throw usage("the " + message.role + " prompt is no UTF-8; convert it, as by iconv");
    request.group = static_cast<std::uint32_t>(whole_of(arguments, "--answers", 1, 1, 4096));
    request.seed = static_cast<std::uint64_t>(whole_of(arguments, "--seed", 1, 0, std::int64_t{1} << 53));
    Sampling& by = request.sampling;
    by.temperature = number_of(arguments, "--temperature", 1, 0, 100);
    by.top_p = number_of(arguments, "--top-p", 1, 0, 1);
    if (!(by.top_p > 0)) throw usage("--top-p = 0 is not above 0 and at most 1");
    by.min_p = number_of(arguments, "--min-p", 0, 0, 1);
    by.top_k = static_cast<std::int32_t>(whole_of(arguments, "--top-k", 0, 0, 1 << 20));
    by.max_tokens = static_cast<std::int32_t>(whole_of(arguments, "--max-tokens", 512, 1, 1 << 24));
    for (const std::string& one : arguments.values("--stop")) {
        if (one.empty()) throw usage("--stop takes a text that is not empty");
        by.stop.push_back(one);
    }
    return request;
}

Json row_of(const Answer& answer) {
    return {{"member", answer.member},
            {"finish", answer.finish},
            {"text", answer.text},
            {"tokens_in", std::llround(answer.tokens_in)},
            {"tokens_out", std::llround(answer.tokens_out)},
            {"usd", answer.usd},
            {"model", answer.model}};
}

// One answer is printed as it comes; of several, whose pieces would mix, each is printed whole.
class Printer {
public:
    explicit Printer(bool streams) : streams_(streams) {}
    void piece(const std::string& text) {
        if (!streams_) return;
        held_ += text;
        const std::string now = held_.substr(0, held_.size() - held_.ends_with('\r'));  // whose newline may come yet
        held_.erase(0, now.size());
        print(now);
        printed_ += now;
    }
    // What came of an answer may have been another try's: a line says so, and the answer follows.
    void whole(const Answer& answer, std::uint32_t answers) {
        if (answers > 1) std::printf("==> answer %u of %u <==\n", answer.member + 1, answers);
        const bool goes_on = answer.text.starts_with(printed_);
        if (!goes_on) std::fputs("\n==> broken off; the answer of another try <==\n", stdout);
        print(answer.text.substr(goes_on ? printed_.size() : 0) + "\n");
        printed_.clear(), held_.clear();
    }
    void end() {  // of an answer that was cut short
        if (!printed_.empty()) std::fputs("\n==> broken off <==\n", stdout);
        std::fflush(stdout);
        printed_.clear();
    }

private:
    static void print(const std::string& text) {
        std::fputs(printable(text).c_str(), stdout);
        std::fflush(stdout);
    }
    const bool streams_;
    std::string printed_, held_;  // a carriage return at the end of a piece
};

// Ctrl-C ends the answer at its next token: policies ask host->stop.
void ask(Policy& policy, const SampleRequest& request, Printer& printer, const std::function<void(Answer)>& give) {
    set_stop_flag(&interrupt_flag());
    try {
        policy.sample({request}, give, check_interrupt,
                      [&](std::uint64_t, std::uint32_t, const std::string& text) { printer.piece(text); });
        check_interrupt();
    } catch (const std::exception&) {
        printer.end();
        check_interrupt();  // what a policy says that was told to stop is no error of its own
        throw;
    }
}

int tell(const std::vector<Answer>& answers, double seconds) {
    double tokens = 0;
    int failed = 0;
    for (const Answer& answer : answers) {
        tokens += answer.tokens_out;
        if (answer.finish == "length")
            Progress::say("answer " + std::to_string(answer.member + 1) +
                          " was cut: --max-tokens, or the model's own limit");
        if (answer.finish != "error" && answer.finish != "refusal") continue;
        ++failed;
        Progress::warn("answer " + std::to_string(answer.member + 1) + ": " + answer.finish + ": " + answer.text);
    }
    char text[96];
    std::snprintf(text, sizeof text, "%.0f tokens in %.1f s: %.1f tokens a second", tokens, seconds, tokens / seconds);
    if (tokens > 0) Progress::say(text);  // 0: the server tells none
    return failed ? static_cast<int>(Blame::run) : 0;
}

int run_generate(const Arguments& arguments) {
    const InterruptGuard guard("it ends");
    const Recipe recipe = asked_policy(arguments, "generate");
    const SampleRequest request = request_of(arguments);
    Policy policy(recipe);  // loads the model
    const bool json = arguments.has("--json");
    Printer printer(!json && request.group == 1);
    std::vector<Answer> answers;
    const double begun = monotonic_seconds();
    ask(policy, request, printer, [&](Answer answer) {
        const bool shown = !json && (answer.finish == "stop" || answer.finish == "length");
        if (shown) printer.whole(answer, request.group);
        else printer.end();
        answers.push_back(std::move(answer));
    });
    const double seconds = monotonic_seconds() - begun;
    if (json) {
        std::sort(answers.begin(), answers.end(), [](const Answer& a, const Answer& b) { return a.member < b.member; });
        Json doc = {
            {"schema", "hone.generate/1"}, {"policy", recipe.id}, {"seconds", seconds}, {"answers", Json::array()}};
        for (const Answer& answer : answers) doc["answers"].push_back(row_of(answer));
        std::fputs(document_text(doc).c_str(), stdout);
    }
    return tell(answers, seconds);
}

}  // namespace

Command generate_command() {
    return {"generate",
            "MODEL [PROMPT]",
            "what a model answers",
            "MODEL: a folder or .gguf file, or a name such as smollm2 (policy.torch-lm); provider/model for an API "
            "(policy.http). No PROMPT, or -: standard input is read.\n"
            "One answer is printed as it comes; where it breaks off, a line \"==> broken off\" ends what came, and "
            "another try's answer may follow. Exit code: 0 answered, 1 an answer failed or was refused.",
            {{"--system", "TEXT", "a system message before the prompt"},
             {"--plain", "", "the prompt is text to go on with, not a message"},
             {"--max-tokens", "N", "at most so many tokens an answer (512)"},
             {"--temperature", "T", "0: always the most likely token (1)"},
             {"--top-p", "P", "draw from the most likely tokens that hold this share (1)"},
             {"--top-k", "N", "draw from the N most likely tokens (0: all)"},
             {"--min-p", "P", "draw from tokens at least P times as likely as the most likely one (0)"},
             {"--stop", "TEXT", "an answer ends in front of TEXT; may be repeated"},
             {"--answers", "N", "so many answers to the prompt (1)"},
             {"--seed", "N", "of the draws (1)"},
             {"--policy", "ID", "the policy that answers (torch-lm, or http)"},
             {"--option", "NAME=VALUE", "an option of the policy, see `hone plugins ID`; may be repeated"},
             {"--json", "", "one JSON document (hone.generate/1) on stdout"}},
            run_generate};
}

}  // namespace hone
