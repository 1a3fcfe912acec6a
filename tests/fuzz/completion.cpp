// Bodies of a provider's HTTP answers, whole and as streams of events, by each protocol (policies/http/protocol).
#include <cmath>
#include "http/complaint.hpp"
#include "http/protocol/stream.hpp"
#include "http/reply_text.hpp"
#include "http/secrets.hpp"
#include "http/told_text.hpp"
#include "property.hpp"

using hone::fuzz::hold;
using hone::fuzz::is_utf8;

namespace {

bool is_amount(double value) { return std::isfinite(value) && value >= 0; }

void check(const http::Completion& completion) {
    hold(!completion.choices.empty(), "a completion has a choice");
    for (const http::Choice& choice : completion.choices) {
        hold(is_utf8(choice.text), "an answer is UTF-8");
        hold(!choice.text.empty(), "an answer, or the reason why there is none");
        hold(choice.ids.empty() || choice.logp.empty() || choice.ids.size() == choice.logp.size(),
             "log-probabilities are of the tokens");
    }
    // a budget is kept by adding these up
    hold(is_amount(completion.tokens_in) && is_amount(completion.tokens_out) && is_amount(completion.tokens_cached),
         "tokens are an amount");
    hold(completion.tokens_cached <= completion.tokens_in, "cached tokens are a part of the prompt's");
    hold(!completion.usd || is_amount(*completion.usd), "a cost is an amount");
}

void read_whole(const http::Protocol& protocol, const std::string& body) {
    if (const auto completion = protocol.read(http::read_text(body).document)) check(*completion);
}

// What is read does not depend on where the bytes are split.
void read_stream(const http::Protocol& protocol, const std::string& body, std::size_t split) {
    std::string text, text_split;
    http::Stream whole(protocol, [&](const std::string&more) { text += more; }),
        in_two(protocol, [&](const std::string&more) { text_split += more; });
    whole.take(body);
    in_two.take(std::string_view(body).substr(0, split));
    in_two.take(std::string_view(body).substr(split));
    const auto& reply = whole.end();
    hold(reply == in_two.end() && text == text_split && whole.fault() == in_two.fault(), "a stream may be split");
    if (const auto completion = protocol.read(reply)) check(*completion);
}

// Of a key that the text holds itself, from where it is split.
void tell(const std::string& text, std::size_t split) {
    const std::string secret = text.substr(split, 12);
    http::ToldText told({secret}, {});
    const std::string first = told.take(std::string_view(text).substr(0, split + secret.size() / 2)),
                      seen = first + told.take(std::string_view(text).substr(split + secret.size() / 2));
    hold(http::without({secret}, text).starts_with(seen), "what is told begins what is kept");
}

}  // namespace

// The first byte chooses the protocol, the second where a stream is split.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    if (size < 2) return 0;
    const char* const names[] = {"chat", "responses", "messages", "gemini"};
    const http::Protocol& protocol = *http::protocol_of(names[bytes[0] % 4]);
    const std::string body(hone::fuzz::view(bytes + 2, size - 2));
    read_whole(protocol, body);
    read_stream(protocol, body, bytes[1] % (body.size() + 1));
    tell(body, bytes[1] % (body.size() + 1));
    (void)http::read_complaint(body);
    return 0;
}
