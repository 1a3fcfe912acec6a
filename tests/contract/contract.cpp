#include "contract.hpp"
#include <unistd.h>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <limits>
#include <optional>
#include "base/option_table.hpp"
#include "domain/task.hpp"
#include "parts/crash.hpp"
#include "parts/in_part.hpp"
#include "policies/scripted_server.hpp"
#include "sandbox/services.hpp"

namespace hone::contract {
namespace {

// A part that crashes or never returns takes this program with it: the last word says in which function.
char under_way[64] = "loading the library";
constexpr unsigned whole_seconds = 120, call_seconds = 30;  // until the next call, of a call
unsigned patience = whole_seconds;
void on_end(int signal) {
    if (signal == SIGALRM) std::fprintf(stderr, "broken: %s: did not return within %u s\n", under_way, patience);
    else std::fprintf(stderr, "broken: %s: %s\n", under_way, strsignal(signal));
    std::_Exit(1);  // _exit tells of parts that end the program (parts/crash.hpp)
}

struct Patience {
    Patience() { alarm(patience = call_seconds); }
    ~Patience() { alarm(patience = whole_seconds); }
};

}  // namespace

Contract::Contract(const Library& library)
    : library_(library),
      plain_(library.file().interface_name + " \"" + library.file().id + "\""),
      host_(*plain_.functions()) {
    host_.ctx = this;
    host_.fail = fail;
    host_.log = [](void*, int32_t level, const char* text) { std::fprintf(stderr, "  log %d: %s\n", level, text); };
    host_.stop = [](void*) -> int32_t { return 0; };
    host_.left = [](void*) { return std::numeric_limits<double>::infinity(); };
    host_.reserve = [](void*, double) -> hone_rc { return HONE_OK; };
    host_.settle = [](void*, double, double, int32_t) {};
    if (host_.build) pass_services();
}

// The services of a bench are the engine's own; they find their part's host by its ctx.
void Contract::pass_services() {
    static constexpr auto bench = [](void* ctx) { return static_cast<Contract*>(ctx)->plain_.functions(); };
    host_.build = [](void* ctx, const char* const* argv, const hone_file* files, uint32_t n, const char* product,
                     hone_out* out) { return bench(ctx)->build(bench(ctx)->ctx, argv, files, n, product, out); };
    host_.share = [](void* ctx, uint64_t bytes, int32_t writable, hone_region* out) {
        return bench(ctx)->share(bench(ctx)->ctx, bytes, writable, out);
    };
    host_.unshare = [](void* ctx, const hone_region* region) { bench(ctx)->unshare(bench(ctx)->ctx, region); };
    host_.jail = [](void* ctx, const hone_jail_plan* plan, hone_jail* out, hone_out* end) {
        return bench(ctx)->jail(bench(ctx)->ctx, plan, out, end);
    };
}

Contract::~Contract() { destroy(); }

hone_rc Contract::fail(void* ctx, hone_rc code, const char* text) {
    Contract& contract = *static_cast<Contract*>(ctx);
    contract.expect(std::this_thread::get_id() == contract.home_, "host->fail is called on the thread of the call");
    contract.expect(code >= HONE_REFUSED && code <= HONE_BROKEN, "host->fail is given REFUSED, FAILED or BROKEN");
    contract.error_ = text ? text : "";
    ++contract.failures_told_;
    return code;
}

void Contract::expect(bool kept, const std::string& promise) {
    if (kept) return;
    ++broken_;
    std::fprintf(stderr, "broken: %s\n", promise.c_str());
}

hone_rc Contract::call(const std::string& function, const std::function<hone_rc()>& body) {
    error_.clear();
    failures_told_ = 0;
    std::snprintf(under_way, sizeof under_way, "%s", function.c_str());
    hone_rc rc = HONE_BROKEN;
    const Patience until_it_returns;
    try {
        rc = body();
    } catch (...) {
        expect(false, function + ": no exception crosses the boundary");
        return rc;
    }
    if (const std::string misread = take_misread(); !misread.empty()) expect(false, function + ": " + misread);
    expect(rc >= HONE_OK && rc <= HONE_BROKEN, function + ": returns a known code, not " + std::to_string(rc));
    if (rc == HONE_OK)
        expect(failures_told_ == 0, function + ": a call that succeeds tells no failure (" + error_ + ")");
    if (rc != HONE_OK) expect(!error_.empty() && is_utf8(error_), function + ": a call that fails says why");
    return rc;
}

bool Contract::create(const Json& given) {
    const Json typed = values_of_texts(library_.options(), given);  // on a command line every value is text
    options_ = check_options(library_.options(), typed, plain_.name());
    lent_options_.emplace(options_, library_.options());
    const hone_rc rc = call("create", [&] { return part().create(&host_, lent_options_->doc(), &self_); });
    expect(rc != HONE_BROKEN, "create: an option or a machine that does not fit is REFUSED or FAILED (" + error_ + ")");
    if (rc != HONE_OK) std::printf("create: %s\n", error_.c_str());
    return rc == HONE_OK;
}

void Contract::destroy() {
    if (!self_) return;
    std::snprintf(under_way, sizeof under_way, "destroy");
    const Patience until_it_returns;
    part().destroy(std::exchange(self_, nullptr));
}

std::string Contract::summary(int broken) const {
    std::string text = std::to_string(broken) + " promises broken", names;
    for (const std::string& function : not_asked_) names += (names.empty() ? "" : ", ") + function;
    const std::string count = std::to_string(not_asked_.size()) + (not_asked_.size() == 1 ? " function" : " functions");
    return names.empty() ? text : text + ", " + count + " not asked: " + names;
}

namespace {
void scribble(Json& json) {
    if (json.is_string()) std::fill(json.get_ref<std::string&>().begin(), json.get_ref<std::string&>().end(), '?');
    if (json.is_structured())
        for (Json& inner : json) scribble(inner);
}
}  // namespace

Lent::~Lent() { scribble(json_); }

Json sample_task() {
    Json task = to_json(check_task(Json::parse(R"json({"name": "sum", "statement": "o = a + b", "spec": "a+b 6x8",
        "inputs": [{"name": "a", "shape": ["R", "C"]}, {"name": "b", "shape": ["R", "C"]}], "outputs": [{"name": "o", "shape": ["R", "C"]}],
        "shape": {"R": 6, "C": 8},
        "device": {"op": "axpy", "code": 3, "best": [1, 4], "seconds": 1e-6, "reference": 1e-6}, "source": "return {reference = function(a, b) if array then return array.map(function(x, y) return x + y end, a, b) end return torch.add(a, b) end}"})json")));
    task["brief"] = {{"text", "Write extern \"C\" void k(const float* a, const float* b, float* o, long R, long C)."},
                     {"fences", "cpp"},
                     {"prototype", "extern \"C\" void k(const float* a, const float* b, float* o, long R, long C)"},
                     {"tier", "host"}};
    return task;
}

void check_facts(Contract& contract, hone_rc (*facts)(void*, hone_out*)) {
    Collect first;
    const hone_rc rc = contract.call("facts", [&] { return facts(contract.self(), first.out()); });
    contract.expect(rc == HONE_OK, "facts: can be asked of any instance (" + contract.error() + ")");
    for (const auto& [key, value] : first.json().items())
        contract.expect(!key.empty() && (!value.is_string() || is_utf8(value.get_ref<const std::string&>())),
                        "facts: keys are named and texts are UTF-8");
    check_readable(contract, first.json(), contract.file().interface_name, "facts");
}

void check_readable(Contract& contract, const Json& told, const std::string& what, const char* function) {
    expect_no_error(contract, [&] { check_told(told, what, contract.name(), function); });
}

void expect_no_error(Contract& contract, const std::function<void()>& as_run) {
    try {
        as_run();
    } catch (const Error& e) {
        contract.expect(false, e.what());
    }
}

namespace {

void check_options_table(Contract& contract, const Library& library) {
    const std::string place = library.file().id;
    contract.expect(!std::string(library.part().summary).empty(), "the part has a line of summary");
    try {
        const Json preset = check_options(library.options(), nullptr, place);
        check_options(library.options(), preset, place);
    } catch (const Error& e) {
        contract.expect(false, std::string("every preset is a value that its option allows: ") + e.what());
    }
    for (const Option& option : library.options())
        contract.expect(!option.doc.empty(), "option \"" + option.name + "\" is explained");
}

using Check = void (*)(Contract&);
const std::map<std::string, Check> checks = {{"policy", check_policy},     {"prompt", check_prompt},
                                             {"shaper", check_shaper},     {"timer", check_timer},
                                             {"verifier", check_verifier}, {"reference", check_reference}};

constexpr int cannot_be_made = 77;

int check_file(const std::string& path, const Json& options) {
    tell_crashes();
    for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGALRM}) std::signal(signal, on_end);
    alarm(whole_seconds);
    HostServices services({}, 60);  // what a bench offers; outlives the part
    set_bench_services(services.offer());
    const std::string stem = std::filesystem::path(path).stem();
    const std::size_t dot = stem.find('.');
    if (dot == std::string::npos) throw Error(Blame::usage, path, "is not called INTERFACE.ID.so");
    const std::string name = stem.substr(0, dot) + " \"" + stem.substr(dot + 1) + "\"";
    const InPart here(name, under_way);  // whatever is under way
    const Library library = Library::open({stem.substr(0, dot), stem.substr(dot + 1), path, {}});
    Contract contract(library), second(library);
    check_options_table(contract, library);
    // unfit machine or a needed option: told above
    if (!contract.create(options)) return contract.broken() ? 1 : cannot_be_made;
    second.create(options);
    second.destroy();  // instances are independent
    checks.at(library.file().interface_name)(contract);
    contract.destroy();
    std::printf("%s: %s\n", stem.c_str(), contract.summary(contract.broken() + second.broken()).c_str());
    return contract.broken() + second.broken() ? 1 : contract.usable() ? 0 : cannot_be_made;
}

}  // namespace
}  // namespace hone::contract

// hone-contract FILE [OPTION=VALUE]...; the value @server stands for the base URL of a server of chat completions. 0
// the part keeps the contract of hone/part.h and its interface's header, 1 it does not, 77 it cannot be made, or
// attached to its device, here with these options.
int main(int argc, char** argv) {
    hone::Json options = hone::Json::object();
    std::optional<hone::test::ScriptedServer> server;
    for (int i = 2; i < argc; ++i) {
        const std::string given = argv[i], value = given.substr(given.find('=') + 1);
        if (value == "@server") server.emplace();
        options[given.substr(0, given.find('='))] = value == "@server" ? server->base_url() : value;
    }
    if (argc < 2 || std::string(argv[1]).starts_with("-")) {
        std::fprintf(stderr, "usage: hone-contract INTERFACE.ID.so [OPTION=VALUE]...\n");
        return 2;
    }
    try {
        return hone::contract::check_file(argv[1], options);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
