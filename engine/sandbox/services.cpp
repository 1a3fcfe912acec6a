#include "sandbox/services.hpp"
#include "base/hash.hpp"
#include "base/progress.hpp"
#include "sandbox/jail.hpp"
#include "sandbox/own_runner.hpp"
#include "sandbox/shared_memory.hpp"

namespace hone {
namespace {

HostServices& services(void* ctx) { return *static_cast<HostServices*>(ctx); }

void tell(hone_out* out, const char* key, const std::string& value) {
    if (out && !value.empty()) out->text(out->ctx, key, {value.data(), value.size()});
}

void tell(hone_out* out, const char* key, double value) {
    if (out) out->num(out->ctx, key, value);
}

hone_rc build(void* ctx, const char* const* argv, const hone_file* files, std::uint32_t n, const char* product,
              hone_out* out) {
    BuildPlan plan;
    for (; *argv; ++argv) plan.argv.emplace_back(*argv);
    for (std::uint32_t i = 0; i < n; ++i)
        plan.files.emplace_back(std::string(files[i].name.at, files[i].name.len),
                                std::string_view(files[i].bytes.at, files[i].bytes.len));
    if (product) plan.product = product;
    const Built built = services(ctx).builder().build(plan);
    tell(out, "product", built.product);
    if (!built.product.empty()) tell(out, "hash", sha256(built.product));
    tell(out, "log", built.log);
    tell(out, "seconds", built.seconds);
    tell(out, "verdict", built.verdict);
    tell(out, "reason", built.reason);
    return HONE_OK;
}

hone_rc share(void* ctx, std::uint64_t bytes, std::int32_t writable, hone_region* out) {
    *out = share_memory(bytes, writable != 0, !services(ctx).without().contains("input-seal"));
    return HONE_OK;
}

void unshare(void*, const hone_region* region) { unshare_memory(*region); }

hone_rc report(const JailEnd& ended, hone_out* end) {
    tell(end, "verdict", ended.verdict);
    tell(end, "kind", ended.kind);
    tell(end, "reason", ended.reason);
    return HONE_FAILED;
}

// A part calls these directly: no exception may pass.
template <class Process = Jail, class Body> hone_rc guarded(void* ctx, Body&& body) noexcept {
    try {
        return body(*static_cast<Process*>(ctx));
    } catch (const Error& e) {
        Progress::say(e.what());
        return e.blame() == Blame::input ? HONE_REFUSED : HONE_BROKEN;
    } catch (const std::exception& e) {
        Progress::say(e.what());
        return HONE_BROKEN;
    }
}

hone_rc call(void* ctx, const hone_call* prepared) {
    return guarded(ctx, [&](Jail& jail) {
        jail.call(*prepared);
        return HONE_OK;
    });
}

hone_rc wait(void* ctx, double seconds, hone_out* end) {
    return guarded(ctx, [&](Jail& jail) -> hone_rc {
        double inside = 0;
        if (!jail.wait(seconds, &inside)) return report(*jail.end(), end);
        tell(end, "inside", inside);
        return HONE_OK;
    });
}

hone_rc suspend(void* ctx, std::int32_t suspended) {
    return guarded(ctx, [&](Jail& jail) {
        jail.suspend(suspended != 0);
        return HONE_OK;
    });
}

void end(void* ctx) { delete static_cast<Jail*>(ctx); }

hone_rc tell_runner(void* ctx, const void* bytes, std::uint64_t n, const int* files, std::uint32_t n_files, void* reply,
                    std::uint64_t room, std::uint64_t* got, double seconds, hone_out* end) {
    return guarded<OwnRunner>(ctx, [&](OwnRunner& runner) -> hone_rc {
        const auto ended = runner.tell({static_cast<const char*>(bytes), n}, {files, n_files},
                                       {static_cast<char*>(reply), room}, *got, seconds);
        return ended ? report(*ended, end) : hone_rc{HONE_OK};
    });
}

hone_rc watch_runner(void* ctx, double, hone_out* end) {
    return guarded<OwnRunner>(ctx, [&](OwnRunner& runner) -> hone_rc {
        const auto ended = runner.watch();
        return ended ? report(*ended, end) : hone_rc{HONE_OK};
    });
}

hone_rc suspend_runner(void* ctx, std::int32_t suspended) {
    return guarded<OwnRunner>(ctx, [&](OwnRunner& runner) {
        runner.suspend(suspended != 0);
        return HONE_OK;
    });
}

hone_rc start_runner(HostServices& services, const hone_jail_plan& plan, hone_jail* out) {
    *out = {};
    out->size = sizeof *out;
    out->ctx = new OwnRunner(plan, services.without());
    out->tell = tell_runner;
    out->wait = watch_runner;
    out->suspend = suspend_runner;
    out->end = [](void* runner) { delete static_cast<OwnRunner*>(runner); };
    return HONE_OK;
}

hone_rc start_jail(void* ctx, const hone_jail_plan* plan, hone_jail* out, hone_out* why) {
    if (plan->runner) return start_runner(services(ctx), *plan, out);
    auto jail = std::make_unique<Jail>(*plan, services(ctx).without());
    if (jail->end()) return report(*jail->end(), why);
    *out = {};
    out->size = sizeof *out;
    const int pid = jail->pid();
    out->ctx = jail.release();
    out->call = call;
    out->wait = wait;
    out->suspend = suspend;
    out->end = end;
    out->pid = pid;
    return HONE_OK;
}

}  // namespace

BenchServices HostServices::offer() { return {this, build, share, unshare, start_jail}; }

Builder& HostServices::builder() {
    if (!builder_) builder_ = std::make_unique<Builder>(without_, build_seconds_);
    return *builder_;
}

}  // namespace hone
