// policies/http/told_text.hpp: the text of an answer that comes in pieces, as far as somebody who looks on may see it.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace http {

// Takes secrets out, and ends in front of the first stop text of the answer proper. What may be the beginning of either
// waits for what follows. Each byte is looked at a few times, however many pieces there are.
class ToldText {
public:
    // Of both lists an object has copies: the first piece may come long after.
    ToldText(std::vector<std::string> secrets, std::vector<std::string> stops);
    std::string take(std::string_view more);  // what can be told now

private:
    void take_secrets_out();
    std::size_t end();
    std::size_t begin_of_proper();
    std::vector<std::string> secrets_, stops_;
    std::string held_;  // may be the beginning of a secret, in any of its forms
    std::string safe_;  // what came before that, without secrets
    std::size_t told_ = 0, searched_ = 0;
    std::optional<std::size_t> begin_, end_;  // of the answer proper; in front of a stop text
};

}  // namespace http
