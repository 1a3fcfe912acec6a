// policy.torch-lm behind the boundary: what tests ask of it and teach it.
#pragma once
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>
#include <sstream>
#include "base/paths.hpp"
#include "base/printable.hpp"
#include "error_of.hpp"
#include "hone/plugin.hpp"
#include "policies/policy_fixture.hpp"
#include "temporary_folder.hpp"

namespace hone::test::lm_part {

inline const Json two_threads = {{"threads", 2}, {"seed", 4}};

inline std::vector<std::int32_t> lesson(const PolicyPart& part, const std::string& task, const std::string& answer) {
    const std::string prompt = "<|task|>" + task + "<|code|>", role = "assistant";
    const hone_message messages[] = {{{"", 0}, {prompt.data(), prompt.size()}},
                                     {{role.data(), role.size()}, {answer.data(), answer.size()}}};
    std::vector<std::int32_t> ids;
    part.check(part.learning().encode(part.self(), messages, 2, 0, &ids,
                                      [](void* ctx, const std::int32_t* at, const std::int32_t*, std::uint32_t n) {
                                          static_cast<std::vector<std::int32_t>*>(ctx)->assign(at, at + n);
                                      }));
    return ids;
}

inline hone_stepped learn(const PolicyPart& part, const std::vector<std::int32_t>& ids, int times) {
    const std::int64_t begin[] = {0, static_cast<std::int64_t>(ids.size())};
    const hone_batch batch{ids.data(), begin, 1, 1.0};
    const std::vector<float> weight(ids.size(), 1.0f / static_cast<float>(ids.size()));
    const hone_step step{.lr = 3e-3, .max_grad_norm = 1, .weight_decay = 0.05, .weight = weight.data()};
    hone_stepped done{};
    while (times--) part.check(part.learning().learn(part.self(), &batch, &step, &done));
    return done;
}

inline std::int64_t tokens_learnt(const PolicyPart& part, const std::vector<float>& weight, bool weigh) {
    const std::vector<std::int32_t> ids = {1, 2, 3, 4};
    const std::int64_t begin[] = {0, 4};
    const hone_batch batch{ids.data(), begin, 1, 1.0};
    hone_step step{.lr = 1e-3, .weight = weight.data(), .ctx = const_cast<std::vector<float>*>(&weight)};
    if (weigh)
        step.weigh = [](void* ctx, std::uint32_t, const float*, const float*, float* to, float*) {
            const auto& from = *static_cast<const std::vector<float>*>(ctx);
            std::copy(from.begin(), from.end(), to);
        };
    hone_stepped done{};
    part.check(part.learning().learn(part.self(), &batch, &step, &done));
    return done.tokens;
}

inline std::vector<float> score(const PolicyPart& part, const std::vector<std::int32_t>& ids, bool frozen = false) {
    const std::int64_t begin[] = {0, static_cast<std::int64_t>(ids.size())};
    const hone_batch batch{ids.data(), begin, 1, 1.0};
    std::vector<float> logp(ids.size());
    part.check(part.learning().score(part.self(), &batch, frozen, logp.data(), nullptr));
    return logp;
}

inline Ask question(std::uint32_t group = 3) {
    return {.messages = {{"", "<|task|>double<|code|>"}}, .group = group, .seed = 11, .max_tokens = 40};
}

inline void adapt(const PolicyPart& part, const std::vector<std::string>& texts) {
    std::vector<hone_text> list;
    for (const std::string& text : texts) list.push_back({text.data(), text.size()});
    hone_out nowhere{nullptr, [](void*, const char*, double) {}, [](void*, const char*, hone_text) {}};
    part.check(part.learning().adapt(part.self(), list.data(), static_cast<std::uint32_t>(list.size()), &nowhere));
}

inline void save(const PolicyPart& part, const std::string& folder) {
    part.check(part.learning().save(part.self(), folder.c_str(), 0));
}

inline const std::string program = "for (long i = 0; i < n; i++) o[i] = 2 * a[i];\n";

}  // namespace hone::test::lm_part
