#include "verifier_cuda/plan/plan.hpp"
#include <algorithm>
#include <cstring>
#include "cuda/compile/toolchain.hpp"
#include "verifier_cuda/plan/hidden.hpp"
#include "verifier_cuda/plan/plan_fields.hpp"

namespace hone::cuda {
namespace {

constexpr std::size_t most_product_bytes = 4 << 20, most_reason_bytes = 400;
constexpr int most_depth = 16;
constexpr const char* no_plan = "plan.lua: its evaluation gave no plan";

struct Answer {
    std::string product, verdict, log;
    static void text(void* ctx, const char* key, hone_text value) {
        auto& answer = *static_cast<Answer*>(ctx);
        if (!std::strcmp(key, "product")) answer.product = hone::text(value);
        if (!std::strcmp(key, "verdict")) answer.verdict = hone::text(value);
        if (!std::strcmp(key, "log")) answer.log = hone::text(value);
    }
    static void num(void*, const char*, double) {}
};

Json facts_of(const Contract& contract) {
    const DeviceFacts& d = contract.device;
    Json facts = {
        {"device",
         {{"multiprocessors", d.multiprocessors}, {"shared_bytes", d.shared_bytes}, {"l2_bytes", d.l2_bytes}}},
        {"shapes", Json::array()}};
    for (const auto& sizes : contract.task.sizes) {
        Json& shape = facts["shapes"].emplace_back(Json::object());
        for (std::size_t i = 0; i < sizes.size(); ++i) shape[contract.task.names[i]] = sizes[i];
    }
    return facts;
}

Answer evaluate(const Host& host, const std::string& text, const std::string& facts) {
    const std::string program = Toolchain::program("hone-plan");
    const char* const argv[] = {program.c_str(), "@/plan.lua", "@/facts.json", "@/plan.json", nullptr};
    const hone_file files[] = {{borrow("plan.lua"), borrow(text)}, {borrow("facts.json"), borrow(facts)}};
    Answer answer;
    hone_out out{&answer, Answer::num, Answer::text};
    host.check(host.raw()->build(host.raw()->ctx, argv, files, 2, "plan.json", &out),
               "verifier.cuda: hone-plan could not be started");
    return answer;
}

// Foreign words that are shown: one line of plain characters.
std::string printable(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    return text.size() > most_reason_bytes ? text.substr(0, most_reason_bytes) + "..." : text;
}

std::string at_timed(const std::string& reason) {
    return (reason.starts_with("plan.lua:") ? "" : "plan.lua: ") + printable(reason) + " (at the timed shape)";
}

Json parse(const Host& host, const Answer& answer, const std::string& facts) {
    if (answer.verdict == "TIMEOUT") throw PlanError("plan.lua: its evaluation takes too long");
    if (!answer.verdict.empty()) {  // the plan's doing only if others are evaluated here
        if (!evaluate(host, "return {}", facts).verdict.empty())
            throw Broken("verifier.cuda: hone-plan cannot work here: " + printable(answer.log));
        throw PlanError("plan.lua: its evaluation broke down");
    }
    // data is copied by recursion
    const auto shallow = [](int depth, Json::parse_event_t, Json&) { return depth <= most_depth; };
    Json product = answer.product.size() > most_product_bytes ? Json() : Json::parse(answer.product, shallow, false);
    if (!product.is_object()) throw PlanError(no_plan);
    return product;
}

// All shapes' steps, as far as the text could be evaluated for them.
void add_shapes(Plan& plan, const Json& product, const Contract& contract) {
    const Json plans = product.value("plans", Json()), error = product.value("error", Json());
    if (!plans.is_array() || plans.size() > contract.task.sizes.size()) throw PlanError(no_plan);
    for (std::size_t shape = 0; shape < plans.size(); ++shape) {
        try {
            add_shape(plan, Field(plans[shape], ""), shape, contract);
        } catch (const PlanError& e) {
            throw PlanError(told(shape == 0, at_timed(e.what()), hidden_table));
        }
    }
    if (error.is_string()) throw PlanError(told(plans.empty(), at_timed(error), hidden_evaluation));
    if (plans.size() != contract.task.sizes.size()) throw PlanError(no_plan);
}

}  // namespace

std::uint64_t Plan::workspace_bytes() const {
    std::uint64_t most = 0;
    for (const Workspaces& shape : workspaces) most = std::max(most, shape.bytes);
    return most;
}

std::uint32_t Plan::prepack_steps() const {
    const auto has_steps = [](const StepList& shape) { return shape.n > 0; };
    const bool any = std::any_of(std::begin(program.prepacks), std::end(program.prepacks), has_steps);
    return std::max(program.prepacks[0].n, std::uint32_t{any});
}

std::string Plan::operators() const {
    std::string names;
    for (std::uint32_t s = program.shapes[0].first; s < program.shapes[0].first + program.shapes[0].n; ++s)
        if (const Step& step = program.steps[s]; step.kind == StepKind::library)
            names += (names.empty() ? "" : ", ") + std::string(program.library_steps[step.library].name);
    return names;
}

std::unique_ptr<Plan> read_plan(const Host& host, const std::string& text, const Contract& contract,
                                std::string& reason) {
    auto plan = std::make_unique<Plan>();
    try {
        const std::string facts = facts_of(contract).dump();
        add_shapes(*plan, parse(host, evaluate(host, text, facts), facts), contract);
    } catch (const PlanError& e) {
        reason = e.what();
        return nullptr;
    }
    return plan;
}

}  // namespace hone::cuda
