// hone/detail/verifier.hpp: a verifier's table of C functions and those of its extensions, made from an author's class.
#pragma once
#include "hone/detail/overrides.hpp"
#include "hone/verifier.hpp"

namespace hone::detail {

// The functions of hone/checks.h by their names, with references for pointers.
template <class T>
inline constexpr hone_checks checks_of = {
    sizeof(hone_checks),
    [](void* s, uint64_t to, uint64_t from, uint64_t n) { return on<T>(s, [&](T& t) { t.copy(to, from, n); }); },
    [](void* s, uint64_t a, uint64_t b, uint64_t n, uint64_t count) {
        return on<T>(s, [&](T& t) { t.differ(a, b, n, count); });
    },
    [](void* s, uint64_t at, uint64_t n, uint32_t word, uint64_t count) {
        return on<T>(s, [&](T& t) { t.strays(at, n, word, count); });
    },
    [](void* s, const hone_tensor* from, uint64_t to) { return on<T>(s, [&](T& t) { t.widen(*from, to); }); },
    [](void* s, const hone_tensor* answer, uint64_t truth, uint64_t moments) {
        return on<T>(s, [&](T& t) { t.moments(*answer, truth, moments); });
    },
    [](void* s, uint64_t truth, uint64_t n, uint64_t row, double usual, double roundoff, uint64_t scale) {
        return on<T>(s, [&](T& t) { t.local_scale(truth, n, row, usual, roundoff, scale); });
    },
    [](void* s, const hone_tensor* got, const hone_comparison* with, uint64_t errors) {
        return on<T>(s, [&](T& t) { t.compare(*got, *with, errors); });
    }};

template <class T> constexpr hone_verifier verifier() {
    using Subject = typename T::Subject;
    static_assert(std::is_base_of_v<VerifierPart, T> && std::is_base_of_v<LoadedCandidate, Subject>,
                  "derive the class from hone::VerifierPart and its Subject from hone::LoadedCandidate");
    hone_verifier f{};
    f.size = sizeof f;
    f.brief = [](void* s, const hone_doc* task, hone_out* out) {
        const hone_host* host = held<T>(s)->host;
        return on<T>(s, [&](T& t) { t.brief(Doc(host, task), Out(out)); });
    };
    f.device = [](void* s, hone_device* out) { return on<T>(s, [&](T& t) { *out = t.device(); }); };
    f.open = [](void* s, const hone_doc* task, const hone_doc* candidate, void** subject, hone_out* facts) {
        const hone_host* host = held<T>(s)->host;
        return on<T>(s, [&](T& t) {
            auto made = t.open(Doc(host, task), Doc(host, candidate), Out(facts));
            *subject = made ? new Loaded<Subject>{host, std::move(made)} : nullptr;
        });
    };
    f.close = [](void* p) { delete held<std::unique_ptr<Subject>>(p); };
    f.launch = [](void* p, const hone_call* call) {
        return on_loaded<Subject>(p, [&](Subject& x) { x.launch(*call); });
    };
    f.wait = [](void* p, double seconds, double* inside, hone_out* end) {
        bool fine = true;
        const hone_rc rc = on_loaded<Subject>(p, [&](Subject& x) { fine = x.wait(seconds, *inside, Out(end)); });
        return rc != HONE_OK || fine ? rc : static_cast<hone_rc>(HONE_FAILED);
    };
    f.reserve = [](void* s, uint64_t bytes, int32_t w, uint64_t* at) {
        return on<T>(s, [&](T& t) { *at = t.reserve(bytes, w); });
    };
    f.release = [](void* s, uint64_t at) { return on<T>(s, [&](T& t) { t.release(at); }); };
    f.write = [](void* s, uint64_t at, const void* from, uint64_t n) {
        return on<T>(s, [&](T& t) { t.write(at, from, n); });
    };
    f.read = [](void* s, uint64_t at, void* to, uint64_t n) { return on<T>(s, [&](T& t) { t.read(at, to, n); }); };
    f.checks = &checks_of<T>;
    if constexpr (HONE_OVERRIDES(T, VerifierPart, facts))
        f.facts = [](void* s, hone_out* out) { return on<T>(s, [&](T& t) { t.facts(Out(out)); }); };
    if constexpr (requires { T::takes; }) f.takes = T::takes;
    return f;
}

template <class T>
inline constexpr hone_device_data device_data_of = {
    sizeof(hone_device_data),
    [](void* s, const hone_tensor* x, uint64_t key, uint32_t number, int32_t law, float scale, float shift) {
        return on<T>(s, [&](T& t) { t.fill(*x, key, number, law, scale, shift); });
    },
    [](void* s, const hone_tensor* x, const int64_t* index, uint32_t n, double* to) {
        return on<T>(s, [&](T& t) { t.gather(*x, index, n, to); });
    },
    [](void* s, uint64_t at, uint64_t bytes, uint32_t word) {
        return on<T>(s, [&](T& t) { t.set(at, bytes, word); });
    }};

template <class Subject> constexpr hone_timing timing() {
    hone_timing f{};
    f.size = sizeof f;
    if constexpr (HONE_OVERRIDES(Subject, LoadedCandidate, suspend))
        f.suspend = [](void* p, int32_t suspended) {
            return on_loaded<Subject>(p, [&](Subject& x) { x.suspend(suspended != 0); });
        };
    if constexpr (HONE_OVERRIDES(Subject, LoadedCandidate, null_call))
        f.null_call = [](void* p) { return on_loaded<Subject>(p, [](Subject& x) { x.null_call(); }); };
    if constexpr (HONE_OVERRIDES(Subject, LoadedCandidate, prepare))
        f.prepare = [](void* p, const hone_call* call) {
            return on_loaded<Subject>(p, [&](Subject& x) { x.prepare(*call); });
        };
    if constexpr (HONE_OVERRIDES(Subject, LoadedCandidate, recorded))
        f.recorded = [](void* p, double* seconds) {
            return on_loaded<Subject>(p, [&](Subject& x) { *seconds = x.recorded(); });
        };
    if constexpr (HONE_OVERRIDES(Subject, LoadedCandidate, process))
        f.process = [](void* p, int32_t* pid) {
            return on_loaded<Subject>(p, [&](Subject& x) { *pid = x.process(); });
        };
    return f;
}
template <class Subject> inline constexpr hone_timing timing_of = timing<Subject>();

template <class Subject>
inline constexpr hone_prepack prepack_of = {sizeof(hone_prepack), [](void* p, const hone_call* call) {
                                                return on_loaded<Subject>(p, [&](Subject& x) { x.prepack(*call); });
                                            }};

template <class Subject>
inline constexpr hone_rules rules_of = {sizeof(hone_rules), [](void* p, const hone_call* call, hone_out* verdict) {
                                            return on_loaded<Subject>(
                                                p, [&](Subject& x) { x.check(*call, Out(verdict)); });
                                        }};

template <class T>
inline constexpr hone_probe probe_of = {
    sizeof(hone_probe), [](void* s, void* ctx, hone_rc (*flush)(void*), hone_out* out) {
        const auto call = [=] {
            if (flush(ctx) != HONE_OK) throw Failed("the timer's flush failed");
        };
        return on<T>(s, [&](T& t) { t.probe(flush ? std::function<void()>(call) : nullptr, Out(out)); });
    }};

template <class T> constexpr auto verifier_extensions() {
    using Subject = typename T::Subject;
    constexpr bool data = HONE_OVERRIDES(T, VerifierPart, fill);
    static_assert(HONE_OVERRIDES(T, VerifierPart, gather) == data && HONE_OVERRIDES(T, VerifierPart, set) == data,
                  "a verifier overrides fill, gather and set together, or none of them");
    Extensions<5> all;
    if constexpr (data) all.add(HONE_EXT_DEVICE_DATA, &device_data_of<T>);
    if constexpr (HONE_OVERRIDES(T, VerifierPart, probe)) all.add(HONE_EXT_PROBE, &probe_of<T>);
    if constexpr (HONE_OVERRIDES(Subject, LoadedCandidate, prepack)) all.add(HONE_EXT_PREPACK, &prepack_of<Subject>);
    if constexpr (HONE_OVERRIDES(Subject, LoadedCandidate, check)) all.add(HONE_EXT_RULES, &rules_of<Subject>);
    all.add(HONE_EXT_TIMING, &timing_of<Subject>);
    return all;
}

}  // namespace hone::detail
