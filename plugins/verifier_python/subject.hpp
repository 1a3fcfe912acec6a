// One Python program, in a process that the zygote has forked for it.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>
#include "hone/plugin.hpp"
#include "hone/shared_memory.hpp"
#include "verifier_python/page.hpp"
#include "verifier_python/process.hpp"
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
    // A call is over, and the process stands still, when launch returns: what a device still has to do is then all that
    // there is to wait for. Otherwise wait() waits for the process.
    bool on_device = false;
    std::function<bool()> lingers;  // whether something of the program still runs on the device; null: nothing can
    class Extensions* extensions = nullptr;  // null: nothing is compiled
    bool remake = false;                     // ModelNew is made anew with the weights of each call
};

class Subject : public LoadedCandidate {
public:
    // code: no_program for a process that makes empty calls alone. null: a bad program, told in facts.
    static std::unique_ptr<Subject> start(const Host&, Zygote&, const Doc& task, const std::string& code,
                                          std::vector<Piece>, Manners, Out facts);
    ~Subject() override;
    Subject(const Subject&) = delete;

    void launch(const hone_call&) override;
    bool wait(double seconds, double& inside, Out end) override;
    void suspend(bool suspended) override;
    void null_call() override;
    void prepare(const hone_call&) override;
    void prepack(const hone_call&) override;
    void check(const hone_call&, Out verdict) override;
    int32_t process() override { return pid_; }

private:
    Subject(const Host&, Zygote&, const Doc& task, bool empty, std::vector<Piece>, Manners);
    bool open(const Host&, const Doc& task, const std::string& code, Out facts);
    Beginning begin(const std::string& order, const std::vector<int>& files, const std::string& code, Out facts);
    Beginning fork(const std::string& order, const std::vector<int>& files);
    std::string wish() const;
    void place(const hone_call&);
    std::uint32_t placing();  // the number of tensors_
    void describe(const hone_tensor&, std::uint64_t bits, Tensor&) const;
    void ring(Work);
    void answer_awake();                          // lets the process run, and waits until it does
    bool await(double seconds);                   // until the last call is done; false: it is not
    bool stand_still();                           // false: it cannot be stopped
    void explain(std::uint32_t failed, Out end);  // failed: from 1
    void explain_end(Out end);
    static void explain_unstoppable(Out end);
    static void explain_threads(Out end);

    Zygote& zygote_;
    const bool empty_;  // it has no program
    std::vector<Piece> pieces_;
    Manners manners_;
    SharedMemory page_memory_;
    Page* page_;
    std::vector<Tensor> tensors_;  // of the last call
    std::unordered_map<std::string, std::uint32_t> placings_;
    std::uint32_t placed_ = 0;
    std::vector<std::int64_t> timed_;  // sizes of the task's timed shape
    int threads_ = 0;                  // when it last stood still
    int pid_ = 0, generation_ = 0;     // the zygote's: another one, and the process is gone
    std::uint32_t calls_ = 0;
    Work work_ = Work::nothing;           // of the last call
    std::unique_ptr<WorkedTime> worked_;  // of the process; null: it commands a device
    double worked_before_ = 0;            // when its last call began
    double patience_;  // seconds for a call that launch waits for: as long as the last wait might have taken
    // stopped: no thread of it runs. hidden: it has seen a shape that prompts must not learn.
    bool late_ = false, gone_ = false, stopped_ = false, lingers_ = false, unstoppable_ = false, hidden_ = false;
};

}  // namespace hone::python
