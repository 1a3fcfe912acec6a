// A policy outside hone's tree: any program that reads a prompt from its standard input and writes an answer to its
// standard output, such as the command line of a local model. run:policy("pipe", { command = "my-model --quiet" })
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <hone/plugin.hpp>

class Pipe : public hone::PolicyPart {
public:
    Pipe(hone::Host host, hone::Doc options) : host(host), command(options.text("command")) {
        if (command.empty()) throw hone::Refused("option command: no program is named");
    }

    void sample(const hone_feed& feed) override {
        for (hone_request request{}; !host.stop();) {
            request.size = sizeof request;
            const int32_t got = feed.take(feed.ctx, 100, &request);
            if (got < 0) return;
            for (uint32_t member = 0; got > 0 && member < request.group; ++member) answer(feed, request, member);
        }
    }
    void facts(hone::Out out) override {
        out.text("device", "remote");  // its work is not this process's
        out.text("speaks", "chat");
        out.text("model", command);
    }

    static constexpr hone_option options[] = {
        {"command", "text", "", nullptr, "a shell command: the prompt comes in, the answer goes out"}, {}};

private:
    // One failed request is an answer, not an error of the policy.
    void answer(const hone_feed& feed, const hone_request& request, uint32_t member) const {
        std::string text;
        hone_answer answer{};
        answer.size = sizeof answer;
        answer.tag = request.tag;
        answer.member = member;
        answer.finish = run(request, text) ? HONE_STOP : HONE_ERROR;
        answer.text = hone::borrow(text);
        feed.give(feed.ctx, &answer);
    }

    bool run(const hone_request& request, std::string& text) const {
        char prompt[] = "/tmp/hone-command-XXXXXX";
        const int file = mkstemp(prompt);
        if (file < 0) return text = "no temporary file could be made", false;
        std::FILE* to = fdopen(file, "w");
        for (uint32_t i = 0; i < request.n; ++i) {
            const std::string_view words = hone::view(request.messages[i].text);
            std::fwrite(words.data(), 1, words.size(), to);
            std::fputs("\n", to);
        }
        std::fclose(to);
        std::FILE* from = popen(("(" + command + ") < " + prompt).c_str(), "r");
        for (char part[4096]; from;) {
            const size_t got = std::fread(part, 1, sizeof part, from);
            if (!got) break;
            text.append(part, got);
        }
        const int status = from ? pclose(from) : -1;
        std::filesystem::remove(prompt);
        if (status != 0) text = "the command ended with status " + std::to_string(status);
        return status == 0;
    }

    hone::Host host;
    std::string command;
};
HONE_POLICY(Pipe, "pipe", "1.0", "a program that reads the prompt and writes the answer")
