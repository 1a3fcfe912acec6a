#include "verifier_cuda/runner/runners.hpp"

namespace hone::cuda {

RunnerProcess::RunnerProcess(const Host& host, const std::string& program, const std::string& argument) {
    hone_jail_plan plan{};
    plan.size = sizeof plan;
    plan.runner = program.c_str();
    plan.symbol = argument.c_str();
    plan.threads = 1;
    static const char* const keeps[] = {"CUDA_VISIBLE_DEVICES", nullptr};
    plan.keeps = keeps;
    host.check(host.raw()->jail(host.raw()->ctx, &plan, &jail_, nullptr), "verifier.cuda: the runner did not start");
}

Runners::Runners(const Host& host, std::string program, std::string argument, std::size_t warm)
    : host_(host), program_(std::move(program)), argument_(std::move(argument)), warm_(warm) {
    prepare();
}

RunnerProcess Runners::take() {
    std::erase_if(waiting_, [](const RunnerProcess& runner) { return !runner.lives(Out(nullptr)); });
    if (waiting_.empty()) waiting_.emplace_back(host_, program_, argument_);
    RunnerProcess taken = std::move(waiting_.front());
    waiting_.erase(waiting_.begin());
    return taken;
}

void Runners::prepare() {
    std::erase_if(waiting_, [](const RunnerProcess& runner) { return !runner.lives(Out(nullptr)); });
    while (waiting_.size() < warm_) waiting_.emplace_back(host_, program_, argument_);
}

}  // namespace hone::cuda
