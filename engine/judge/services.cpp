#include "judge/services.hpp"
#include <cstdio>
#include <exception>
#include <memory>
#include "base/hash.hpp"
#include "judge/build.hpp"
#include "judge/jail.hpp"
#include "judge/shared_memory.hpp"

namespace hone {
namespace {

struct Services {  // of this process: a bench has one thread in parts
    std::set<std::string> without;
    std::unique_ptr<Builder> builder;
};

Services& services() {
    static Services only;
    return only;
}

// Plugins are C at this boundary: no exception may pass.
template <class Body> hone_rc guarded(Body&& body) noexcept {
    try {
        return body();
    } catch (const std::exception& e) {
        std::fprintf(stderr, "hone: %s\n", e.what());
        const auto* error = dynamic_cast<const Error*>(&e);
        return error && error->blame() == Blame::input ? HONE_REFUSED : HONE_BROKEN;
    }
}

void tell(hone_out* out, const char* key, const std::string& value) {
    if (out && !value.empty()) out->text(out->ctx, key, {value.data(), value.size()});
}

void tell(hone_out* out, const char* key, double value) {
    if (out) out->num(out->ctx, key, value);
}

hone_rc build(void*, const char* const* argv, const hone_file* files, std::uint32_t n, const char* product, hone_out* out) {
    return guarded([&] {
        BuildPlan plan;
        for (; *argv; ++argv) plan.argv.emplace_back(*argv);
        for (std::uint32_t i = 0; i < n; ++i)
            plan.files.emplace_back(std::string(files[i].name.at, files[i].name.len), std::string_view(files[i].bytes.at, files[i].bytes.len));
        if (product) plan.product = product;
        if (!services().builder) services().builder = std::make_unique<Builder>(services().without);
        const Built built = services().builder->build(plan);
        tell(out, "product", built.product);
        if (!built.product.empty()) tell(out, "hash", sha256(built.product));
        tell(out, "log", built.log);
        tell(out, "seconds", built.seconds);
        tell(out, "verdict", built.verdict);
        tell(out, "reason", built.reason);
        return HONE_OK;
    });
}

hone_rc share(void*, std::uint64_t bytes, std::int32_t writable, hone_region* out) {
    return guarded([&] {
        *out = share_memory(bytes, writable != 0, !services().without.contains("input-seal"));
        return HONE_OK;
    });
}

void unshare(void*, const hone_region* region) { unshare_memory(*region); }

hone_rc report(const Jail& jail, hone_out* end) {
    tell(end, "verdict", jail.end()->verdict);
    tell(end, "kind", jail.end()->kind);
    tell(end, "reason", jail.end()->reason);
    return HONE_FAILED;
}

hone_rc call(void* ctx, const hone_call* prepared) {
    return guarded([&] {
        static_cast<Jail*>(ctx)->call(*prepared);
        return HONE_OK;
    });
}

hone_rc wait(void* ctx, double seconds, hone_out* end) {
    return guarded([&] {
        auto* jail = static_cast<Jail*>(ctx);
        double inside = 0;
        if (!jail->wait(seconds, &inside)) return report(*jail, end);
        tell(end, "inside", inside);
        return hone_rc{HONE_OK};
    });
}

hone_rc hold(void* ctx, std::int32_t held) {
    return guarded([&] {
        static_cast<Jail*>(ctx)->hold(held != 0);
        return HONE_OK;
    });
}

void end(void* ctx) { delete static_cast<Jail*>(ctx); }

hone_rc jail(void*, const hone_jail_plan* plan, hone_jail* out, hone_out* why) {
    return guarded([&] {
        auto made = std::make_unique<Jail>(*plan, services().without);
        if (made->end()) return report(*made, why);
        *out = {};
        out->size = sizeof *out;
        out->call = call;
        out->wait = wait;
        out->hold = hold;
        out->end = end;
        out->ctx = made.release();
        return hone_rc{HONE_OK};
    });
}

}  // namespace

void offer_bench_services(const std::set<std::string>& without) {
    services().without = without;
    services().builder.reset();
    set_bench_services({nullptr, build, share, unshare, jail});
}

}  // namespace hone
