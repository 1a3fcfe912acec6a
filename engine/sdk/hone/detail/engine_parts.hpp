// hone/detail/engine_parts.hpp: the tables of C functions of policies, prompts and shapers, made from an author's
// class.
#pragma once
#include "hone/detail/overrides.hpp"
#include "hone/policy.hpp"
#include "hone/prompt.hpp"
#include "hone/shaper.hpp"

namespace hone::detail {

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

template <class T> constexpr hone_learning learning() {
    hone_learning f{};
    f.size = sizeof f;
    f.score = [](void* s, const hone_batch* b, int32_t frozen, float* logp, float* entropy) {
        return on<T>(s, [&](T& t) { t.score(*b, frozen != 0, logp, entropy); });
    };
    f.learn = [](void* s, const hone_batch* b, const hone_step* step, hone_stepped* out) {
        return on<T>(s, [&](T& t) { *out = t.learn(*b, *step); });
    };
    f.encode = [](void* s, const hone_message* m, uint32_t n, int32_t open, void* ctx,
                  void (*put)(void*, const int32_t*, const int32_t*, uint32_t)) {
        return on<T>(s, [&](T& t) {
            t.encode(m, n, open != 0,
                     [&](const int32_t* ids, const int32_t* source, uint32_t count) { put(ctx, ids, source, count); });
        });
    };
    f.save = [](void* s, const char* folder, int32_t resume) {
        return on<T>(s, [&](T& t) { t.save(folder, resume != 0); });
    };
    f.load = [](void* s, const char* folder, int32_t resume) {
        return on<T>(s, [&](T& t) { t.load(folder, resume != 0); });
    };
    if constexpr (HONE_OVERRIDES(T, PolicyPart, adapt))
        f.adapt = [](void* s, const hone_text* x, uint32_t n, hone_out* out) {
            return on<T>(s, [&](T& t) { t.adapt(x, n, Out(out)); });
        };
    return f;
}
template <class T> inline constexpr hone_learning learning_of = learning<T>();

template <class T> constexpr hone_policy policy() {
    static_assert(std::is_base_of_v<PolicyPart, T>, "derive the class from hone::PolicyPart (hone/policy.hpp)");
    hone_policy f{};
    f.size = sizeof f;
    f.sample = [](void* s, const hone_feed* feed) { return on<T>(s, [&](T& t) { t.sample(*feed); }); };
    if constexpr (HONE_OVERRIDES(T, PolicyPart, idle))
        f.idle = [](void* s, int32_t quiet) { return on<T>(s, [&](T& t) { t.idle(quiet != 0); }); };
    if constexpr (HONE_OVERRIDES(T, PolicyPart, facts))
        f.facts = [](void* s, hone_out* out) { return on<T>(s, [&](T& t) { t.facts(Out(out)); }); };
    return f;
}

template <class T>
concept ListsModels = requires(Host host, const PolicyPart::OnSource& tell) {
    T::list_models(host, true, tell);
};

template <class T> constexpr hone_models models() {
    hone_models f{};
    f.size = sizeof f;
    f.list = [](const hone_host* host, int32_t ask, void* ctx, void (*tell)(void*, const hone_model_source*)) {
        return guarded(host, [&] {
            T::list_models(Host(host), ask != 0, [&](const hone_model_source& source) { tell(ctx, &source); });
        });
    };
    return f;
}
template <class T> inline constexpr hone_models models_of = models<T>();

template <class T> constexpr auto policy_extensions() {
    constexpr bool learns = HONE_OVERRIDES(T, PolicyPart, learn);
    static_assert(HONE_OVERRIDES(T, PolicyPart, encode) == learns && HONE_OVERRIDES(T, PolicyPart, score) == learns &&
                      HONE_OVERRIDES(T, PolicyPart, save) == learns && HONE_OVERRIDES(T, PolicyPart, load) == learns,
                  "a policy that learns overrides encode, score, learn, save and load, another one none of them");
    Extensions<2> all;
    if constexpr (learns) all.add(HONE_EXT_LEARNING, &learning_of<T>);
    if constexpr (ListsModels<T>) all.add(HONE_EXT_MODELS, &models_of<T>);
    return all;
}

}  // namespace hone::detail
