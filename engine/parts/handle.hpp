// parts/handle.hpp: what the handles of all interfaces share: host services, creation, error codes into exceptions.
#pragma once
#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include "base/error.hpp"
#include "base/json.hpp"
#include "hone/abi.h"
#include "parts/in_part.hpp"
#include "parts/library.hpp"

namespace hone {

class PartHost;

// hone_doc over a JSON tree. The tree must outlive every use; texts are lent from it.
const hone_doc* as_doc(const Json&);

// A hone_out that collects into a JSON object. Texts are kept as they come: they may be bytes ("product").
class Collect {
public:
    Collect();
    Collect(const Collect&) = delete;  // out() points here
    hone_out* out() { return &out_; }
    Json& json() { return json_; }

private:
    hone_out out_;
    Json json_ = Json::object();
};

// Raised when a part answered FAILED (this item only). REFUSED becomes Error(input), BROKEN becomes PartBroken.
struct PartFailed : std::runtime_error {
    using std::runtime_error::runtime_error;
};
struct PartBroken : std::runtime_error {
    using std::runtime_error::runtime_error;
};
struct ReadingLost : PartFailed {  // of a timer: one reading, not the item
    using PartFailed::PartFailed;
};

// Services that only a bench has; the engine leaves them empty. They are called with this ctx and may throw: the part
// gets PartFailed as FAILED, Error(input) as REFUSED, anything else as BROKEN, and its text is what the handle's
// exception says.
struct BenchServices {
    void* ctx = nullptr;
    decltype(hone_host::build) build = nullptr;
    decltype(hone_host::share) share = nullptr;
    decltype(hone_host::unshare) unshare = nullptr;
    decltype(hone_host::jail) jail = nullptr;
};
void set_bench_services(const BenchServices&);  // before the first part is made
std::uint64_t jails_started();                  // by parts of this process, so far
void set_stop_flag(const std::atomic<bool>*);   // what host->stop reads

const void* find_extension(const hone_part&, std::string_view id);  // its functions, or null

// Owns one instance of a part.
class Handle {
public:
    // throws Error(input) if create refuses or the file is not the one that the recipe names
    explicit Handle(const Recipe&);
    Handle(Handle&&) noexcept;  // parts keep their host: it does not move
    ~Handle();
    const Recipe& recipe() const { return recipe_; }
    const hone_part& part() const { return library_.part(); }
    void* self() const { return self_; }
    // An optional capability (headers of hone/ext/); null: the part does not offer it.
    template <class Functions> const Functions* extension(const char* id) const {
        return static_cast<const Functions*>(find_extension(part(), id));
    }
    const std::string& name() const;  // `timer "wall"`
    PartHost& part_host() const;
    InPart inside(const char* function) const { return {name(), function}; }
    // Calls a function of the part by its name: who dies in it is known by both.
    template <class... Parameters, class... Given>
    hone_rc enter(const char* name, hone_rc (*function)(Parameters...), Given... given) const {
        const InPart here = inside(name);
        return function(given...);
    }
    template <class... Parameters, class... Given>
    void call(const char* name, hone_rc (*function)(Parameters...), Given... given) const {
        check(enter(name, function, given...), name);
    }
    // Turns a code into nothing or an exception that names part and function: `timer "wall": time: no counter`.
    void check(hone_rc, const char* function) const;
    const hone_host* host() const;

private:
    struct Context;  // stands behind host->ctx: options, and the last error's text
    Recipe recipe_;
    Library library_;
    std::unique_ptr<Context> context_;
    void* self_ = nullptr;
};

// The function at `member` of a struct of functions, or null if the part was built before it existed.
#define HONE_OFFERS(functions, member)                                                                  \
    ((functions)->size >=                                                                               \
         offsetof(std::remove_cvref_t<decltype(*(functions))>, member) + sizeof((functions)->member) && \
     (functions)->member)

}  // namespace hone
