#include "parts/handle.hpp"
#include "parts/host.hpp"
#include "parts/lending.hpp"

namespace hone {

struct Handle::Context {
    Context(const Recipe& recipe, const std::vector<Option>& table)
        : options(recipe.options), lent(options, table), host(recipe.interface_name + " \"" + recipe.id + "\"") {}
    const Json options;
    const Lending lent;
    PartHost host;
};

const void* find_extension(const hone_part& part, std::string_view id) {
    for (const hone_extension* one = part.extensions; one && one->id; ++one)
        if (one->id == id) return one->functions;
    return nullptr;
}

Handle::Handle(const Recipe& recipe)
    : recipe_(recipe),
      library_(Library::open({recipe.interface_name, recipe.id, recipe.file, {}})),
      context_(new Context(recipe, library_.options())) {
    if (library_.file_hash() != recipe.file_hash)
        throw Error(Blame::input, recipe.file, "changed since the script named it", "start the run again");
    try {
        call("create", part().create, host(), context_->lent.doc(), &self_);
    } catch (...) {
        if (self_) part().destroy(self_);  // a part that misread its options was made all the same
        throw;
    }
}

Handle::Handle(Handle&&) noexcept = default;

Handle::~Handle() {
    if (!context_ || !self_) return;
    const InPart here = inside("destroy");
    part().destroy(self_);
}

const std::string& Handle::name() const { return context_->host.name(); }

PartHost& Handle::part_host() const { return context_->host; }

const hone_host* Handle::host() const { return context_->host.functions(); }

namespace {

// What a function said with its code; silence and an unknown code are told with the code itself.
std::string answer_of(hone_rc rc, const std::string& told) {
    constexpr const char* names[] = {"HONE_OK", "HONE_REFUSED", "HONE_FAILED", "HONE_BROKEN"};
    const bool known = rc > HONE_OK && rc <= HONE_BROKEN;
    if (known && !told.empty()) return told;
    const std::string code = "returned " + std::to_string(rc) + (known ? std::string(" (") + names[rc] + ")" : "");
    if (known) return code + " and told no reason; a part tells one by host->fail(host->ctx, code, text)";
    return (told.empty() ? "" : told + ": ") + code + ", which is no code of hone_rc (0 to 3)";
}

}  // namespace

void Handle::check(hone_rc rc, const char* function) const {
    if (const std::string misread = take_misread(); !misread.empty())
        throw Error(Blame::input, context_->host.name(), std::string(function) + ": " + misread);
    if (rc == HONE_OK) return;
    const std::string text = std::string(function) + ": " + answer_of(rc, context_->host.take_error());
    const std::string named = context_->host.name() + ": " + text;
    if (rc == HONE_REFUSED) throw Error(Blame::input, context_->host.name(), text);
    if (rc == HONE_FAILED) throw PartFailed(named);
    throw PartBroken(named);
}

}  // namespace hone
