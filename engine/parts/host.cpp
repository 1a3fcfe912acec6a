#include "parts/host.hpp"
#include "base/progress.hpp"
#include "parts/handle.hpp"
#include "parts/lending.hpp"

namespace hone {

namespace {

BenchServices services;
const std::atomic<bool>* stop_flag = nullptr;
std::uint64_t jails = 0, builds = 0;

// What lies at a path, or null: then the key may be misspelt. asked: "num" or "text", what is wanted of it.
const Json* find(const hone_doc* doc, const char* path, const char* asked = nullptr) {
    if (!doc) return note_null("asks a null document; ask one that the call was given"), nullptr;
    if (!path) return note_null("asks a document for a null path; name a key"), nullptr;
    const Json& tree = *reinterpret_cast<const Json*>(doc);
    const Json* const found = find_path(tree, path);
    if (!found) note_miss(tree, path);
    else if (asked) note_other_kind(tree, path, *found, asked);
    return found;
}

double doc_num(const hone_doc* doc, const char* path, double absent) {
    const Json* value = find(doc, path, "num");
    if (value && value->is_boolean()) return value->get<bool>();
    return value && value->is_number() ? value->get<double>() : absent;
}

hone_text doc_text(const hone_doc* doc, const char* path) {
    const Json* value = find(doc, path, "text");
    if (!value || !value->is_string()) return {nullptr, 0};
    const std::string& text = value->get_ref<const std::string&>();
    return {text.data(), text.size()};
}

int64_t doc_count(const hone_doc* doc, const char* path) {
    const Json* value = find(doc, path);
    return value && value->is_structured() ? static_cast<int64_t>(value->size()) : -1;
}

void log(void* ctx, int32_t level, const char* text) {
    if (level > 0) Progress::say(static_cast<PartHost*>(ctx)->name() + ": " + (text ? text : ""));
}

int32_t stop(void*) { return stop_flag && stop_flag->load(std::memory_order_relaxed); }

// A service of the bench, called from a part: what it throws must not cross the part's frames.
template <class Call> hone_rc serve(void* ctx, Call&& call) noexcept {
    PartHost& host = *static_cast<PartHost*>(ctx);
    try {
        host.service_failed("");
        return call();
    } catch (const PartFailed& e) {
        return host.service_failed(e.what()), HONE_FAILED;
    } catch (const Error& e) {
        return host.service_failed(e.what()), e.blame() == Blame::input ? HONE_REFUSED : HONE_BROKEN;
    } catch (const std::exception& e) {
        return host.service_failed(e.what()), HONE_BROKEN;
    }
}

hone_rc build(void* ctx, const char* const* argv, const hone_file* files, uint32_t n, const char* product,
              hone_out* out) {
    ++builds;
    return serve(ctx, [&] { return services.build(services.ctx, argv, files, n, product, out); });
}

hone_rc share(void* ctx, uint64_t bytes, int32_t writable, hone_region* out) {
    return serve(ctx, [&] { return services.share(services.ctx, bytes, writable, out); });
}

void unshare(void* ctx, const hone_region* region) {
    serve(ctx, [&] { return services.unshare(services.ctx, region), HONE_OK; });
}

hone_rc jail(void* ctx, const hone_jail_plan* plan, hone_jail* out, hone_out* end) {
    ++jails;
    return serve(ctx, [&] { return services.jail(services.ctx, plan, out, end); });
}

}  // namespace

const hone_doc* as_doc(const Json& json) { return reinterpret_cast<const hone_doc*>(&json); }

Collect::Collect() {
    out_.ctx = &json_;
    out_.num = [](void* ctx, const char* key, double value) {
        if (!key) return note_null("fills in a null key; name it");
        (*static_cast<Json*>(ctx))[key] = value;
    };
    out_.text = [](void* ctx, const char* key, hone_text value) {
        if (!key) return note_null("fills in a null key; name it");
        (*static_cast<Json*>(ctx))[key] = value.at    ? Json(std::string(value.at, value.len))
                                          : value.len ? Json()
                                                      : Json("");  // null: of no type
    };
}

void set_bench_services(const BenchServices& offered) { services = offered; }
std::uint64_t jails_started() { return jails; }
std::uint64_t builds_started() { return builds; }
void set_stop_flag(const std::atomic<bool>* flag) { stop_flag = flag; }

PartHost::PartHost(std::string name) : name_(std::move(name)) {
    functions_ = {sizeof functions_,
                  this,
                  [](void* ctx, hone_rc code, const char* text) {
                      return static_cast<PartHost*>(ctx)->fail(code, text ? text : "");
                  },
                  log,
                  stop,
                  doc_num,
                  doc_text,
                  doc_count,
                  left,
                  reserve,
                  settle};
    functions_.waits = set_waits;
    if (services.build) functions_.build = build;
    if (services.share) functions_.share = share;
    if (services.unshare) functions_.unshare = unshare;
    if (services.jail) functions_.jail = jail;
}

double PartHost::left(void* ctx) {
    const PartHost& host = *static_cast<PartHost*>(ctx);
    return host.budget_ ? host.budget_->left() : std::numeric_limits<double>::infinity();
}

hone_rc PartHost::reserve(void* ctx, double usd) {
    PartHost& host = *static_cast<PartHost*>(ctx);
    if (!host.budget_) return HONE_OK;
    const Budget::Reserved got = host.budget_->reserve(usd);
    return got == Budget::Reserved::yes ? HONE_OK : got == Budget::Reserved::not_now ? HONE_FAILED : HONE_REFUSED;
}

void PartHost::settle(void* ctx, double reserved, double paid, int32_t maybe) {
    PartHost& host = *static_cast<PartHost*>(ctx);
    host.settles_ = true;
    if (host.budget_) host.budget_->settle(reserved, paid, maybe != 0);
}

void PartHost::set_waits(void* ctx, const char* text) {
    PartHost& host = *static_cast<PartHost*>(ctx);
    const std::lock_guard lock(host.saying_);
    host.waits_ = text ? text : "";
}

std::string PartHost::waits() const {
    const std::lock_guard lock(saying_);
    return waits_;
}

hone_rc PartHost::fail(hone_rc code, std::string text) {
    error_ = std::move(text);
    if (!service_error_.empty()) error_ += (error_.empty() ? "" : ": ") + std::exchange(service_error_, {});
    return code;
}

std::string PartHost::take_error() {
    if (error_.empty()) return std::exchange(service_error_, {});
    service_error_.clear();
    return std::exchange(error_, {});
}

}  // namespace hone
