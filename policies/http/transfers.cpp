#include "transfers.hpp"
#include <curl/curl.h>
#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cmath>
#include <cstring>
#include <map>
#include <stdexcept>

namespace http {
namespace {

namespace asio = boost::asio;
using asio::posix::stream_descriptor;

struct EndMulti {
    void operator()(CURLM* m) const { curl_multi_cleanup(m); }
};
struct EndEasy {
    void operator()(CURL* e) const { curl_easy_cleanup(e); }
};
struct EndList {
    void operator()(curl_slist* l) const { curl_slist_free_all(l); }
};

// Up: nobody waits less than was asked.
std::chrono::milliseconds milliseconds(double seconds) {
    return std::chrono::milliseconds(static_cast<long>(std::ceil(seconds * 1000)));
}

// The number of a line "name: number"; 0 where it is another's, or holds none.
double number_of(std::string_view line, std::string_view name) {
    if (line.size() <= name.size() || strncasecmp(line.data(), name.data(), name.size()) != 0) return 0;
    const double told = std::strtod(std::string(line.substr(name.size())).c_str(), nullptr);
    return told >= 0 && std::isfinite(told) ? told : 0;
}

// libcurl reads whole seconds and dates; some providers send "retry-after: 1.5", or "retry-after-ms: 250" beside.
void read_header(std::string_view line, Reply& reply) {
    reply.retry_after =
        std::max({reply.retry_after, number_of(line, "retry-after:"), number_of(line, "retry-after-ms:") / 1000});
}

struct Transfer {
    Post post;
    std::function<void(Reply)> done;
    Reply reply;
    std::size_t received = 0;  // bytes of the body
    char error[CURL_ERROR_SIZE] = "";
    std::unique_ptr<curl_slist, EndList> headers;
    std::unique_ptr<CURL, EndEasy> easy;

    static std::size_t on_body(char* at, std::size_t, std::size_t n, void* self) {
        Transfer& t = *static_cast<Transfer*>(self);
        if (t.received == 0) t.reply.streamed = t.post.on_events && t.is_stream({at, n});
        if ((t.received += n) > t.post.max_bytes) {
            t.reply.error = "the answer is longer than " + std::to_string(t.post.max_bytes) + " bytes";
            t.reply.too_long = true;
            return 0;
        }
        constexpr std::size_t kept_of_stream = 400;  // for the text of an error
        t.reply.body.append(
            at, t.reply.streamed ? std::min(n, kept_of_stream - std::min(kept_of_stream, t.reply.body.size())) : n);
        if (t.reply.streamed) t.post.on_events({at, n});  // throws nothing: libcurl is in between
        return n;
    }
    // By its type, or where a server tells none or another, by how events begin.
    bool is_stream(std::string_view begin) const {
        const char* type = nullptr;
        long status = 0;
        curl_easy_getinfo(easy.get(), CURLINFO_CONTENT_TYPE, &type);
        curl_easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &status);
        constexpr std::string_view events = "text/event-stream";
        if (status < 200 || status >= 300) return false;
        if (type && strncasecmp(type, events.data(), events.size()) == 0) return true;
        return begin.starts_with("data:") || begin.starts_with("event:");
    }
    static std::size_t on_header(char* at, std::size_t, std::size_t n, void* self) {
        read_header({at, n}, static_cast<Transfer*>(self)->reply);
        return n;
    }
    void prepare() {
        curl_slist* list = nullptr;
        for (const std::string& header : post.headers) list = curl_slist_append(list, header.c_str());
        headers.reset(list);
        easy.reset(curl_easy_init());
        const auto set = [&](CURLoption option, auto value) { curl_easy_setopt(easy.get(), option, value); };
        set(CURLOPT_URL, post.url.c_str());
        if (!post.body.empty()) {
            set(CURLOPT_POSTFIELDS, post.body.c_str());
            set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(post.body.size()));
        }
        set(CURLOPT_HTTPHEADER, list);
        set(CURLOPT_PROTOCOLS_STR, "http,https");
        set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
        set(CURLOPT_ACCEPT_ENCODING, "");
        set(CURLOPT_NOSIGNAL, 1L);
        set(CURLOPT_TCP_KEEPALIVE, 1L);
        set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(post.connect * 1000));
        set(CURLOPT_TIMEOUT_MS, static_cast<long>(post.total * 1000) + 1);
        set(CURLOPT_LOW_SPEED_LIMIT, 1L);
        set(CURLOPT_LOW_SPEED_TIME, static_cast<long>(post.silence) + 1);
        if (post.direct) set(CURLOPT_NOPROXY, "*");
        if (!post.ca_file.empty()) set(CURLOPT_CAINFO, post.ca_file.c_str());
        set(CURLOPT_WRITEFUNCTION, &on_body);
        set(CURLOPT_WRITEDATA, this);
        set(CURLOPT_HEADERFUNCTION, &on_header);
        set(CURLOPT_HEADERDATA, this);
        set(CURLOPT_ERRORBUFFER, error);
        set(CURLOPT_PRIVATE, this);
    }
    void conclude(CURLcode code) {
        curl_easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &reply.status);
        curl_off_t seconds = 0;
        curl_easy_getinfo(easy.get(), CURLINFO_RETRY_AFTER, &seconds);
        reply.retry_after = std::max(reply.retry_after, static_cast<double>(seconds));
        char* location = nullptr;
        curl_easy_getinfo(easy.get(), CURLINFO_REDIRECT_URL, &location);
        if (location) reply.location = location;
        if (code == CURLE_OK) return;
        curl_off_t connected = 0;  // microseconds until a request could be sent; 0: it never could
        curl_easy_getinfo(easy.get(), CURLINFO_PRETRANSFER_TIME_T, &connected);
        reply.unsent = code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST ||
                       (code == CURLE_OPERATION_TIMEDOUT && connected == 0);
        reply.untrusted = code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE;
        reply.cut_off = connected > 0 && !reply.unsent;
        reply.timed_out = code == CURLE_OPERATION_TIMEDOUT && reply.cut_off;
        if (reply.error.empty()) reply.error = error[0] ? error : curl_easy_strerror(code);
        reply.status = 0;
    }
};

