// hone/plugin_functions.hpp: one table of C functions for each interface, made from an author's class. Included by
// plugin.hpp. A function that the class does not override stays null: it is not offered.
#pragma once
#include <type_traits>
#include "hone/checks.h"
#include "hone/plugin.hpp"
#include "hone/policy.hpp"
#include "hone/prompt.hpp"
#include "hone/reference.hpp"
#include "hone/shaper.hpp"
#include "hone/timer.hpp"
#include "hone/verifier.hpp"

namespace hone::detail {

// Whether a class overrides a function of its base: the pointer to what it inherits is of the base's type.
#define HONE_OVERRIDES(Class, Base, function) (!std::is_same_v<decltype(&Class::function), decltype(&Base::function)>)

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

template <class T> constexpr hone_shaper shaper() {
    static_assert(std::is_base_of_v<ShaperPart, T>, "derive the class from hone::ShaperPart (hone/shaper.hpp)");
    hone_shaper f{};
    f.size = sizeof f;
    f.shape = [](void* s, const hone_doc* const* docs, uint32_t n, double* reward, hone_out* reasons) {
        const hone_host* host = held<T>(s)->host;
        return on<T>(s, [&](T& t) { t.shape(Docs(host, docs, n), reward, Out(reasons)); });
    };
    return f;
}

template <class T> constexpr hone_prompt prompt() {
    static_assert(std::is_base_of_v<PromptPart, T>, "derive the class from hone::PromptPart (hone/prompt.hpp)");
    hone_prompt f{};
    f.size = sizeof f;
    f.write = [](void* s, const hone_doc* task, const hone_doc* const* exemplars, uint32_t n, uint64_t seed, void* ctx,
                 void (*put)(void*, hone_message)) {
        const hone_host* host = held<T>(s)->host;
        return on<T>(s, [&](T& t) {
            t.write(Doc(host, task), Docs(host, exemplars, n), seed, [&](std::string_view role, std::string_view text) {
                put(ctx, {borrow(role), borrow(text)});
            });
        });
    };
    if constexpr (HONE_OVERRIDES(T, PromptPart, facts))
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
        auto* program = static_cast<Held<std::unique_ptr<Program>>*>(p);
        return guarded(program->host, [&] { program->object->launch(*call); });
    };
    if constexpr (HONE_OVERRIDES(Program, LoadedReference, empty))
        f.empty = [](void* p) {
            auto* program = static_cast<Held<std::unique_ptr<Program>>*>(p);
            return guarded(program->host, [&] { program->object->empty(); });
        };
    if constexpr (HONE_OVERRIDES(Program, LoadedReference, wait))
        f.wait = [](void* p) {
            auto* program = static_cast<Held<std::unique_ptr<Program>>*>(p);
            return guarded(program->host, [&] { program->object->wait(); });
        };
    if constexpr (HONE_OVERRIDES(Program, LoadedReference, inside))
        f.inside = [](void* p, double* seconds) {
            auto* program = static_cast<Held<std::unique_ptr<Program>>*>(p);
            return guarded(program->host, [&] { program->object->inside(*seconds); });
        };
    if constexpr (HONE_OVERRIDES(T, ReferencePart, facts))
        f.facts = [](void* s, hone_out* out) { return on<T>(s, [&](T& t) { t.facts(Out(out)); }); };
    if constexpr (HONE_OVERRIDES(Program, LoadedReference, deliver))
        f.deliver = [](void* p, const hone_call* call) {
            auto* program = static_cast<Held<std::unique_ptr<Program>>*>(p);
            return guarded(program->host, [&] { program->object->deliver(*call); });
        };
    return f;
}

// The methods of hone_checks by their names, with references for pointers.
template <class T> struct Checks {
    static constexpr hone_checks functions = {
        sizeof(hone_checks),
        [](void* s, uint64_t to, uint64_t from, uint64_t n) { return on<T>(s, [&](T& t) { t.copy(to, from, n); }); },
        [](void* s, uint64_t a, uint64_t b, uint64_t n, uint64_t count) {
            return on<T>(s, [&](T& t) { t.differ(a, b, n, count); });
        },
        [](void* s, uint64_t at, uint64_t n, uint32_t word, uint64_t count) {
            return on<T>(s, [&](T& t) { t.strays(at, n, word, count); });
        },
        [](void* s, const hone_tensor* from, uint64_t to) { return on<T>(s, [&](T& t) { t.widen(*from, to); }); },
        [](void* s, const hone_tensor* answer, uint64_t truth, uint64_t out) {
            return on<T>(s, [&](T& t) { t.survey(*answer, truth, out); });
        },
        [](void* s, uint64_t truth, uint64_t n, uint64_t row, double usual, double roundoff, uint64_t sizes) {
            return on<T>(s, [&](T& t) { t.sizes(truth, n, row, usual, roundoff, sizes); });
        },
        [](void* s, const hone_tensor* got, const hone_yardstick* yardstick, uint64_t errors) {
            return on<T>(s, [&](T& t) { t.compare(*got, *yardstick, errors); });
        }};
};

