#include "recording.hpp"
#include <exception>
#include "libtorch/libtorch.hpp"

namespace hone::torch_reference {
namespace {

std::vector<std::uint64_t> identity(const hone_call& call) {
    std::vector<std::uint64_t> words(call.sizes, call.sizes + call.n_sizes);
    for (std::uint32_t i = 0; i < call.n_in; ++i) words.push_back(call.in[i].at);
    for (std::uint32_t i = 0; i < call.n_out; ++i) words.push_back(call.out[i].at);
    return words;
}

// One for all programs of this process: torch keeps freed memory for the queue that it was used on.
cuda::Stream shared_queue() {
    static const cuda::Stream made = [] {
        const cuda::Driver& driver = cuda::Driver::get();
        cuda::Stream stream = nullptr;
        driver.check(driver.make_stream(&stream, cuda::stream_without_default), "cuStreamCreate");
        return stream;
    }();
    return made;
}

}  // namespace

void pause(cuda::Stream queue) {
    const cuda::Driver& driver = cuda::Driver::get();
    static const cuda::Function kernel = cuda::load_pause(driver);
    driver.check(driver.launch(kernel, 1, 1, 1, 1, 1, 1, 0, queue, nullptr, nullptr), "cuLaunchKernel");
}

Stopwatch::Stopwatch() {
    const cuda::Driver& driver = cuda::Driver::get();
    for (cuda::Event* event : {&begun_, &ended_}) driver.check(driver.make_event(event, 0), "cuEventCreate");
}

Stopwatch::~Stopwatch() {
    for (const cuda::Event event : {begun_, ended_}) cuda::Driver::get().destroy_event(event);
}

void Stopwatch::start(cuda::Stream queue) {
    const cuda::Driver& driver = cuda::Driver::get();
    driver.check(driver.record(begun_, queue), "cuEventRecord");
}

void Stopwatch::stop(cuda::Stream queue) {
    const cuda::Driver& driver = cuda::Driver::get();
    driver.check(driver.record(ended_, queue), "cuEventRecord");
}

double Stopwatch::seconds() const {
    const cuda::Driver& driver = cuda::Driver::get();
    float milliseconds = 0;
    driver.check(driver.elapsed(&milliseconds, begun_, ended_), "cuEventElapsedTime");
    return 1e-3 * milliseconds;
}

Recording::Recording(c10::Device device) : device_(device), queue_(shared_queue()) {}

Recording::~Recording() {
    for (const cuda::GraphRun run : {call_, empty_})
        if (run) cuda::Driver::get().destroy_runnable(run);
}

void Recording::run(const std::function<void()>& body) {
    const libtorch::OnQueue here(device_, queue_);
    body();
}

bool Recording::record(const std::function<void()>& body, cuda::GraphRun& to) {
    const cuda::Driver& driver = cuda::Driver::get();
    driver.check(driver.begin_capture(queue_, cuda::capture_relaxed), "cuStreamBeginCapture");
    bool done = true;
    try {
        run(body);
    } catch (const std::exception&) {
        done = false;
    }
    cuda::Graph graph = nullptr;
    if (driver.end_capture(queue_, &graph) != 0 || !graph) return false;
    if (cuda::GraphRun old = std::exchange(to, nullptr)) driver.destroy_runnable(old);
    if (done) done = driver.make_runnable(&to, graph, 0) == 0;
    driver.destroy_graph(graph);
    return done;
}

void Recording::launch(const hone_call& call, const std::function<void()>& body) {
    const cuda::Driver& driver = cuda::Driver::get();
    const std::vector<std::int64_t> sizes(call.sizes, call.sizes + call.n_sizes);
    if (const std::vector<std::uint64_t> wanted = identity(call); possible_ && recorded_ != wanted) {
        recorded_.clear();
        if (std::exchange(warm_, sizes) != sizes) {
            run(body);
            driver.check(driver.synchronize(queue_), "cuStreamSynchronize");
        }
        possible_ = record(body, call_);
        if (possible_) recorded_ = wanted;
    }
    if (!possible_) return run(body);
    driver.check(driver.launch_graph(call_, queue_), "cuGraphLaunch");
}

void Recording::null_call() {
    const cuda::Driver& driver = cuda::Driver::get();
    if (!empty_ && !record([&] { pause(queue_); }, empty_)) return pause(queue_);
    driver.check(driver.launch_graph(empty_, queue_), "cuGraphLaunch");
}

}  // namespace hone::torch_reference
