// One candidate's kernel in a process with a context of its own.
#pragma once
#include <memory>
#include <vector>
#include "cuda/driver.hpp"
#include "hone/plugin.hpp"
#include "verifier_cuda/runner_page.hpp"

namespace hone::cuda {

// The judge's memory as the verifier keeps it.
struct Reserved {
    Mapped memory;
    int writable = 0;  // 0, 1: the candidate reads, writes; 2: it has no such memory
};

class Subject {
public:
    // Starts the runner with cubin; null: the candidate is at fault, told in facts.
    static std::unique_ptr<Subject> start(const Host&, Device, const std::string& runner, const std::string& cubin,
                                          const std::vector<Reserved>&, int block, Out facts);
    ~Subject();
    void launch(const hone_call&);
    void empty();
    bool wait(double seconds, double& inside, Out end);

private:
    struct Region {  // host memory shared with the runner, given back at the end
        Region(const Host&, std::uint64_t bytes, bool writable);
        ~Region();
        const hone_host* host;
        hone_region region{};
    };
    Subject(const Host&, int block);
    bool open(Device, const std::string& runner, const std::string& cubin, const std::vector<Reserved>&, Out facts);
    std::uint64_t translate(std::uint64_t at) const;
    void ring(Work);
    bool await(const std::atomic<std::uint32_t>& word, double seconds);

    const hone_host* host_;
    unsigned block_;
    Region page_region_;
    RunnerPage* page_;
    hone_jail jail_{};
    struct Window { std::uint64_t begin, bytes, inside; };
    std::vector<Window> windows_;  // of the reserved memory: its address here and in the runner
    std::uint32_t calls_ = 0;
    bool late_ = false;            // the launch call has not returned in time
    bool dead_ = false;            // the runner has ended
};

}  // namespace hone::cuda
