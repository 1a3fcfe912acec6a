// One Python program, in a process that the zygote has forked for it.
#pragma once
#include <functional>
#include <memory>
#include <vector>
#include "hone/plugin.hpp"
#include "hone/shared_memory.hpp"
#include "verifier_python/page.hpp"
#include "verifier_python/zygote.hpp"

namespace hone::python {

// A piece of the bench's memory that a program may see.
struct Piece {
    std::uint64_t begin, bytes;  // begin: in the bench
    int file;
    bool writable;
};

// What a kind of device wants otherwise.
struct Manners {
    bool spin = false;              // wait for the program with a core of the bench's own
    std::function<bool()> lingers;  // whether something of the program still runs on the device; null: nothing can
};

class Subject : public LoadedCandidate {
public:
    // null: a bad program, told in facts.
    static std::unique_ptr<Subject> start(const Host&, Zygote&, const Doc& task, const Doc& candidate,
                                          std::vector<Piece>, Manners, Out facts);
    ~Subject() override;
    Subject(const Subject&) = delete;

    void launch(const hone_call&) override;
    bool wait(double seconds, double& inside, Out end) override;
    void suspend(bool suspended) override;
    void null_call() override;
    void prepack(const hone_call&) override;
    void check(const hone_call&, Out verdict) override;
    int32_t process() override { return pid_; }

private:
    Subject(const Host&, Zygote&, const Doc& task, std::vector<Piece>, Manners);
    bool open(const Host&, const Doc& task, const Doc& candidate, Out facts);
    void place(const hone_call&);
    void describe(const hone_tensor&, std::uint64_t bits, Tensor&) const;
    void ring(Work);
    bool await(const std::atomic<std::uint32_t>&, double seconds);
    void explain(Out end);
    void explain_end(Out end);

    Zygote& zygote_;
    std::vector<Piece> pieces_;
    Manners manners_;
    SharedMemory page_memory_;
    Page* page_;
    std::vector<std::int64_t> timed_;  // sizes of the task's timed shape
    int pid_ = 0;
    std::uint32_t calls_ = 0;
    // stopped: no thread of it runs. hidden: it has seen a shape that prompts must not learn.
    bool late_ = false, gone_ = false, stopped_ = false, lingers_ = false, hidden_ = false;
};

}  // namespace hone::python
