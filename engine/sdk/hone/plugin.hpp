// hone/plugin.hpp: the author's side of hone/abi.h (C++20). Write a class, name it once, and it is a part:
//
//     struct Stopwatch : hone::TimerPart {
//         Stopwatch(hone::Host host, hone::Doc options);  // throw hone::Refused for a bad option
//         void attach(const hone_device& device) override;
//         hone_sample time(const hone_run& run) override;
//         void facts(hone::Out out) override;             // what is left out is not offered
//         static constexpr hone_option options[] = {{"repeat", "int", "3", "1..100", "calls a sample"}, {}};
//     };
//     HONE_TIMER(Stopwatch, "stopwatch", "1.0", "one line of summary", "cpu", "s")
//
// Exceptions stop here: Refused, Failed and Broken become the codes of part.h, anything else Broken with its text.
#pragma once
#include <cmath>
#include <cstring>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include "hone/abi.h"

namespace hone {

struct Refused : std::runtime_error {
    using std::runtime_error::runtime_error;
};  // the call or an option was wrong
struct Failed : std::runtime_error {
    using std::runtime_error::runtime_error;
};  // this item only; the run goes on
struct Broken : std::runtime_error {
    using std::runtime_error::runtime_error;
};  // this object is of no further use

inline std::string_view view(hone_text t) { return t.len ? std::string_view(t.at, t.len) : std::string_view(); }
inline std::string text(hone_text t) { return std::string(view(t)); }
inline hone_text borrow(std::string_view s) { return {s.data(), s.size()}; }

// A flat record to fill. Borrowed: valid during the call that received it.
class Out {
public:
    explicit Out(const hone_out* out) : out_(out) {}
    void num(const std::string& key, double value) const {
        if (out_) out_->num(out_->ctx, key.c_str(), value);
    }
    void text(const std::string& key, std::string_view value) const {
        if (out_) out_->text(out_->ctx, key.c_str(), borrow(value));
    }
    const hone_out* raw() const { return out_; }

private:
    const hone_out* out_;
};

// A read-only tree with dotted paths ("inputs.0.name"). Borrowed like the hone_doc behind it.
class Doc {
public:
    Doc(const hone_host* host, const hone_doc* doc) : host_(host), doc_(doc) {}
    double num(const std::string& path, double absent = NAN) const {
        return doc_ ? host_->num(doc_, path.c_str(), absent) : absent;
    }
    long integer(const std::string& path, long absent = 0) const {
        return static_cast<long>(num(path, static_cast<double>(absent)));
    }
    bool flag(const std::string& path) const { return num(path, 0) != 0; }
    std::string text(const std::string& path) const {
        return doc_ ? hone::text(host_->text(doc_, path.c_str())) : std::string();
    }
    long count(const std::string& path) const {
        return doc_ ? static_cast<long>(host_->count(doc_, path.c_str())) : -1;
    }
    const hone_doc* raw() const { return doc_; }

private:
    const hone_host* host_;
    const hone_doc* doc_;
};

// Several of them: the judgements of a group, exemplars. Borrowed likewise.
class Docs {
public:
    Docs(const hone_host* host, const hone_doc* const* docs, uint32_t n) : host_(host), docs_(docs), n_(n) {}
    uint32_t size() const { return n_; }
    Doc operator[](uint32_t i) const { return {host_, docs_[i]}; }

private:
    const hone_host* host_;
    const hone_doc* const* docs_;
    uint32_t n_;
};

// The services of the process that loaded the part. Copyable; lives as long as the part.
class Host {
public:
    explicit Host(const hone_host* host) : host_(host) {}
    void log(int level, const std::string& text) const { host_->log(host_->ctx, level, text.c_str()); }  // any thread
    bool stop() const { return host_->stop(host_->ctx) != 0; }                                           // any thread
    double left() const { return host_->left(host_->ctx); }                        // US dollars; infinity: no cap
    hone_rc reserve(double usd) const { return host_->reserve(host_->ctx, usd); }  // FAILED: not now, REFUSED: never
    void settle(double reserved, double paid, bool maybe = false) const {
        host_->settle(host_->ctx, reserved, paid, maybe);
    }
    void waits(const std::string& text) const {  // any thread
        if (offers(offsetof(hone_host, waits)) && host_->waits) host_->waits(host_->ctx, text.c_str());
    }
    Doc doc(const hone_doc* doc) const { return {host_, doc}; }
    const hone_host* raw() const { return host_; }
    // true if this host is new enough to offer the service and does so in this process
    bool builds() const { return offers(offsetof(hone_host, build)) && host_->build; }
    bool jails() const { return offers(offsetof(hone_host, jail)) && host_->jail; }
    void check(hone_rc rc, const char* what) const {  // for calls into the host whose text was already told
        if (rc == HONE_REFUSED) throw Refused(what);
        if (rc == HONE_FAILED) throw Failed(what);
        if (rc == HONE_BROKEN) throw Broken(what);
    }

private:
    bool offers(size_t offset) const { return host_->size > offset; }
    const hone_host* host_;
};

namespace detail {
template <class Body> hone_rc guarded(const hone_host* host, Body&& body) noexcept {
    try {
        body();
        return HONE_OK;
    } catch (const Refused& e) {
        return host->fail(host->ctx, HONE_REFUSED, e.what());
    } catch (const Failed& e) {
        return host->fail(host->ctx, HONE_FAILED, e.what());
    } catch (const std::exception& e) {
        return host->fail(host->ctx, HONE_BROKEN, e.what());
    } catch (...) {
        return host->fail(host->ctx, HONE_BROKEN, "threw something that is no std::exception");
    }
}
// What create hands out: the author's object and the host to blame errors on. Subjects and programs are wrapped the
// same way.
template <class T> struct Held {
    const hone_host* host;
    T object;
};
template <class T> Held<T>* held(void* self) { return static_cast<Held<T>*>(self); }
template <class T, class Body> hone_rc on(void* self, Body&& body) noexcept {
    return guarded(held<T>(self)->host, [&] { body(held<T>(self)->object); });
}
template <class T> hone_rc create(const hone_host* host, const hone_doc* options, void** self) noexcept {
    return guarded(host, [&] { *self = new Held<T>{host, T(Host(host), Doc(host, options))}; });
}
template <class T> void destroy(void* self) noexcept { delete held<T>(self); }
// Two classes with the name "options": whoever derives from both cannot say which. So a class has the name, public or
// not, where its own and this one clash.
struct NamesOptions {
    int options;
};
template <class T> struct BothOptions : T, NamesOptions {};
template <class T> constexpr bool names_options() {
    if constexpr (std::is_final_v<T>) return requires {
            T::options;
        };
    else return !requires {
            &BothOptions<T>::options;
        };
}
template <class T> constexpr const hone_option* options() {
    static_assert(
        !names_options<T>() || requires { T::options; }, "`options` is not public: hone would not see it");
    if constexpr (requires { T::options; }) {
        static_assert(std::end(T::options)[-1].name == nullptr, "the table of options ends with {}");
        return T::options;
    } else {
        return nullptr;
    }
}
}  // namespace detail
}  // namespace hone

