// A server of chat completions on loopback that plays a script, so that a client can be tested against what real
// servers do:
//   {"steps": [STEP...], "then": STEP}     steps in order of arrival, then the same for all further requests
//   STEP: {"status": 200, "headers": {"Retry-After": "1"}, "body": text or JSON, "delay": seconds before the answer,
//          "cut": bytes of the body after which the connection is cut, "together": n: wait until n requests are there
//          at once}
// Without "body" a step answers as a completion; its text is the script's "text" or what `write` makes of the request.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>
#include "base/json.hpp"

namespace hone::test {

Json completion(const std::string& text, int count = 1);  // as a server gives it, with usage 10 in, 5 out

class ScriptedServer {
public:
    explicit ScriptedServer(const std::string& script = "{}",
                            std::function<std::string(const Json& request)> write = {});
    ScriptedServer(const ScriptedServer&) = delete;
    ~ScriptedServer();
    void play(const std::string& script);  // from now on, from its first step
    std::string base_url() const;          // "http://127.0.0.1:PORT/v1"
    std::vector<Json> requests() const;    // {target, authorization, body}, in order of arrival
    int most_at_once() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace hone::test
