// A server on loopback that plays a script, so that a client can be tested against what real servers do. It speaks
// every protocol of policy.http, by the path of the request (provider_replies.hpp):
//   {"steps": [STEP...], "then": STEP}     steps in order of arrival, then the same for all further requests
//   STEP: {"status": 200, "headers": {"Retry-After": "1"}, "body": text or JSON, "delay": seconds before the answer,
//          "cut": bytes of the body after which the connection is cut, "together": n: wait until n requests are there
//          at once, "split": so many bytes at once, "drip": seconds after each of those, "before": text, and "filler":
//          bytes, in front of the body; of a stream: "events": its events, "between": text behind each}
// Without "body" a step answers as the protocol does, as a stream where the request asks for one; the model's text is
// the script's "text" or what `write` makes of the request.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>
#include "base/json.hpp"
#include "provider_replies.hpp"

namespace hone::test {

class ScriptedServer {
public:
    explicit ScriptedServer(const std::string& script = "{}",
                            std::function<std::string(const Json& request)> write = {});
    ScriptedServer(const ScriptedServer&) = delete;
    ~ScriptedServer();
    void play(const std::string& script);  // from now on, from its first step
    std::string base_url() const;          // "http://127.0.0.1:PORT/v1"
    std::vector<Json> requests()
        const;  // {target, authorization, x-api-key, x-goog-api-key, body}, in order of arrival
    int most_at_once() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace hone::test