// A descriptor that curl owns. It is released, never closed, here; pending waits keep the object alive.
struct Socket {
    Socket(asio::io_context& io, curl_socket_t fd) : descriptor(io, fd) {}
    stream_descriptor descriptor;
    int wanted = 0;
    bool waiting_in = false, waiting_out = false;
};

}  // namespace

struct Transfers::State {
    asio::io_context io;
    asio::steady_timer timer{io};
    unsigned timer_number = 0;  // a late timer is known by its number
    std::map<curl_socket_t, std::shared_ptr<Socket>> sockets;
    std::map<CURL*, std::unique_ptr<Transfer>> transfers;
    // of timers made by after(); cancel() makes older ones void
    unsigned generation = 0;
    std::unique_ptr<CURLM, EndMulti> multi;

    State() : multi(curl_multi_init()) {
        const auto set = [&](CURLMoption option, auto value) { curl_multi_setopt(multi.get(), option, value); };
        set(CURLMOPT_SOCKETFUNCTION, &on_socket);
        set(CURLMOPT_SOCKETDATA, this);
        set(CURLMOPT_TIMERFUNCTION, &on_timer);
        set(CURLMOPT_TIMERDATA, this);
    }
    ~State() { cancel(); }

    static int on_socket(CURL*, curl_socket_t fd, int what, void* self, void*) {
        State& s = *static_cast<State*>(self);
        const auto found = s.sockets.find(fd);
        if (what == CURL_POLL_REMOVE) {
            if (found == s.sockets.end()) return 0;
            found->second->descriptor.release();
            s.sockets.erase(found);
            return 0;
        }
        auto socket = found != s.sockets.end()
                          ? found->second
                          : s.sockets.emplace(fd, std::make_shared<Socket>(s.io, fd)).first->second;
        socket->wanted = what;
        s.arm(fd, socket);
        return 0;
    }

