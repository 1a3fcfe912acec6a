// policies/http/kept_answers.hpp: answers that were paid for, in a folder, by what was asked: a script that runs once
// more pays for new questions alone. One file an answer, which holds neither the prompt nor a key.
#pragma once
#include "http/protocol/protocol.hpp"

namespace http {

struct Answered {
    std::uint64_t tag;
    std::uint32_t member;
    Choice choice;
    std::vector<std::int32_t> prompt_ids;
    double tokens_in = 0, tokens_cached = 0, tokens_out = 0, usd = 0;
    std::string model{};  // that answered, as the server says
};

class KeptAnswers {
public:
    // "": nothing is kept. Throws hone::Refused where the folder cannot be made.
    explicit KeptAnswers(std::string folder);
    bool on() const { return !folder_.empty(); }
    struct Found {
        std::optional<Answered> answer;
        std::string fault;  // what is said of a file that holds none; "": nothing
    };
    // asked: address, body and seed of the one answer. The answer costs nothing; its tag and member are those given.
    Found find(const std::string& asked, std::uint64_t tag, std::uint32_t member) const;
    // Answers of the model's, refusals too; what failed is asked again. Returns why it cannot be written; "": it is.
    std::string keep(const std::string& asked, const Answered&) const;

private:
    std::string path_of(const std::string& asked) const;
    std::string folder_;
};

}  // namespace http