template <class T> constexpr hone_verifier verifier() {
    using Subject = typename T::Subject;
    static_assert(std::is_base_of_v<VerifierPart, T> && std::is_base_of_v<LoadedCandidate, Subject>,
                  "derive the class from hone::VerifierPart and its Subject from hone::LoadedCandidate");
    using HeldSubject = Held<std::unique_ptr<Subject>>;
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
            *subject = made ? new HeldSubject{host, std::move(made)} : nullptr;
        });
    };
    f.close = [](void* p) { delete static_cast<HeldSubject*>(p); };
    f.launch = [](void* p, const hone_call* call) {
        auto* subject = static_cast<HeldSubject*>(p);
        return guarded(subject->host, [&] { subject->object->launch(*call); });
    };
    f.wait = [](void* p, double seconds, double* inside, hone_out* end) {
        auto* subject = static_cast<HeldSubject*>(p);
        bool fine = true;
        const hone_rc rc = guarded(subject->host, [&] { fine = subject->object->wait(seconds, *inside, Out(end)); });
        return rc != HONE_OK || fine ? rc : static_cast<hone_rc>(HONE_FAILED);
    };
    if constexpr (HONE_OVERRIDES(Subject, LoadedCandidate, hold))
        f.hold = [](void* p, int32_t on) {
            auto* subject = static_cast<HeldSubject*>(p);
            return guarded(subject->host, [&] { subject->object->hold(on != 0); });
        };
    if constexpr (HONE_OVERRIDES(Subject, LoadedCandidate, empty))
        f.empty = [](void* p) {
            auto* subject = static_cast<HeldSubject*>(p);
            return guarded(subject->host, [&] { subject->object->empty(); });
        };
    if constexpr (HONE_OVERRIDES(Subject, LoadedCandidate, recorded))
        f.recorded = [](void* p, double* seconds) {
            auto* subject = static_cast<HeldSubject*>(p);
            return guarded(subject->host, [&] { *seconds = subject->object->recorded(); });
        };
    if constexpr (HONE_OVERRIDES(Subject, LoadedCandidate, prepare))
        f.prepare = [](void* p, const hone_call* call) {
            auto* subject = static_cast<HeldSubject*>(p);
            return guarded(subject->host, [&] { subject->object->prepare(*call); });
        };
    if constexpr (HONE_OVERRIDES(Subject, LoadedCandidate, prepack))
        f.prepack = [](void* p, const hone_call* call) {
            auto* subject = static_cast<HeldSubject*>(p);
            return guarded(subject->host, [&] { subject->object->prepack(*call); });
        };
    f.reserve = [](void* s, uint64_t bytes, int32_t w, uint64_t* at) {
        return on<T>(s, [&](T& t) { *at = t.reserve(bytes, w); });
    };
    f.release = [](void* s, uint64_t at) { return on<T>(s, [&](T& t) { t.release(at); }); };
    f.write = [](void* s, uint64_t at, const void* from, uint64_t n) {
        return on<T>(s, [&](T& t) { t.write(at, from, n); });
    };
    f.read = [](void* s, uint64_t at, void* to, uint64_t n) { return on<T>(s, [&](T& t) { t.read(at, to, n); }); };
    if constexpr (HONE_OVERRIDES(T, VerifierPart, fill))
        f.fill = [](void* s, const hone_tensor* x, uint64_t key, uint32_t tensor, int32_t law, float scale,
                    float shift) { return on<T>(s, [&](T& t) { t.fill(*x, key, tensor, law, scale, shift); }); };
    if constexpr (HONE_OVERRIDES(T, VerifierPart, set))
        f.set = [](void* s, uint64_t at, uint64_t bytes, uint32_t word) {
            return on<T>(s, [&](T& t) { t.set(at, bytes, word); });
        };
    if constexpr (HONE_OVERRIDES(T, VerifierPart, gather))
        f.gather = [](void* s, const hone_tensor* x, const int64_t* index, uint32_t n, double* to) {
            return on<T>(s, [&](T& t) { t.gather(*x, index, n, to); });
        };
    if constexpr (HONE_OVERRIDES(Subject, LoadedCandidate, check))
        f.check = [](void* p, const hone_call* call, hone_out* verdict) {
            auto* subject = static_cast<HeldSubject*>(p);
            return guarded(subject->host, [&] { subject->object->check(*call, Out(verdict)); });
        };
    if constexpr (HONE_OVERRIDES(T, VerifierPart, probe))
        f.probe = [](void* s, void* ctx, hone_rc (*flush)(void*), hone_out* out) {
            const auto call = [=] {
                if (flush(ctx) != HONE_OK) throw Failed("the timer's flush failed");
            };
            return on<T>(s, [&](T& t) { t.probe(flush ? std::function<void()>(call) : nullptr, Out(out)); });
        };
    if constexpr (requires { &T::compare; }) f.checks = &Checks<T>::functions;
    if constexpr (HONE_OVERRIDES(T, VerifierPart, facts))
        f.facts = [](void* s, hone_out* out) { return on<T>(s, [&](T& t) { t.facts(Out(out)); }); };
    if constexpr (requires { T::takes; }) f.takes = T::takes;
    return f;
}

