// The suite gpu-basics and its hand-written kernels, scripts/kernels/gpu-basics/TASK.NAME.cu, as far as no GPU is
// needed.
#include <gtest/gtest.h>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include "base/paths.hpp"
#include "judge/call/bench_parts.hpp"
#include "lua/task_file.hpp"
#include "nvrtc_fixture.hpp"
#include "sandbox/services.hpp"
#include "test_folders.hpp"

namespace hone {
namespace {

struct Kernel {
    std::string name, task, code, plan;  // name: TASK.NAME
};

std::string text_of(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<Kernel> kernels() {
    std::vector<Kernel> all;
    for (const auto& entry : fs::directory_iterator(fs::path(HONE_TEST_SOURCE_DIR) / "scripts/kernels/gpu-basics")) {
        const fs::path path = entry.path();
        if (path.extension() != ".cu") continue;
        const std::string name = path.stem().string(), plan = text_of(fs::path(path).replace_extension(".lua"));
        all.push_back({name, name.substr(0, name.find('.')), text_of(path), plan});
    }
    return all;
}

std::map<std::string, Task> suite() {
    std::map<std::string, Task> tasks;
    for (Task& task : load_suite("gpu-basics"))
        if (task.name().find(':') == std::string::npos) tasks.emplace(task.name(), std::move(task));
    return tasks;
}

TEST(GpuBasics, EveryTaskHasTwoKernelsAndEveryKernelATask) {
    std::map<std::string, int> count;
    const auto tasks = suite();
    for (const Kernel& kernel : kernels()) {
        EXPECT_TRUE(tasks.contains(kernel.task)) << kernel.name;
        ++count[kernel.task];
    }
    EXPECT_GE(tasks.size(), 40u);
    for (const auto& [name, task] : tasks) EXPECT_GE(count[name], 2) << name;
}

TEST(GpuBasics, EveryTaskIsTimedAtShapesOfEveryRoleThatMoveAtMost256Megabytes) {
    std::map<std::string, std::set<std::string>> roles;
    for (const Task& task : load_suite("gpu-basics")) {
        std::size_t bytes = 0;
        for (const char* side : {"inputs", "outputs"})
            for (const TensorSpec& tensor : tensors(task, side, timed_shape(task))) bytes += tensor.bytes();
        EXPECT_LE(bytes, 256u << 20) << task.name();
        roles[task.name().substr(0, task.name().find(':'))].insert(task.role);
    }
    for (const auto& [name, found] : roles)
        EXPECT_EQ(found, (std::set<std::string>{"auxiliary", "held-out", "train"})) << name;
}

TEST(GpuBasics, EveryKernelIsBuiltWhereThereIsNoDevice) {
    if (!nvrtc_and_no_gpu()) GTEST_SKIP() << needs_nvrtc_and_no_gpu;
    HostServices services({}, 60);
    set_bench_services(services.offer());
    Handle handle(make_recipe("verifier", "cuda", Json::object(), "test"));
    const auto* verifier = static_cast<const hone_verifier*>(handle.part().functions);
    hone_device device{};
    EXPECT_EQ(verifier->device(handle.self(), &device), HONE_FAILED);
    const auto tasks = suite();
    for (const Kernel& kernel : kernels()) {
        Collect facts;
        void* subject = nullptr;
        const Json task = to_json(tasks.at(kernel.task)), candidate = {{"code", kernel.code}, {"plan", kernel.plan}};
        try {
            handle.check(verifier->open(handle.self(), as_doc(task), as_doc(candidate), &subject, facts.out()), "open");
            ADD_FAILURE() << kernel.name << ": " << facts.json();
        } catch (const PartFailed& e) {
            EXPECT_NE(std::string(e.what()).find("built for sm_90a, not run"), std::string::npos)
                << kernel.name << ": " << e.what();
        }
    }
}

}  // namespace
}  // namespace hone
