#include "verifier_python/subject.hpp"
#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <new>
#include <stdexcept>
#include "verifier_python/brief.hpp"
#include "verifier_python/extensions.hpp"
#include "verifier_python/process.hpp"

namespace hone::python {
namespace {

constexpr double first_seconds = 5;    // of a first call on a device: libraries are loaded and choose their kernels
constexpr double look_seconds = 5e-3;  // between two looks whether it lives
constexpr double wake_seconds = 1;
constexpr std::size_t most_placings = 1024;

// Left behind by a call. torch has a team or two of as many as there are cores; a driver has a few.
int most_threads() {
    static const int most = 64 + 4 * static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
    return most;
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void futex(const std::atomic<std::uint32_t>& word, int operation, std::uint32_t value, double seconds = 0) {
    const timespec limit{0, static_cast<long>(seconds * 1e9)};
    syscall(SYS_futex, &word, operation, value, operation == FUTEX_WAIT ? &limit : nullptr, nullptr, 0);
}

constexpr std::size_t most_extensions = 8;

// In the words of runner/zygote.py.
void list(const std::deque<Extension>& extensions, std::string& order, std::vector<int>& files) {
    for (const Extension& extension : extensions) {
        order += (extension.failure.empty() ? "library " : "failure ") + extension.key;
        order += extension.failure.empty() ? "\n" : " " + extension.failure + "\n";
        if (extension.failure.empty()) files.push_back(extension.library.region().file);
    }
}

std::string bounded(const char* text, std::size_t room) { return std::string(text, strnlen(text, room)); }

// One line for each input of the task: its name, and what the module gets of it.
std::string input_lines(const Doc& task) {
    std::string lines;
    for (long i = 0; i < task.count("inputs"); ++i) {
        const std::string at = "inputs." + std::to_string(i) + ".";
        const char* const kind = task.flag(at + "scalar") ? "scalar" : task.flag(at + "constant") ? "constant" : "data";
        lines += "input " + task.text(at + "name") + " " + kind + "\n";
    }
    return lines;
}

// Of products of float32; torch's own preset differs between matrices and convolutions.
bool allows_tf32(const Doc& task) {
    const std::string of_class = task.text("tolerance.class");
    return of_class != "f64" && of_class != "f32" && !of_class.empty();
}

std::vector<std::int64_t> timed_sizes(const Doc& task) {
    std::vector<std::int64_t> sizes;
    for (long i = 0; i < task.count("sizes"); ++i)
        sizes.push_back(task.integer("shape." + task.text("sizes." + std::to_string(i))));
    return sizes;
}

}  // namespace

Subject::Subject(const Host& host, Zygote& zygote, const Doc& task, bool empty, std::vector<Piece> pieces,
                 Manners manners)
    : zygote_(zygote),
      empty_(empty),
      pieces_(std::move(pieces)),
      manners_(std::move(manners)),
      page_memory_(host, sizeof(Page) + wish_room, true),
      page_(new (page_memory_.region().at) Page{}),
      timed_(timed_sizes(task)),
      patience_(first_seconds) {}

Subject::~Subject() {
    if (pid_) zygote_.end(pid_);
}

std::unique_ptr<Subject> Subject::start(const Host& host, Zygote& zygote, const Doc& task, const std::string& code,
                                        std::vector<Piece> pieces, Manners manners, Out facts) {
    const bool empty = code == no_program;
    std::unique_ptr<Subject> made(new Subject(host, zygote, task, empty, std::move(pieces), std::move(manners)));
    return made->open(host, task, empty ? "" : code, facts) ? std::move(made) : nullptr;
}

bool Subject::open(const Host& host, const Doc& task, const std::string& code, Out facts) {
    const std::string module = task.text("device.module");
    const SharedMemory sources(host, code.size() + module.size(), false);
    char* const at = static_cast<char*>(sources.region().at);
    std::copy(module.begin(), module.end(), std::copy(code.begin(), code.end(), at));
    std::string order = "open\npage " + std::to_string(offsetof(Page, reason)) + " " + std::to_string(sizeof(Page)) +
                        "\nsources " + std::to_string(code.size()) + " " + std::to_string(module.size()) + "\n" +
                        input_lines(task) + (allows_tf32(task) ? "tf32\n" : "") + (manners_.remake ? "remake\n" : "");
    std::vector<int> files = {page_memory_.region().file, sources.region().file};
    for (const Piece& piece : pieces_) {
        order += "memory " + std::to_string(piece.bytes) + (piece.writable ? " 1\n" : " 0\n");
        files.push_back(piece.file);
    }
    const Beginning beginning = begin(order, files, code, facts);
    if (beginning.verdict == "INFRASTRUCTURE") throw Failed("verifier.python: " + beginning.reason);
    if (beginning.verdict == "ended") return explain_end(facts), false;
    if (beginning.verdict.empty()) return true;
    facts.text("verdict", beginning.verdict);
    facts.text("reason", beginning.reason);
    return false;
}

// As often as the program wants one more extension.
Beginning Subject::begin(const std::string& order, const std::vector<int>& files, const std::string& code, Out facts) {
    if (!manners_.extensions) return fork(order, files);
    Extensions::Wanted& wanted = manners_.extensions->of(code);
    for (double seconds = 0;;) {
        std::string known = order;
        std::vector<int> all = files;
        list(wanted.extensions, known, all);
        const Beginning beginning = fork(known, all);
        wanted.complete = wanted.complete || beginning.verdict.empty();
        if (beginning.verdict != "wants") return beginning;
        zygote_.end(std::exchange(pid_, 0));
        page_->ended.store(0);
        if (wanted.extensions.size() == most_extensions || wanted.complete)
            return {0, "COMPILE_ERROR", "it wants too many extensions, or others than when it began first"};
        try {
            wanted.extensions.push_back(manners_.extensions->build(read_wish(wish())));
        } catch (const std::invalid_argument& error) {
            return {0, "COMPILE_ERROR", std::string("what it wants compiled cannot be read: ") + error.what()};
        }
        facts.num("build_seconds", seconds += wanted.extensions.back().seconds);
    }
}

Beginning Subject::fork(const std::string& order, const std::vector<int>& files) {
    Beginning beginning = zygote_.fork(order, files);
    pid_ = beginning.pid;
    if (!manners_.on_device) worked_ = std::make_unique<WorkedTime>(pid_);
    generation_ = zygote_.generation();
    return beginning;
}

// The program can write all of it, also the length.
std::string Subject::wish() const {
    const char* const at = reinterpret_cast<const char*>(page_ + 1);
    std::uint64_t length = 0;
    std::memcpy(&length, at, sizeof length);
    return std::string(at + sizeof length, std::min<std::uint64_t>(length, wish_room - sizeof length));
}

void Subject::describe(const hone_tensor& tensor, std::uint64_t bits, Tensor& to) const {
    const auto piece = std::find_if(pieces_.begin(), pieces_.end(), [&](const Piece& p) {
        return tensor.at >= p.begin && tensor.at < p.begin + p.bytes;
    });
    if (piece == pieces_.end() || tensor.rank > static_cast<std::int32_t>(max_rank))
        throw Failed("verifier.python: a tensor has more than " + std::to_string(max_rank) +
                     " dimensions, or lies in no memory that the program sees");
    to = {static_cast<std::uint32_t>(piece - pieces_.begin()),
          tensor.dtype,
          static_cast<std::uint32_t>(tensor.rank),
          0,
          tensor.at - piece->begin,
          bits,
          {}};
    std::copy_n(tensor.shape, tensor.rank, to.shape);
}

void Subject::place(const hone_call& call) {
    if (call.n_in + call.n_out > max_tensors)
        throw Failed("verifier.python: a call has more than " + std::to_string(max_tensors) + " tensors");
    tensors_.resize(call.n_in + call.n_out);  // the page is the program's to write, too
    for (std::uint32_t i = 0; i < call.n_in; ++i) describe(call.in[i], call.values ? call.values[i] : 0, tensors_[i]);
    for (std::uint32_t i = 0; i < call.n_out; ++i) describe(call.out[i], 0, tensors_[call.n_in + i]);
    std::copy(tensors_.begin(), tensors_.end(), page_->tensors);
    page_->n_in = call.n_in;
    page_->n_out = call.n_out;
    page_->placing = placing();
    hidden_ = hidden_ || !std::equal(timed_.begin(), timed_.end(), call.sizes, call.sizes + call.n_sizes);
}

// By it the process finds the views that it has made of the same tensors before.
std::uint32_t Subject::placing() {
    if (placings_.size() == most_placings) placings_.clear();
    const std::string described(reinterpret_cast<const char*>(tensors_.data()), tensors_.size() * sizeof(Tensor));
    return placings_.try_emplace(described, ++placed_).first->second;
}

void Subject::launch(const hone_call& call) {
    place(call);
    ring(empty_ ? Work::nothing : Work::forward);
}

void Subject::prepack(const hone_call& call) {
    place(call);
    ring(Work::weights);
}

void Subject::null_call() { ring(Work::nothing); }

// What a program's next call gets is told to it when the call begins: there is nothing yet that it could begin with. So
// it may be awake: to wake up takes 50 or 250 us by chance.
void Subject::prepare(const hone_call& call) {
    if (empty_) place(call);
    answer_awake();
}

void Subject::answer_awake() {
    if (!manners_.on_device || gone_) return;
    if (empty_ && generation_ != zygote_.generation())
        throw Failed("verifier.python: the process that makes the empty calls has ended");
    page_->work = Work::wake;
    page_->go.store(++calls_);
    if (std::exchange(stopped_, false)) let_go(pid_);
    futex(page_->go, FUTEX_WAKE, 1);
    if (!await(wake_seconds) && empty_)
        throw Failed("verifier.python: the process that makes the empty calls does not answer");
}

void Subject::ring(Work work) {
    if (worked_) worked_before_ = worked_->seconds();
    page_->work = work_ = work;
    page_->go.store(++calls_);
    if (stopped_) let_go(pid_);
    stopped_ = false;
    futex(page_->go, FUTEX_WAKE, 1);
    if (!manners_.on_device) return;
    late_ = !await(patience_);
    if (!gone_) kill(pid_, SIGSTOP);  // stand_still makes sure, outside of the clock
}

// A program that says that it has ended has ended, also where its answer came: no chance decides.
bool Subject::await(double seconds) {
    const double begun = now();
    for (std::uint32_t seen; (seen = page_->done.load(std::memory_order_acquire)) != calls_;) {
        if (!manners_.on_device) futex(page_->done, FUTEX_WAIT, seen, look_seconds);
        // what follows takes time
        if (page_->done.load(std::memory_order_acquire) == calls_ || page_->ended.load()) break;
        // on a device the call is the device's, and takes no core
        const double worked = worked_ ? worked_->seconds() - worked_before_ : seconds;
        if (is_late(now() - begun, worked, seconds)) break;
    }
    gone_ = page_->ended.load();
    return !gone_ && page_->done.load() == calls_;
}

// Between two of its calls a program must not look at what the bench writes for the next.
bool Subject::stand_still() {
    if (stopped_ || gone_) return true;
    const std::optional<int> threads = stop_process(pid_);
    threads_ = threads.value_or(0);
    stopped_ = threads.has_value();
    return stopped_;
}

bool Subject::wait(double seconds, double& inside, Out end) {
    inside = NAN;
    patience_ = seconds;
    const bool done = manners_.on_device ? !late_ : await(seconds);
    if (gone_) return explain_end(end), false;
    if ((manners_.on_device || work_ == Work::weights) && !stand_still()) return explain_unstoppable(end), false;
    if (empty_) answer_awake();
    if (!done) {
        end.text("verdict", "TIMEOUT");
        end.text("reason", "the call did not end in time");
        return false;
    }
    const auto& failed =
        *const_cast<const volatile std::uint32_t*>(&page_->failed);  // the process may write it meanwhile
    if (const std::uint32_t failure = failed) return explain(failure, end), false;
    return true;
}

// Once it has seen a hidden shape nothing that it wrote is told: reasons reach prompts. Nor are the words by which the
// judge knows texts of its own (told_of_secret_call in judge/call/call_setup.cpp).
void Subject::explain(std::uint32_t failed, Out end) {
    const std::size_t failure = std::min<std::size_t>(failed, std::size(failures)) - 1;
    const std::string reason = bounded(page_->reason, sizeof page_->reason);
    const bool imitates = reason.find("SIGSEGV") != std::string::npos ||
                          reason.find("illegal address") != std::string::npos ||
                          reason.find("system call") != std::string::npos;
    end.text("verdict", failures[failure]);
    end.text("reason", hidden_ || imitates ? "an exception was raised whose text is not told" : reason);
}

void Subject::explain_end(Out end) {
    const std::string how = zygote_.how_it_ended(pid_);
    const bool forbidden = how == "signal 31";  // SIGSYS
    end.text("verdict", forbidden ? "REWARD_HACK" : "RUNTIME_ERROR");
    if (forbidden) end.text("kind", "system call");
    end.text("reason", forbidden ? "system call: one that the process of a program must not make"
                       : how == "signal 11" || how == "signal 7" ? "ended by SIGSEGV; does it write to its inputs?"
                                                                 : "ended its process instead of returning");
}

void Subject::suspend(bool suspended) {
    if (!suspended || gone_) return;
    unstoppable_ = !stand_still();
    lingers_ = manners_.lingers && manners_.lingers();
}

void Subject::explain_unstoppable(Out end) {
    end.text("verdict", "RUNTIME_ERROR");
    end.text("reason", "its process could not be stopped");
}

// Their number is not told: it could tell what the program has seen.
void Subject::explain_threads(Out end) {
    end.text("verdict", "REWARD_HACK");
    end.text("reason",
             "it leaves more than " + std::to_string(most_threads()) + " threads behind; end them, or use torch's");
    end.text("kind", "threads");
}

void Subject::check(const hone_call&, Out verdict) {
    if (unstoppable_) return explain_unstoppable(verdict);
    if (threads_ > most_threads()) return explain_threads(verdict);
    if (!lingers_) return;
    verdict.text("verdict", "REWARD_HACK");
    verdict.text("reason", "it goes on running on the device after it has said that it is finished");
    verdict.text("kind", "runs on");
}

}  // namespace hone::python
