#include "verifier_cuda/runner/subject.hpp"
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <algorithm>
#include <new>
#include "verifier_cuda/plan/hidden.hpp"
#include "verifier_cuda/runner/endings.hpp"

namespace hone::cuda {
namespace {

constexpr double start_seconds = 10, look_seconds = 5e-3;
// A driver has kept an honest kernel waiting for more than two; a queue that is full of endless work never moves. What
// a launch waits is a part of its call's limit, so that a bench never ends before its program does.
constexpr double launch_seconds = 4, least_after_launch = 0.5;
constexpr double library_start_seconds = 60;  // LibTorch's libraries are gigabytes, and may not have been read yet
constexpr double trial_seconds = 20;          // of all library steps at all shapes

std::string bounded(const char* text, std::size_t room) { return std::string(text, strnlen(text, room)); }

std::string printable(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    return text;
}

}  // namespace

Workspace::Workspace(const Bench& bench, std::uint64_t bytes) : bench_(bench) {
    if (!bytes) return;
    memory_ = create_shared(*bench_.driver, bench_.device, bytes, true);
    poison();
}

Workspace::~Workspace() {
    if (!memory_.bytes) return;
    bench_.driver->set_context(bench_.context);
    destroy(*bench_.driver, memory_);
}

void Workspace::poison() {
    if (!memory_.bytes) return;
    bench_.driver->check(bench_.driver->set_context(bench_.context), "cuCtxSetCurrent");
    bench_.driver->check(bench_.driver->set_words(memory_.at, word_++, memory_.bytes / 4, nullptr),
                         "cuMemsetD32Async (workspaces)");
}

Subject::Subject(const Host& host, const Bench& bench, std::unique_ptr<Plan> plan)
    : host_(host),
      bench_(bench),
      plan_(std::move(plan)),
      workspace_(bench, plan_->workspace_bytes()),
      page_region_(host, sizeof(RunnerPage), true),
      page_(new (page_region_.region().at) RunnerPage{}) {}

std::unique_ptr<Subject> Subject::start(const Host& host, const Bench& bench, Runners& runners,
                                        std::unique_ptr<Plan> plan, const std::vector<std::string>& modules,
                                        const std::vector<Reserved>& reserved, Out facts) {
    forget_xids(bench.management);  // of others, before
    std::unique_ptr<Subject> made(new Subject(host, bench, std::move(plan)));
    return made->open(runners, modules, reserved, facts) ? std::move(made) : nullptr;
}

// What a runner is told, and the memory that it will see.
struct Subject::Opening {
    OpenMessage message{};
    std::vector<int> files;
    void show(const Mapped& memory, int writable) {
        if (message.n_memories == max_mapped)
            throw Refused("verifier.cuda: more than " + std::to_string(max_mapped) + " pieces of memory");
        message.memories[message.n_memories++] = {memory.bytes, writable, 0};
        files.push_back(memory.file);
    }
    // Program and modules, one behind the other.
    static std::uint64_t code_bytes(const std::vector<std::string>& modules) {
        std::uint64_t bytes = aligned_bytes(sizeof(Program));
        for (const std::string& module : modules) bytes += aligned_bytes(module.size());
        return bytes;
    }
    void place(char* at, const Program& program, const std::vector<std::string>& modules) {
        std::memcpy(at, &program, sizeof program);
        at += aligned_bytes(sizeof program);
        for (std::size_t i = 0; i < modules.size(); at += aligned_bytes(modules[i++].size())) {
            message.module_bytes[i] = modules[i].size();
            std::memcpy(at, modules[i].data(), modules[i].size());
        }
    }
};

bool Subject::open(Runners& runners, const std::vector<std::string>& modules, const std::vector<Reserved>& reserved,
                   Out facts) {
    Opening opening;
    opening.message.code_bytes = Opening::code_bytes(modules);
    const SharedMemory code(host_, opening.message.code_bytes, false);
    opening.place(static_cast<char*>(code.region().at), plan_->program, modules);
    opening.files = {page_region_.region().file, code.region().file};
    for (const auto& r : reserved)
        if (r.writable != 2) opening.show(r.memory, r.writable);
    if (workspace_.memory().bytes) opening.show(workspace_.memory(), 1);

    auto reply = std::make_unique<OpenReply>();
    const double patience = plan_->program.n_library_steps ? library_start_seconds : start_seconds;
    bool told = false;
    for (int attempt = 0; attempt < 2 && !told; ++attempt) {  // one may have died just now, while it waited
        runner_ = runners.take();
        told = runner_.tell(opening.message, opening.files, *reply, patience);
    }
    if (!told) throw Failed("verifier.cuda: the runner ended while it made its context or took the kernels");
    const std::string verdict = bounded(reply->verdict, sizeof reply->verdict),
                      reason = bounded(reply->reason, sizeof reply->reason);
    if (verdict == "INFRASTRUCTURE") throw Failed("verifier.cuda: the runner cannot work here: " + reason);
    tell_kernels(*reply, facts);
    if (!verdict.empty()) {
        facts.text("verdict", verdict);
        facts.text("reason", reason);
        return false;
    }
    std::size_t i = 0;
    for (const auto& r : reserved)
        if (r.writable != 2) windows_.push_back({r.memory.at, r.memory.bytes, reply->addresses[i++]});
    workspace_inside_ = reply->addresses[i];
    return plan_->program.n_library_steps == 0 || try_library(facts);
}

bool Subject::try_library(Out facts) {
    ring(Work::trial);
    const bool done = !late_ && await(page_->done, trial_seconds);
    if (dead_) return runner_.lives(facts);
    const int result = page_->result;
    if (done && result == 0) return true;
    if (!done) {
        facts.text("verdict", "TIMEOUT");
        facts.text("reason", "the plan's operators did not end within " +
                                 std::to_string(static_cast<int>(trial_seconds)) + " s when each was tried once");
        return false;
    }
    shape_ = std::min<std::uint32_t>(page_->shape, max_shapes - 1);
    const auto [verdict, reason] = explain(result);
    facts.text("verdict", result == library_failed ? "LAUNCH_ERROR" : verdict);
    facts.text("reason", told(shape_ == 0, refused_step() + reason + said(result), hidden_load));
    return false;
}

void Subject::tell_kernels(const OpenReply& reply, Out facts) const {
    const Program& program = plan_->program;
    KernelFacts most;
    for (std::uint32_t i = 0; i < program.timed.kernels; ++i) {
        const KernelFacts& kernel = reply.kernels[i];
        const std::string at = program.kernels[i].name + std::string(".");
        facts.num(at + "registers", kernel.registers);
        facts.num(at + "shared_bytes", kernel.shared_bytes);
        facts.num(at + "local_bytes", kernel.local_bytes);
        facts.num(at + "max_threads", kernel.max_threads);
        facts.num(at + "blocks_a_multiprocessor", kernel.blocks);
        most.registers = std::max(most.registers, kernel.registers);
        most.shared_bytes = std::max(most.shared_bytes, kernel.shared_bytes);
        most.local_bytes = std::max(most.local_bytes, kernel.local_bytes);
    }
    facts.num("registers", most.registers);
    facts.num("shared_bytes", most.shared_bytes);
    facts.num("local_bytes", most.local_bytes);
}

std::uint64_t Subject::translate(std::uint64_t at) const {
    for (const auto& w : windows_)
        if (at >= w.begin && at < w.begin + w.bytes) return w.inside + (at - w.begin);
    throw Refused("verifier.cuda: a tensor lies outside the memory that the candidate may see");
}

std::uint32_t Subject::shape_of(const hone_call& call) const {
    for (std::size_t shape = 0; shape < plan_->sizes.size(); ++shape)
        if (std::equal(call.sizes, call.sizes + call.n_sizes, plan_->sizes[shape].begin(), plan_->sizes[shape].end()))
            return static_cast<std::uint32_t>(shape);
    throw Refused("verifier.cuda: a call at a shape that the task does not name");
}

void Subject::launch(const hone_call& call) {
    place(call);
    ring(Work::steps);
}

void Subject::prepare(const hone_call& call) {
    place(call);
    ring(Work::prepare);
}

void Subject::prepack(const hone_call& call) {
    place(call);
    ring(Work::prepack);
}

void Subject::place(const hone_call& call) {
    const std::uint32_t shape = shape_of(call);
    const Plan::Workspaces& workspaces = plan_->workspaces[shape];
    if (call.n_in + call.n_out + workspaces.begins.size() > max_tensors)
        throw Refused("verifier.cuda: a call of this many tensors is not possible");
    std::uint64_t* address = page_->addresses;
    for (std::uint32_t i = 0; i < call.n_in; ++i)
        *address++ = call.in[i].rank == 0 ? call.values[i] : translate(call.in[i].at);
    for (std::uint32_t i = 0; i < call.n_out; ++i) *address++ = translate(call.out[i].at);
    for (const std::uint64_t begin : workspaces.begins) *address++ = workspace_inside_ + begin;
    page_->shape = shape_ = shape;
}

void Subject::null_call() { ring(Work::nothing); }

void Subject::ring(Work work) {
    page_->work = work_ = work;
    page_->go.store(++calls_);
    syscall(SYS_futex, &page_->go, FUTEX_WAKE, 1, nullptr, nullptr, 0);
    const double begun = now();
    late_ = !await(page_->launched, launch_seconds);
    launching_ = now() - begun;
}

bool Subject::await(const std::atomic<std::uint32_t>& word, double seconds) {
    const double until = now() + seconds;
    double next_look = now() + look_seconds;
    for (int i = 0; word.load(std::memory_order_acquire) != calls_; ++i) {
        __builtin_ia32_pause();
        if (i % 1024 != 1023) continue;
        const double t = now();
        if (t > until) return false;
        if (t < next_look) continue;
        next_look = t + look_seconds;
        dead_ = !runner_.lives(Out(nullptr));
        if (dead_) return false;
    }
    return true;
}

// "kernel second: ", where its launch was refused and others could be meant. A kernel's name at a hidden shape may be
// made of its sizes.
std::string Subject::refused_step() const {
    const Program& program = plan_->program;
    const StepList& list = (work_ == Work::prepack ? program.prepacks : program.shapes)[shape_];
    const std::uint32_t refused = page_->refused;
    if (shape_ != 0 || program.inferred || refused == 0 || refused > list.n) return "";
    const Step& step = program.steps[list.first + refused - 1];
    if (step.kind == StepKind::library)
        return std::string("torch \"") + program.library_steps[step.library].name + "\": ";
    return step.kind == StepKind::kernel ? std::string("kernel ") + program.kernels[step.kernel].name + ": " : "";
}

// What LibTorch said of an operator; nothing at a hidden shape.
std::string Subject::said(int result) const {
    if (result != library_failed || shape_ != 0) return "";
    return ": " + printable(bounded(page_->words, sizeof page_->words));
}

bool Subject::wait(double seconds, double& inside, Out end) {
    const bool done =
        !late_ && await(page_->done, std::max(seconds - launching_, std::min(seconds, least_after_launch)));
    if (dead_) return runner_.lives(end);
    if (!done) {
        end.text("verdict", "TIMEOUT");
        // no number: what prepacking took of the limit could stand for a hidden size
        end.text("reason", late_ ? "the kernel could not be launched within 4 s" : "the kernel did not end in time");
        return false;
    }
    const int result = page_->result;
    const Cause cause = ends_context(result) ? cause_of(wait_for_xids(bench_.management)) : Cause{};
    if (blames_the_device(result) || cause.hardware)
        throw Broken("verifier.cuda: the device itself failed: CUDA error " + std::to_string(result) +
                     (cause.xid ? ", Xid " + std::to_string(cause.xid) : ""));
    if (result != 0) {
        const auto [verdict, reason] = explain(result);
        if (cause.xid) end.num("xid", cause.xid);
        end.text("verdict", verdict);
        end.text("reason", refused_step() + reason + said(result));
        return false;
    }
    inside = static_cast<double>(page_->milliseconds) * 1e-3;
    recorded_ = page_->recorded;
    if (work_ == Work::steps) workspace_.poison();  // what was prepacked is there until then
    return true;
}

void Subject::suspend(bool suspended) {
    if (!suspended || (work_ != Work::steps && work_ != Work::prepack)) return;
    lingers_ = bench_.works_for_another();
}

void Subject::check(const hone_call&, Out verdict) {
    if (!lingers_) return;
    verdict.text("verdict", "REWARD_HACK");
    verdict.text("reason", "it goes on running on the device after it has said that it is finished");
    verdict.text("kind", "runs on");
}

}  // namespace hone::cuda
