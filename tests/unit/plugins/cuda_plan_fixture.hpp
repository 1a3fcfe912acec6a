// Launch plans that are judged where there is no device: evaluated in the real sandbox by hone-plan, read and built by
// verifier.cuda.
#pragma once
#include <gtest/gtest.h>
#include "nvrtc.hpp"
#include "parts/handle.hpp"
#include "sandbox/services.hpp"

namespace hone {

inline const char* const two_kernels =
    "extern \"C\" __global__ void first(const float* a, float* p) { p[0] = a[0]; }\n"
    "extern \"C\" __global__ void second(const float* p, float* o) { o[0] = p[0]; }\n";

class CudaPlan : public ::testing::Test {
protected:
    CudaPlan() : services_({}, 15) {
        set_bench_services(services_.offer());
        handle_ = std::make_unique<Handle>(make_recipe("verifier", "cuda", Json::object(), "test"));
        functions_ = static_cast<const hone_verifier*>(handle_->part().functions);
    }
    // verdict and reason, or "built" where only the device is missing
    std::string judge(const std::string& plan, const std::string& tolerance = "f32", const char* text = two_kernels) {
        return judge_task(task_of(tolerance), plan, text);
    }
    std::string judge_task(const Json& task, const std::string& plan, const std::string& text) {
        Collect facts;
        void* subject = nullptr;
        const Json candidate = {{"code", text}, {"plan", plan}};
        try {
            handle_->check(functions_->open(handle_->self(), as_doc(task), as_doc(candidate), &subject, facts.out()),
                           "open");
        } catch (const PartFailed& e) {
            EXPECT_NE(std::string(e.what()).find("not run"), std::string::npos) << e.what();
            facts_ = facts.json();
            return "built";
        }
        facts_ = facts.json();
        return facts_.at("verdict").get<std::string>() + ": " + facts_.at("reason").get<std::string>();
    }
    // of a plan whose step's fields are these
    std::string step(const std::string& fields) { return judge("return { { kernel = \"first\", " + fields + " } }"); }
    // the same where the fields are in order
    std::string kernel(const std::string& more) { return step("grid = 1, block = 32, " + more); }

    Json task_of(const std::string& tolerance) const {
        const auto tensor = [this](const char* name, Json shape) {
            return Json{
                {"name", name}, {"dtype", "f32"}, {"shape", std::move(shape)}, {"constant", constant_ && *name == 'a'}};
        };
        Json task = {{"name", "rows"},
                     {"sizes", {"R", "C"}},
                     {"shape", {{"R", 64}, {"C", 4096}}},
                     {"hidden", hidden_},
                     {"tolerance", {{"class", tolerance}}},
                     {"inputs", {tensor("a", {"R", "C"})}},
                     {"outputs", {tensor("o", {"R"})}}};
        if (scalar_) task["inputs"].push_back({{"name", "s"}, {"dtype", "f32"}, {"scalar", true}});
        if (in_place_) {
            task["inputs"].push_back(tensor("o0", {"R"}));
            task["outputs"][0]["starts_as"] = "o0";
        }
        return task;
    }

    HostServices services_;
    std::unique_ptr<Handle> handle_;
    const hone_verifier* functions_;
    Json facts_;
    Json hidden_ = Json::array({{{"R", 3}, {"C", 1000}}});
    bool constant_ = false;                   // the task's input
    bool scalar_ = false, in_place_ = false;  // the task has a scalar s; o starts as an input o0
};

}  // namespace hone
