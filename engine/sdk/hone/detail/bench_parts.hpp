// hone/detail/bench_parts.hpp: the tables of C functions of timers and references, made from an author's class.
#pragma once
#include "hone/detail/overrides.hpp"
#include "hone/reference.hpp"
#include "hone/timer.hpp"

namespace hone::detail {

template <class T> constexpr hone_timer timer(const char* kinds, const char* unit) {
    static_assert(std::is_base_of_v<TimerPart, T>, "derive the class from hone::TimerPart (hone/timer.hpp)");
    hone_timer f{};
    f.size = sizeof f;
    f.kinds = kinds;
    f.unit = unit;
    if constexpr (HONE_OVERRIDES(T, TimerPart, attach))
        f.attach = [](void* s, const hone_device* d) { return on<T>(s, [&](T& t) { t.attach(*d); }); };
    if constexpr (HONE_OVERRIDES(T, TimerPart, flush))
        f.flush = [](void* s, const hone_tensor* x, uint32_t n) { return on<T>(s, [&](T& t) { t.flush(x, n); }); };
    f.time = [](void* s, const hone_run* run, hone_sample* out) {
        return on<T>(s, [&](T& t) { *out = t.time(*run); });
    };
    if constexpr (HONE_OVERRIDES(T, TimerPart, facts))
        f.facts = [](void* s, hone_out* out) { return on<T>(s, [&](T& t) { t.facts(Out(out)); }); };
    return f;
}

template <class T> constexpr hone_reference reference() {
    using Program = typename T::Program;
    static_assert(std::is_base_of_v<ReferencePart, T> && std::is_base_of_v<LoadedReference, Program>,
                  "derive the class from hone::ReferencePart and its Program from hone::LoadedReference");
    hone_reference f{};
    f.size = sizeof f;
    f.open = [](void* s, const hone_device* device, const hone_doc* task, const char* form, void** out) {
        const hone_host* host = held<T>(s)->host;
        return on<T>(s, [&](T& t) {
            *out = new Held<std::unique_ptr<Program>>{host, t.open(*device, Doc(host, task), form)};
        });
    };
    f.close = [](void* p) { delete static_cast<Held<std::unique_ptr<Program>>*>(p); };
    f.launch = [](void* p, const hone_call* call) {
        return on_loaded<Program>(p, [&](Program& x) { x.launch(*call); });
    };
    if constexpr (HONE_OVERRIDES(Program, LoadedReference, null_call))
        f.null_call = [](void* p) { return on_loaded<Program>(p, [&](Program& x) { x.null_call(); }); };
    if constexpr (HONE_OVERRIDES(Program, LoadedReference, wait))
        f.wait = [](void* p) { return on_loaded<Program>(p, [&](Program& x) { x.wait(); }); };
    if constexpr (HONE_OVERRIDES(Program, LoadedReference, inside))
        f.inside = [](void* p, double* seconds) {
            return on_loaded<Program>(p, [&](Program& x) { x.inside(*seconds); });
        };
    if constexpr (HONE_OVERRIDES(T, ReferencePart, facts))
        f.facts = [](void* s, hone_out* out) { return on<T>(s, [&](T& t) { t.facts(Out(out)); }); };
    if constexpr (HONE_OVERRIDES(Program, LoadedReference, deliver))
        f.deliver = [](void* p, const hone_call* call) {
            return on_loaded<Program>(p, [&](Program& x) { x.deliver(*call); });
        };
    return f;
}

}  // namespace hone::detail