    static int on_timer(CURLM*, long wait_ms, void* self) {
        State& s = *static_cast<State*>(self);
        const unsigned number = ++s.timer_number;
        if (wait_ms < 0) return s.timer.cancel(), 0;
        // also for 0: curl must not be called from its own callback
        s.timer.expires_after(std::chrono::milliseconds(wait_ms));
        s.timer.async_wait([&s, number](const boost::system::error_code& e) {
            if (!e && number == s.timer_number) s.act(CURL_SOCKET_TIMEOUT, 0);
        });
        return 0;
    }

    void arm(curl_socket_t fd, const std::shared_ptr<Socket>& socket) {
        if ((socket->wanted & CURL_POLL_IN) && !socket->waiting_in)
            wait(fd, socket, stream_descriptor::wait_read, &Socket::waiting_in, CURL_CSELECT_IN);
        if ((socket->wanted & CURL_POLL_OUT) && !socket->waiting_out)
            wait(fd, socket, stream_descriptor::wait_write, &Socket::waiting_out, CURL_CSELECT_OUT);
    }

    void wait(curl_socket_t fd, const std::shared_ptr<Socket>& socket, stream_descriptor::wait_type type,
              bool Socket::*waiting, int event) {
        (*socket).*waiting = true;
        socket->descriptor.async_wait(type, [this, fd, socket, waiting, event](const boost::system::error_code& e) {
            (*socket).*waiting = false;
            if (!holds(fd, socket)) return;
            act(fd, e ? CURL_CSELECT_ERR : event);
            if (holds(fd, socket)) arm(fd, socket);
        });
    }

    bool holds(curl_socket_t fd, const std::shared_ptr<Socket>& socket) const {
        const auto found = sockets.find(fd);
        return found != sockets.end() && found->second == socket;
    }

    void act(curl_socket_t fd, int events) {
        int running = 0;
        curl_multi_socket_action(multi.get(), fd, events, &running);
        drain();
    }

    void drain() {
        int left = 0;
        while (const CURLMsg* message = curl_multi_info_read(multi.get(), &left)) {
            if (message->msg != CURLMSG_DONE) continue;
            const CURLcode code = message->data.result;
            auto node = transfers.extract(message->easy_handle);
            curl_multi_remove_handle(multi.get(), node.key());
            node.mapped()->conclude(code);
            // called later, from no callback of curl's
            asio::post(io, [transfer = std::shared_ptr<Transfer>(std::move(node.mapped())), now = generation, this] {
                if (now == generation) transfer->done(std::move(transfer->reply));
            });
        }
    }

    void cancel() {
        ++generation;
        for (auto& [easy, transfer] : transfers) curl_multi_remove_handle(multi.get(), easy);
        transfers.clear();
    }
};

Transfers::Transfers() {
    static const CURLcode once = curl_global_init(CURL_GLOBAL_DEFAULT);
    if (once != CURLE_OK) throw std::runtime_error(curl_easy_strerror(once));
    state_ = std::make_unique<State>();
}

Transfers::~Transfers() = default;

void Transfers::post(Post post, std::function<void(Reply)> done) {
    auto transfer = std::make_unique<Transfer>();
    transfer->post = std::move(post);
    transfer->done = std::move(done);
    transfer->prepare();
    CURL* easy = transfer->easy.get();
    state_->transfers.emplace(easy, std::move(transfer));
    curl_multi_add_handle(state_->multi.get(), easy);
}

void Transfers::after(double seconds, std::function<void()> then) {
    auto timer = std::make_shared<asio::steady_timer>(state_->io, milliseconds(seconds));
    timer->async_wait([timer, then = std::move(then), now = state_->generation,
                       state = state_.get()](const boost::system::error_code& e) {
        if (!e && now == state->generation) then();
    });
}

void Transfers::run_for(double seconds) {
    const auto waits = asio::make_work_guard(state_->io);  // also where nothing is under way: else callers would spin
    state_->io.restart();
    state_->io.run_one_for(milliseconds(seconds));
    state_->io.poll();
}

void Transfers::cancel() { state_->cancel(); }

}  // namespace http
