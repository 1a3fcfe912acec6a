// Bodies of requests to `hone serve` (engine/commands/serve/request).
#include "commands/serve/request.hpp"
#include "property.hpp"

using hone::fuzz::hold;
using hone::fuzz::is_utf8;

namespace {

void check(const hone::serve::Asked& asked) {
    const hone::SampleRequest& request = asked.request;
    hold(!request.messages.empty() && request.group >= 1 && request.group <= 128, "somebody is asked something");
    for (const hone::Message& message : request.messages) hold(is_utf8(message.text), "a message is UTF-8");
    const hone::Sampling& by = request.sampling;
    hold(by.max_tokens >= 1 && by.top_k >= 0 && by.temperature >= 0 && by.top_p > 0 && by.top_p <= 1 && by.min_p >= 0 &&
             by.min_p <= 1 && by.stop.size() <= 4,
         "what is asked for can be sampled");
    for (const std::string& stop : by.stop) hold(!stop.empty(), "a stop text is not empty");
}

}  // namespace

// The first byte chooses the endpoint.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    if (size == 0) return 0;
    const hone::serve::Served served{"m", 64};
    try {
        check(hone::serve::read_request(std::string(hone::fuzz::view(bytes + 1, size - 1)), bytes[0] % 2 == 0, served));
    } catch (const hone::serve::ApiError& error) {
        hold(error.status == 400 || error.status == 404, "a wrong request is the client's fault");
        (void)hone::serve::error_body(error).dump(-1, ' ', false, hone::Json::error_handler_t::replace);
    }
    return 0;
}
