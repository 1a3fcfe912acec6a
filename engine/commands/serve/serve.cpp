// `hone serve MODEL`: an OpenAI-compatible server for a policy of this machine.
#include <atomic>
#include <boost/asio/ip/address.hpp>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include "base/process.hpp"
#include "base/progress.hpp"
#include "base/quantity.hpp"
#include "commands/asked_policy.hpp"
#include "commands/command.hpp"
#include "commands/serve/server.hpp"
#include "run/interrupt.hpp"

namespace hone {
namespace {

using serve::Limits, serve::Served, serve::Server;

constexpr const char* key_variable = "HONE_SERVE_KEY";

// Anybody in the network may ask who listens elsewhere than on loopback.
std::string key_for(const std::string& host) {
    const char* const key = std::getenv(key_variable);
    boost::system::error_code e;
    const auto address = boost::asio::ip::make_address(host, e);
    if (!e && !address.is_loopback() && (!key || !*key))
        throw Error(Blame::usage, "serve", host + " is reached from other machines, and no key is set",
                    std::string("put a secret into the environment variable ") + key_variable +
                        ", which clients send as bearer token");
    return key ? key : "";
}

std::string name_of(const Arguments& arguments) {
    std::string path = arguments.at(0);
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    const std::string last = path.substr(path.rfind('/') + 1);
    return arguments.value("--name", last.ends_with(".gguf") ? last.substr(0, last.size() - 5) : last);
}

// An answer that says no max_tokens may take half of the model's context.
Served served_of(const Arguments& arguments, const Policy& policy) {
    const double context = policy.facts().value("context", 0.0);
    constexpr int absent = 1024;
    return {name_of(arguments), context > 1 ? static_cast<int>(context / 2) : absent};
}

Limits limits_of(const Arguments& arguments) {
    Limits limits;
    limits.requests = static_cast<std::size_t>(flag_whole(arguments, "serve", "--requests", 256, 1, 1 << 16));
    limits.connections = limits.requests + 1024;
    limits.body = static_cast<std::uint64_t>(flag_whole(arguments, "serve", "--max-body", 4 << 20, 1024, 1 << 30));
    limits.slow = flag_number(arguments, "serve", "--slow", 30, 0.1, 3600);
    return limits;
}

// Sampling that breaks off costs the requests under way, not the server. Of a model elsewhere that is a fault there: a
// refused key, an unknown model, a spent quota.
void sample(Policy& policy, Server& server, const std::function<void()>& pause) {
    serve::Exchanges& exchanges = server.exchanges();
    const bool is_remote = policy.facts().value("device", "") == "remote";
    const auto fail_all = [&](const std::string& reason, std::int32_t fault) {
        exchanges.fail_all(reason, is_remote ? HONE_FAULT_SERVER : fault);
        Progress::warn("serve: requests have failed: " + reason);
    };
    const auto next = [&](std::int32_t wait_ms, SampleRequest& out) { return exchanges.next(wait_ms, out); };
    const auto give = [&](Answer answer) { exchanges.give(std::move(answer)); };
    const auto piece = [&](std::uint64_t tag, std::uint32_t member, const std::string& text) {
        exchanges.piece(tag, member, text);
    };
    for (bool more = true; more;) {
        try {
            policy.sample(next, give, pause, piece);
            more = false;
        } catch (const PartBroken&) {
            throw;
        } catch (const Error& e) {
            if (e.blame() == Blame::interrupted) throw;
            fail_all(e.what(), e.blame() == Blame::input ? HONE_FAULT_REQUEST : HONE_FAULT_UNKNOWN);
        } catch (const PartFailed& e) {
            fail_all(e.what(), HONE_FAULT_UNKNOWN);
        }
    }
}

// Called between two decode steps. After Ctrl-C what is under way is answered, for at most `grace` seconds. Then the
// policy is told to stop (hone_host.stop): it would go on with what it has begun.
class Ending {
public:
    Ending(Server& server, double grace) : server_(server), grace_(grace) { set_stop_flag(&over_); }
    ~Ending() { set_stop_flag(nullptr); }
    Ending(const Ending&) = delete;
    void look() {
        if (!interrupt_flag()) return;
        if (begun_ == 0) {
            begun_ = monotonic_seconds();
            server_.refuse();
        }
        if (monotonic_seconds() - begun_ > grace_ && !server_.is_idle()) {
            over_ = true;
            throw Error(Blame::interrupted, "serve",
                        "interrupted: --grace is over, and requests under way are given up");
        }
        if (server_.is_idle()) server_.exchanges().close();
    }

private:
    Server& server_;
    double grace_, begun_ = 0;
    std::atomic<bool> over_{false};
};

void tell_address(const std::string& host, int port, const Served& served) {
    const bool has_key = std::getenv(key_variable);
    const std::string named = std::string(", key_env = \"") + key_variable + "\"";
    const std::string at = (host.find(':') == std::string::npos ? host : "[" + host + "]") + ":" + std::to_string(port);
    std::printf(
        "hone serves %s at http://%s/v1\n"
        "clients of OpenAI's API:  OPENAI_BASE_URL=http://%s/v1, any key%s\n"
        "scripts of hone:          run:policy(\"http\", { model = \"hone/%s\", base_url = \"http://%s/v1\"%s })\n"
        "Ctrl-C ends it\n",
        served.model.c_str(), at.c_str(), at.c_str(), has_key ? (std::string(" that is ") + key_variable).c_str() : "",
        served.model.c_str(), at.c_str(), has_key ? named.c_str() : "");
    std::fflush(stdout);
}

int run(const Arguments& arguments) {
    const std::string host = arguments.value("--host", "127.0.0.1"), key = key_for(host);
    const auto port = static_cast<int>(flag_whole(arguments, "serve", "--port", 8080, 0, 65535));
    const double grace = flag_number(arguments, "serve", "--grace", 30, 0, 86400);
    const Limits limits = limits_of(arguments);
    const InterruptGuard guard("what is under way is answered, then it ends");
    Policy policy(asked_policy(arguments, "serve"));  // loads the model
    const Served served = served_of(arguments, policy);
    Server server(host, port, key, served, limits);
    tell_address(host, server.port(), served);
    std::thread network([&] { server.run(); });
    Ending ending(server, grace);
    std::exception_ptr broken;
    try {
        sample(policy, server, [&] { ending.look(); });
    } catch (...) {
        broken = std::current_exception();
    }
    server.stop();
    network.join();
    if (broken) std::rethrow_exception(broken);
    return 0;
}

}  // namespace

Command serve_command() {
    return {
        "serve",
        "MODEL",
        "answer clients of OpenAI's API by a model of this machine",
        "MODEL: as `hone generate` takes it. Endpoints: POST /v1/chat/completions and /v1/completions, GET /v1/models, "
        "/health and /metrics (Prometheus). Requests of all clients are sampled together.\n"
        "Another host than loopback wants a key: the environment variable HONE_SERVE_KEY, which clients send as "
        "bearer token.",
        {{"--host", "ADDRESS", "to listen at (127.0.0.1)"},
         {"--port", "N", "to listen at (8080); 0: one that is free"},
         {"--name", "NAME", "of the model, as clients ask for it (the end of MODEL)"},
         {"--requests", "N", "at most so many under way; one more is answered by 429 (256)"},
         {"--max-body", "BYTES", "of a request (4194304)"},
         {"--slow", "SECONDS", "after which a client that does not send or read is given up (30)"},
         {"--grace", "SECONDS", "that requests under way have after Ctrl-C (30)"},
         {"--policy", "ID", "the policy that answers (torch-lm)"},
         {"--option", "NAME=VALUE", "an option of the policy, see `hone plugins ID`; may be repeated"}},
        run};
}

}  // namespace hone
