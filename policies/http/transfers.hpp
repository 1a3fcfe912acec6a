// policies/http/transfers.hpp: many HTTP requests at once on one thread: libcurl's multi interface, driven by
// Boost.Asio.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace http {

struct Post {
    std::string url, body;  // without a body it is a GET
    std::vector<std::string> headers;
    double connect, silence, total;  // seconds: to connect, without a byte, altogether
    std::size_t max_bytes;           // of the answer's body
    std::string ca_file;             // "": the machine's own certificates
    // Bytes of a stream of events (text/event-stream, status 2xx), as they come; null: they are kept in the body.
    std::function<void(std::string_view)> on_events{};
    // Past the environment's proxies (http_proxy): to a server of this machine keys travel unencrypted.
    bool direct = false;
};

struct Reply {
    long status = 0;   // 0: no answer, see error
    std::string body;  // of a stream of events its beginning alone
    bool streamed = false;
    std::string error;       // why there is none, or why it was cut off
    bool too_long = false;   // more than max_bytes
    bool unsent = false;     // nobody was there to be asked: nothing was billed
    bool untrusted = false;  // by its certificate: nothing was sent
    bool cut_off = false;    // after it was sent: it may have been billed
    bool timed_out = false;  // what cut it off
    double retry_after = 0;  // seconds that the server asked to wait, 0 if it did not
    std::string location;    // where a redirect leads; it is not followed, because the key would go along
};

class Transfers {
public:
    Transfers();
    Transfers(const Transfers&) = delete;
    ~Transfers();  // cuts off what is under way; nothing is called back
    // `done` is called from run_for.
    void post(Post, std::function<void(Reply)> done);
    void after(double seconds, std::function<void()> then);
    // Handles events until some were handled or the time is up. What a callback throws comes out here.
    void run_for(double seconds);
    void cancel();  // forgets all transfers and timers

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace http
