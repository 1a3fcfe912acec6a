#include "judge/call/bench_parts.hpp"
#include <unistd.h>
#include <cmath>
#include <limits>
#include "judge/call/staged_call.hpp"
#include "judge/correctness/numbers.hpp"
#include "judge/correctness/rules.hpp"
#include "parts/lending.hpp"
#include "parts/told.hpp"

namespace hone {
namespace {

// That a candidate passed is never a part's to say, and least of all of one that it did not open.
Verdict verdict_told(const Handle& handle, const char* function, const std::string& word) {
    const std::string place = handle.name() + ": " + function + ": ";
    if (word == verdict_name(Verdict::PASSED)) throw PartBroken(place + "tells of a failure with the verdict PASSED");
    try {
        return parse_verdict(word);
    } catch (const Error& e) {
        throw PartBroken(place + e.cause());
    }
}

CandidateFailure ending_of(const Handle& handle, const char* function, Json facts, Verdict absent, const char* words) {
    check_told(facts, "verifier.open", handle.name(), function);
    CandidateFailure failure{absent, facts.value("reason", std::string(words)), {}};
    if (facts.contains("verdict")) failure.verdict = verdict_told(handle, function, facts["verdict"]);
    facts.erase("verdict");
    facts.erase("reason");
    failure.facts = std::move(facts);
    return failure;
}

// Of a verifier that has a candidate, or what one needs, in hand.
template <class Function, class... Given>
void call_with_item(const Handle& handle, const char* name, Function function, Given... given) {
    failing_as<ItemFailed>([&] { handle.call(name, function, given...); });
}

template <class Functions> const Functions& functions_of(const Handle& handle) {
    return *static_cast<const Functions*>(handle.part().functions);
}

// Facts of a part that offers them.
template <class Functions> Json facts_of(const Handle& handle, const Functions& functions) {
    Collect out;
    if (HONE_OFFERS(&functions, facts)) handle.call("facts", functions.facts, handle.self(), out.out());
    check_told(out.json(), handle.recipe().interface_name, handle.name(), "facts");
    return out.json();
}

}  // namespace

Subject::Subject(const Handle& handle, const hone_verifier& functions, void* subject, bool prepacks)
    : handle_(&handle),
      functions_(&functions),
      timing_(handle.extension<hone_timing>(HONE_EXT_TIMING)),
      rules_(handle.extension<hone_rules>(HONE_EXT_RULES)),
      subject_(subject),
      prepacks_(prepacks) {
    static std::uint64_t channels = 0;  // 0 is the reference's
    channel_ = ++channels;
}
Subject::Subject(Subject&& other) noexcept
    : channel_(other.channel_),
      handle_(other.handle_),
      functions_(other.functions_),
      timing_(other.timing_),
      rules_(other.rules_),
      subject_(std::exchange(other.subject_, nullptr)),
      prepacks_(other.prepacks_) {}
Subject::~Subject() {
    if (!subject_) return;
    const InPart here = handle_->inside("close");
    functions_->close(subject_);
}

void Subject::launch(const hone_call& call) { call_with_item(*handle_, "launch", functions_->launch, subject_, &call); }

void Subject::prepack(const hone_call& call) {
    const auto* const functions = handle_->extension<hone_prepack>(HONE_EXT_PREPACK);
    call_with_item(*handle_, "prepack", functions->prepack, subject_, &call);
}

std::optional<CandidateFailure> Subject::wait(double seconds, double& inside) {
    Collect end;
    inside = std::numeric_limits<double>::quiet_NaN();
    const hone_rc rc = handle_->enter("wait", functions_->wait, subject_, seconds, &inside, end.out());
    const bool ended = end.json().contains("verdict") || end.json().contains("reason");
    if (rc == HONE_FAILED && ended)
        return ending_of(*handle_, "wait", std::move(end.json()), Verdict::RUNTIME_ERROR,
                         "the candidate failed while it ran");
    failing_as<ItemFailed>([&] { handle_->check(rc, "wait"); });
    return std::nullopt;
}

void Subject::suspend(bool suspended) {
    if (timing_ && HONE_OFFERS(timing_, suspend))
        call_with_item(*handle_, "suspend", timing_->suspend, subject_, suspended);
}

std::optional<CandidateFailure> Subject::check(const hone_call& call) {
    if (!rules_) return std::nullopt;
    Collect verdict;
    call_with_item(*handle_, "check", rules_->check, subject_, &call, verdict.out());
    if (!verdict.json().contains("verdict")) return std::nullopt;
    return ending_of(*handle_, "check", std::move(verdict.json()), Verdict::REWARD_HACK,
                     "a rule of the verifier was broken");
}

void Subject::null_call() { call_with_item(*handle_, "null_call", timing_->null_call, subject_); }

void Subject::prepare(const hone_call& call) {
    if (timing_ && HONE_OFFERS(timing_, prepare))
        call_with_item(*handle_, "prepare", timing_->prepare, subject_, &call);
}

double Subject::recorded() {
    double seconds = std::nan("");
    if (timing_ && HONE_OFFERS(timing_, recorded))
        call_with_item(*handle_, "recorded", timing_->recorded, subject_, &seconds);
    return seconds;
}

int Subject::process() {
    std::int32_t pid = 0;
    if (timing_ && HONE_OFFERS(timing_, process)) call_with_item(*handle_, "process", timing_->process, subject_, &pid);
    return pid ? pid : getpid();
}

Verifier::Verifier(const Recipe& recipe)
    : handle_(recipe),
      functions_(functions_of<hone_verifier>(handle_)),
      data_(handle_.extension<hone_device_data>(HONE_EXT_DEVICE_DATA)),
      probe_(handle_.extension<hone_probe>(HONE_EXT_PROBE)),
      timing_(handle_.extension<hone_timing>(HONE_EXT_TIMING)),
      facts_(facts_of(handle_, functions_)) {}

Json Verifier::brief(const Task& task) const {
    Collect out;
    const Json doc = to_json(task);
    const Lending lent(doc, Task::title);
    handle_.call("brief", functions_.brief, handle_.self(), lent.doc(), out.out());
    Json brief = out.json();
    check_told(brief, "verifier.brief", handle_.name(), "brief");
    for (const char* key : {"text", "fences"})
        if (brief.value(key, "").empty())
            throw Error(Blame::input, handle_.name(), std::string("brief: tells no \"") + key + "\"",
                        "a candidate's language and how it is written are the verifier's to say");
    brief["text"] = brief.value("text", "") + "\n" + rules_of(task);
    return brief;
}

hone_device Verifier::device() {
    hone_device device{sizeof device};
    handle_.call("device", functions_.device, handle_.self(), &device);
    if (!device.kind || !*device.kind)
        throw Error(Blame::input, handle_.name(), "device: names no kind", "set hone_device.kind, such as \"cpu\"");
    facts_ = facts_of(handle_, functions_);
    return device;
}

std::unique_ptr<Subject> Verifier::open(const Task& task, const Candidate& candidate, Json& facts,
                                        std::optional<CandidateFailure>& failure) {
    Collect out;
    void* subject = nullptr;
    const Json task_doc = to_json(task), candidate_doc = to_json(candidate);
    const Lending lent_task(task_doc, Task::title), lent_candidate(candidate_doc, Candidate::title);
    const hone_rc rc = handle_.enter("open", functions_.open, handle_.self(), lent_task.doc(), lent_candidate.doc(),
                                     &subject, out.out());
    facts = out.json();  // also of one that was built and cannot be run here
    failing_as<ItemFailed>([&] { handle_.check(rc, "open"); });
    check_told(facts, "verifier.open", handle_.name(), "open");
    const bool prepacks = find_extension(handle_.part(), HONE_EXT_PREPACK) && facts.value("prepack_steps", 0.0) > 0;
    if (subject) return std::make_unique<Subject>(handle_, functions_, subject, prepacks);
    if (!facts.contains("verdict"))
        throw PartBroken(handle_.name() + ": open: gave neither a candidate nor \"verdict\"");
    failure =
        ending_of(handle_, "open", std::move(out.json()), Verdict::COMPILE_ERROR, "the candidate could not be built");
    return nullptr;
}

Json Verifier::probe(const std::function<void()>& flush) {
    struct Flush {
        const std::function<void()>& body;
        std::exception_ptr error;
    } context{flush, nullptr};
    const auto call = [](void* ctx) -> hone_rc {
        auto& self = *static_cast<Flush*>(ctx);
        try {
            return self.body(), HONE_OK;
        } catch (...) {
            return self.error = std::current_exception(), HONE_FAILED;
        }
    };
    Collect found;
    const hone_rc rc =
        handle_.enter("probe", probe_->probe, handle_.self(), &context, flush ? +call : nullptr, found.out());
    if (context.error) std::rethrow_exception(context.error);
    handle_.check(rc, "probe");
    facts_ = facts_of(handle_, functions_);  // what it has measured meanwhile
    return facts_["probe"] = found.json();
}

std::uint64_t Verifier::reserve(std::uint64_t bytes, std::int32_t writable) {
    std::uint64_t at = 0;
    call_with_item(handle_, "reserve", functions_.reserve, handle_.self(), bytes, writable, &at);
    return at;
}
void Verifier::release(std::uint64_t at) { call_with_item(handle_, "release", functions_.release, handle_.self(), at); }
void Verifier::write(std::uint64_t at, const void* from, std::uint64_t bytes) {
    call_with_item(handle_, "write", functions_.write, handle_.self(), at, from, bytes);
}
void Verifier::read(std::uint64_t at, void* to, std::uint64_t bytes) {
    call_with_item(handle_, "read", functions_.read, handle_.self(), at, to, bytes);
}

void Verifier::set(std::uint64_t at, std::uint64_t bytes, std::uint32_t word) {
    if (data_) return call_with_item(handle_, "set", data_->set, handle_.self(), at, bytes, word);
    const std::string pattern = repeated(word, bytes);
    write(at, pattern.data(), pattern.size());
}

void Verifier::fill(const hone_tensor& to, std::uint64_t key, std::uint32_t number, std::int32_t law, float scale,
                    float shift) {
    if (data_) return call_with_item(handle_, "fill", data_->fill, handle_.self(), &to, key, number, law, scale, shift);
    std::vector<double> room(on_host::elements(to));  // of the widest dtype
    hone_tensor here = to;
    here.at = reinterpret_cast<std::uint64_t>(room.data());
    on_host::fill(here, key, number, {law, scale, shift});
    write(to.at, room.data(), room.size() * dtype_bytes(to.dtype));
}

void Verifier::gather(const hone_tensor& from, const std::int64_t* index, std::uint32_t n, double* to) {
    if (data_) return call_with_item(handle_, "gather", data_->gather, handle_.self(), &from, index, n, to);
    const std::size_t width = dtype_bytes(from.dtype);
    for (std::uint32_t i = 0; i < n; ++i) {
        std::uint64_t element = 0;
        read(from.at + static_cast<std::uint64_t>(index[i]) * width, &element, width);
        to[i] = widened_at(from.dtype, &element);
    }
}

void Verifier::copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
    call_with_item(handle_, "copy", functions_.checks->copy, handle_.self(), to, from, bytes);
}
void Verifier::differ(std::uint64_t a, std::uint64_t b, std::uint64_t bytes, std::uint64_t count) {
    call_with_item(handle_, "differ", functions_.checks->differ, handle_.self(), a, b, bytes, count);
}
void Verifier::strays(std::uint64_t at, std::uint64_t bytes, std::uint32_t word, std::uint64_t count) {
    call_with_item(handle_, "strays", functions_.checks->strays, handle_.self(), at, bytes, word, count);
}
void Verifier::widen(const hone_tensor& from, std::uint64_t to) {
    call_with_item(handle_, "widen", functions_.checks->widen, handle_.self(), &from, to);
}
void Verifier::moments(const hone_tensor& answer, std::uint64_t truth, std::uint64_t moments) {
    call_with_item(handle_, "moments", functions_.checks->moments, handle_.self(), &answer, truth, moments);
}
void Verifier::local_scale(std::uint64_t truth, std::uint64_t n, std::uint64_t row, double usual, double roundoff,
                           std::uint64_t local_scale) {
    call_with_item(handle_, "local_scale", functions_.checks->local_scale, handle_.self(), truth, n, row, usual,
                   roundoff, local_scale);
}
void Verifier::compare(const hone_tensor& got, const hone_comparison& with, std::uint64_t errors) {
    call_with_item(handle_, "compare", functions_.checks->compare, handle_.self(), &got, &with, errors);
}

