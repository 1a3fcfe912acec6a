#include "subject.hpp"
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <chrono>
#include <new>

namespace hone::cuda {
namespace {

constexpr double start_seconds = 10, launch_seconds = 2, look_seconds = 5e-3;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::string bounded(const char* text, std::size_t room) { return std::string(text, strnlen(text, room)); }

// What a CUDA error of the runner says about the kernel that caused it.
std::pair<const char*, std::string> explain(int result) {
    switch (result) {
        case 1: return {"LAUNCH_ERROR", "the launch was refused: its grid or block is not possible on this device"};
        case 2: return {"OUT_OF_MEMORY", "the device had no memory for the kernel's local memory"};
        case 700: return {"RUNTIME_ERROR", "illegal address: the kernel wrote an input, or touched memory outside the tensors"};
        case 701: return {"LAUNCH_ERROR", "too many registers or too much shared memory for this block size"};
        case 702: return {"TIMEOUT", "the driver ended the kernel for its run time"};
        case 710: return {"RUNTIME_ERROR", "an assertion in the kernel failed"};
        case 714: case 715: return {"RUNTIME_ERROR", "illegal instruction or shared memory out of range"};
        case 716: return {"RUNTIME_ERROR", "misaligned address"};
        case 719: return {"RUNTIME_ERROR", "the kernel ended itself (trap)"};
        default: return {"RUNTIME_ERROR", "CUDA error " + std::to_string(result)};
    }
}

}  // namespace

Subject::Region::Region(const Host& from, std::uint64_t bytes, bool writable) : host(from.raw()) {
    from.check(host->share(host->ctx, bytes, writable, &region), "verifier.cuda: no shared memory");
}

Subject::Region::~Region() { host->unshare(host->ctx, &region); }

Subject::Subject(const Host& host, int block)
    : host_(host.raw()),
      block_(static_cast<unsigned>(block)),
      page_region_(host, sizeof(RunnerPage), true),
      page_(new (page_region_.region.at) RunnerPage{}) {}

Subject::~Subject() {
    if (jail_.end) jail_.end(jail_.ctx);
}

std::unique_ptr<Subject> Subject::start(const Host& host, Device device, const std::string& runner, const std::string& cubin,
                                        const std::vector<Reserved>& reserved, int block, Out facts) {
    std::unique_ptr<Subject> made(new Subject(host, block));
    return made->open(device, runner, cubin, reserved, facts) ? std::move(made) : nullptr;
}

bool Subject::open(Device device, const std::string& runner, const std::string& cubin, const std::vector<Reserved>& reserved, Out facts) {
    const Host host(host_);
    const Region code(host, cubin.size(), false);
    std::memcpy(code.region.at, cubin.data(), cubin.size());
    OpenMessage message{};
    message.cubin_bytes = cubin.size();
    message.device = device;
    std::vector<int> files = {page_region_.region.file, code.region.file};
    std::vector<const Reserved*> shown;
    for (const auto& r : reserved) {
        if (r.writable == 2) continue;
        if (shown.size() == max_mapped) throw Refused("verifier.cuda: more than " + std::to_string(max_mapped) + " pieces of memory");
        message.memories[shown.size()] = {r.memory.bytes, r.writable, 0};
        shown.push_back(&r);
        files.push_back(r.memory.file);
    }
    message.n_memories = static_cast<std::uint32_t>(shown.size());

    hone_jail_plan plan{};
    plan.size = sizeof plan;
    plan.runner = runner.c_str();
    plan.threads = 1;
    host.check(host_->jail(host_->ctx, &plan, &jail_, const_cast<hone_out*>(facts.raw())), "verifier.cuda: the runner did not start");
    OpenReply reply;
    std::uint64_t got = 0;
    const hone_rc told = jail_.tell(jail_.ctx, &message, sizeof message, files.data(), static_cast<std::uint32_t>(files.size()), &reply,
                                    sizeof reply, &got, start_seconds, const_cast<hone_out*>(facts.raw()));
    if (told != HONE_OK || got != sizeof reply) throw Failed("verifier.cuda: the runner ended while it made its context");
    const std::string verdict = bounded(reply.verdict, sizeof reply.verdict), reason = bounded(reply.reason, sizeof reply.reason);
    if (verdict == "INFRASTRUCTURE") throw Failed("verifier.cuda: the runner cannot work here: " + reason);
    facts.num("registers", reply.registers);
    facts.num("shared_bytes", reply.shared_bytes);
    facts.num("local_bytes", reply.local_bytes);
    facts.num("cubin_bytes", static_cast<double>(cubin.size()));
    facts.num("parameters", reply.parameters);
    if (!verdict.empty()) {
        facts.text("verdict", verdict);
        facts.text("reason", reason);
        return false;
    }
    for (std::size_t i = 0; i < shown.size(); ++i) windows_.push_back({shown[i]->memory.at, shown[i]->memory.bytes, reply.addresses[i]});
    return true;
}

std::uint64_t Subject::translate(std::uint64_t at) const {
    for (const auto& w : windows_)
        if (at >= w.begin && at < w.begin + w.bytes) return w.inside + (at - w.begin);
    throw Refused("verifier.cuda: a tensor lies outside the memory that the candidate may see");
}

void Subject::launch(const hone_call& call) {
    if (call.n_in + call.n_out + call.n_sizes > max_arguments || call.n_out == 0)
        throw Refused("verifier.cuda: a call of this many arguments is not possible");
    std::uint32_t n = 0;
    for (std::uint32_t i = 0; i < call.n_in; ++i) page_->arguments[n++] = translate(call.in[i].at);
    for (std::uint32_t i = 0; i < call.n_out; ++i) page_->arguments[n++] = translate(call.out[i].at);
    for (std::uint32_t i = 0; i < call.n_sizes; ++i) page_->arguments[n++] = static_cast<std::uint64_t>(call.sizes[i]);
    page_->n_arguments = n;
    std::uint64_t elements = 1;
    for (int i = 0; i < call.out[0].rank; ++i) elements *= static_cast<std::uint64_t>(call.out[0].shape[i]);
    page_->grid = static_cast<std::uint32_t>((elements + block_ - 1) / block_);
    page_->block = block_;
    ring(Work::kernel);
}

void Subject::empty() { ring(Work::nothing); }

void Subject::ring(Work work) {
    page_->work = work;
    page_->go.store(++calls_);
    syscall(SYS_futex, &page_->go, FUTEX_WAKE, 1, nullptr, nullptr, 0);
    late_ = !await(page_->launched, launch_seconds);
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
        if (jail_.wait(jail_.ctx, 0, nullptr) != HONE_OK) dead_ = true;
        if (dead_) return false;
    }
    return true;
}

bool Subject::wait(double seconds, double& inside, Out end) {
    const bool done = !late_ && await(page_->done, seconds);
    if (dead_) {
        jail_.wait(jail_.ctx, 0, const_cast<hone_out*>(end.raw()));
        return false;
    }
    if (!done) {
        end.text("verdict", "TIMEOUT");
        end.text("reason", late_ ? "the kernel could not be launched within 2 s"
                                 : "the kernel did not end within " + std::to_string(seconds).substr(0, 5) + " s");
        return false;
    }
    const int result = page_->result;
    if (result != 0) {
        const auto [verdict, reason] = explain(result);
        end.text("verdict", verdict);
        end.text("reason", reason);
        return false;
    }
    inside = static_cast<double>(page_->milliseconds) * 1e-3;
    return true;
}

}  // namespace hone::cuda