template <class T> constexpr hone_policy policy() {
    static_assert(std::is_base_of_v<PolicyPart, T>, "derive the class from hone::PolicyPart (hone/policy.hpp)");
    constexpr bool learns = HONE_OVERRIDES(T, PolicyPart, learn);
    static_assert(HONE_OVERRIDES(T, PolicyPart, encode) == learns && HONE_OVERRIDES(T, PolicyPart, score) == learns &&
                      HONE_OVERRIDES(T, PolicyPart, save) == learns && HONE_OVERRIDES(T, PolicyPart, load) == learns,
                  "a policy that learns overrides encode, score, learn, save and load, another one none of them");
    hone_policy f{};
    f.size = sizeof f;
    f.sample = [](void* s, const hone_feed* feed) { return on<T>(s, [&](T& t) { t.sample(*feed); }); };
    if constexpr (learns) {
        f.score = [](void* s, const hone_batch* b, int32_t frozen, float* logp, float* entropy) {
            return on<T>(s, [&](T& t) { t.score(*b, frozen != 0, logp, entropy); });
        };
        f.learn = [](void* s, const hone_batch* b, const hone_step* step, hone_stepped* out) {
            return on<T>(s, [&](T& t) { *out = t.learn(*b, *step); });
        };
        f.encode = [](void* s, const hone_message* m, uint32_t n, int32_t open, void* ctx,
                      void (*put)(void*, const int32_t*, const int32_t*, uint32_t)) {
            return on<T>(s, [&](T& t) {
                t.encode(m, n, open != 0, [&](const int32_t* ids, const int32_t* source, uint32_t count) {
                    put(ctx, ids, source, count);
                });
            });
        };
        f.save = [](void* s, const char* folder, int32_t resume) {
            return on<T>(s, [&](T& t) { t.save(folder, resume != 0); });
        };
        f.load = [](void* s, const char* folder, int32_t resume) {
            return on<T>(s, [&](T& t) { t.load(folder, resume != 0); });
        };
    }
    if constexpr (HONE_OVERRIDES(T, PolicyPart, adapt))
        f.adapt = [](void* s, const hone_text* x, uint32_t n, hone_out* out) {
            return on<T>(s, [&](T& t) { t.adapt(x, n, Out(out)); });
        };
    if constexpr (HONE_OVERRIDES(T, PolicyPart, idle))
        f.idle = [](void* s, int32_t quiet) { return on<T>(s, [&](T& t) { t.idle(quiet != 0); }); };
    if constexpr (HONE_OVERRIDES(T, PolicyPart, facts))
        f.facts = [](void* s, hone_out* out) { return on<T>(s, [&](T& t) { t.facts(Out(out)); }); };
    return f;
}
}  // namespace hone::detail

#define HONE_TIMER(Class, id, version, summary, kinds, unit)                              \
    static constexpr hone_timer hone_functions = hone::detail::timer<Class>(kinds, unit); \
    HONE_PART(Class, "hone.timer/1", id, version, summary, &hone_functions)
#define HONE_DEFINE_(Class, name, id, version, summary)                 \
    static constexpr auto hone_functions = hone::detail::name<Class>(); \
    HONE_PART(Class, "hone." #name "/1", id, version, summary, &hone_functions)
#define HONE_SHAPER(Class, id, version, summary) HONE_DEFINE_(Class, shaper, id, version, summary)
#define HONE_PROMPT(Class, id, version, summary) HONE_DEFINE_(Class, prompt, id, version, summary)
#define HONE_REFERENCE(Class, id, version, summary) HONE_DEFINE_(Class, reference, id, version, summary)
#define HONE_VERIFIER(Class, id, version, summary) HONE_DEFINE_(Class, verifier, id, version, summary)
#define HONE_POLICY(Class, id, version, summary) HONE_DEFINE_(Class, policy, id, version, summary)
