// hone/detail/overrides.hpp: which functions a class offers, and calls on what an author's open() returned.
#pragma once
#include <array>
#include <type_traits>
#include "hone/plugin.hpp"

namespace hone::detail {

// Whether a class overrides a function of its base: the pointer to what it inherits is of the base's type.
#define HONE_OVERRIDES(Class, Base, function) (!std::is_same_v<decltype(&Class::function), decltype(&Base::function)>)

// What open() hands out: the author's object behind a pointer, so that its class may be a base of several.
template <class P> using Loaded = Held<std::unique_ptr<P>>;
template <class P, class Body> hone_rc on_loaded(void* p, Body&& body) noexcept {
    return guarded(held<std::unique_ptr<P>>(p)->host, [&] { body(*held<std::unique_ptr<P>>(p)->object); });
}

// A part's table of extensions, as it grows: one place more than there can be, so that it ends with a null id.
template <std::size_t most> struct Extensions {
    std::array<hone_extension, most + 1> list{};
    std::size_t n = 0;
    constexpr void add(const char* id, const void* functions) { list[n++] = {id, functions}; }
};

}  // namespace hone::detail