#ifdef __clang__
#define HONE_BUILT_WITH __VERSION__  // "Clang 14.0.6"
#else
#define HONE_BUILT_WITH "GCC " __VERSION__
#endif
#define HONE_PART(Class, interface_name, id, version, summary, functions_, extensions_) \
    extern "C" const hone_part hone_part_entry = {sizeof(hone_part),                    \
                                                  HONE_MAJOR,                           \
                                                  HONE_MINOR,                           \
                                                  interface_name,                       \
                                                  id,                                   \
                                                  version,                              \
                                                  summary,                              \
                                                  HONE_BUILT_WITH,                      \
                                                  hone::detail::options<Class>(),       \
                                                  hone::detail::create<Class>,          \
                                                  hone::detail::destroy<Class>,         \
                                                  functions_,                           \
                                                  extensions_};

#include "hone/detail/bench_parts.hpp"
#include "hone/detail/engine_parts.hpp"
#include "hone/detail/verifier.hpp"

#define HONE_TIMER(Class, id, version, summary, kinds, unit)                              \
    static constexpr hone_timer hone_functions = hone::detail::timer<Class>(kinds, unit); \
    HONE_PART(Class, "hone.timer/1", id, version, summary, &hone_functions, nullptr)
#define HONE_PLAIN_(Class, name, id, version, summary)                  \
    static constexpr auto hone_functions = hone::detail::name<Class>(); \
    HONE_PART(Class, "hone." #name "/1", id, version, summary, &hone_functions, nullptr)
#define HONE_EXTENDED_(Class, name, id, version, summary)                             \
    static constexpr auto hone_functions = hone::detail::name<Class>();               \
    static constexpr auto hone_extensions = hone::detail::name##_extensions<Class>(); \
    HONE_PART(Class, "hone." #name "/1", id, version, summary, &hone_functions, hone_extensions.list.data())
#define HONE_SHAPER(Class, id, version, summary) HONE_PLAIN_(Class, shaper, id, version, summary)
#define HONE_PROMPT(Class, id, version, summary) HONE_PLAIN_(Class, prompt, id, version, summary)
#define HONE_REFERENCE(Class, id, version, summary) HONE_PLAIN_(Class, reference, id, version, summary)
#define HONE_VERIFIER(Class, id, version, summary) HONE_EXTENDED_(Class, verifier, id, version, summary)
#define HONE_POLICY(Class, id, version, summary) HONE_EXTENDED_(Class, policy, id, version, summary)