ReferenceProgram::ReferenceProgram(const Handle& handle, const hone_reference& functions, void* program)
    : handle_(&handle), functions_(&functions), program_(program) {}
ReferenceProgram::ReferenceProgram(ReferenceProgram&& other) noexcept
    : handle_(other.handle_),
      functions_(other.functions_),
      program_(std::exchange(other.program_, nullptr)),
      memory_(other.memory_) {}
ReferenceProgram::~ReferenceProgram() {
    if (!program_) return;
    const InPart here = handle_->inside("close");
    functions_->close(program_);
}
void ReferenceProgram::launch(const hone_call& call) {
    if (!memory_) return handle_->call("launch", functions_->launch, program_, &call);
    StagedCall staged(call, *memory_);
    handle_->call("launch", functions_->launch, program_, &staged.call());
    staged.write_outputs();
}

void ReferenceProgram::wait() {
    if (HONE_OFFERS(functions_, wait)) handle_->call("wait", functions_->wait, program_);
}

double ReferenceProgram::inside() const {
    double seconds = std::numeric_limits<double>::quiet_NaN();
    if (HONE_OFFERS(functions_, inside)) handle_->call("inside", functions_->inside, program_, &seconds);
    return seconds;
}

void ReferenceProgram::deliver(const hone_call& call) {
    if (HONE_OFFERS(functions_, deliver)) handle_->call("deliver", functions_->deliver, program_, &call);
}

void ReferenceProgram::null_call() { handle_->call("null_call", functions_->null_call, program_); }

Reference::Reference(const Recipe& recipe) : handle_(recipe), functions_(functions_of<hone_reference>(handle_)) {}

ReferenceProgram Reference::open(const hone_device& device, const Task& task, const char* form) {
    void* program = nullptr;
    const Json doc = to_json(task);
    const Lending lent(doc, Task::title);
    handle_.call("open", functions_.open, handle_.self(), &device, lent.doc(), form, &program);
    return {handle_, functions_, program};
}

Json Reference::facts() const { return facts_of(handle_, functions_); }

}  // namespace hone
