// tests/contract/contract.hpp: what the checks of all interfaces share: a host that watches, documents that are
// scribbled over once the call that borrowed them has returned, and the list of broken promises.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>
#include "base/json.hpp"
#include "base/printable.hpp"
#include "parts/handle.hpp"
#include "parts/host.hpp"
#include "parts/lending.hpp"
#include "parts/told.hpp"

namespace hone::contract {

class Contract {
public:
    explicit Contract(const Library&);
    ~Contract();
    const hone_part& part() const { return library_.part(); }
    template <class Functions> const Functions& functions() const {
        return *static_cast<const Functions*>(part().functions);
    }
    template <class Functions> const Functions* extension(const char* id) const {
        return static_cast<const Functions*>(find_extension(part(), id));
    }
    void* self() const { return self_; }
    const Library& library() const { return library_; }
    const PartFile& file() const { return library_.file(); }
    const std::string& name() const { return plain_.name(); }  // `timer "wall"`

    void expect(bool kept, const std::string& promise);  // each broken promise is told
    // Calls into the part: no exception crosses, a failure comes with a text, a success with none, host->fail is called
    // on this thread, no key is read that a document cannot have.
    hone_rc call(const std::string& function, const std::function<hone_rc()>&);
    const std::string& error() const { return error_; }  // of the last call
    bool create(const Json& options);                    // the rest by default; false: refused with its reason
    void destroy();
    int broken() const { return broken_; }
    void not_asked(const std::string& function) { not_asked_.push_back(function); }
    std::string summary(int broken) const;      // "0 promises broken, 2 functions not asked: launch, wait"
    void cannot_be_used() { usable_ = false; }  // on this machine, and has said why
    bool usable() const { return usable_; }

private:
    static hone_rc fail(void* ctx, hone_rc code, const char* text);
    void pass_services();
    const Library& library_;
    PartHost plain_;
    hone_host host_;
    Json options_;
    std::optional<Lending> lent_options_;
    void* self_ = nullptr;
    std::string error_;
    int failures_told_ = 0, broken_ = 0;
    bool usable_ = true;
    std::vector<std::string> not_asked_;
    std::thread::id home_ = std::this_thread::get_id();
};

// A document lent for one call. Its texts are overwritten when it ends, so that a part which kept a pointer reads
// nonsense.
class Lent {
public:
    Lent(Json json, const char* title) : json_(std::move(json)), lending_(json_, title) {}
    Lent(const Lent&) = delete;
    ~Lent();
    const hone_doc* doc() const { return lending_.doc(); }

private:
    Json json_;
    const Lending lending_;
};

Json sample_task();  // o = a + b over R x C, small
void check_facts(Contract&, hone_rc (*facts)(void*, hone_out*));
// What a run refuses with an Error is a broken promise.
void expect_no_error(Contract&, const std::function<void()>& as_run);
// That hone can read what a part has told in `function` (parts/told.hpp).
void check_readable(Contract&, const Json& told, const std::string& what, const char* function);
// Seconds of work that a timer can read: what it tells of resolution and least_window decides. Not finite where another
// check says so of the facts.
double readable_seconds(const hone_timer&, const Json& facts);
void check_growth(Contract&, const hone_timer&, const Json& facts);  // readings follow the work

void check_policy(Contract&);
void check_prompt(Contract&);
void check_shaper(Contract&);
void check_timer(Contract&);
void check_verifier(Contract&);
void check_checks(Contract&);  // of a verifier
void check_takes(Contract&);   // likewise
void check_reference(Contract&);

}  // namespace hone::contract
