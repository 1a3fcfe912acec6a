// The contract of prompt and shaper.
#include <cmath>
#include "contract.hpp"
#include "domain/document_json.hpp"
#include "domain/judgement.hpp"
#include "domain/shaped_answer.hpp"
#include "parts/prompt.hpp"
#include "parts/shaper.hpp"

namespace hone::contract {

namespace {

Json exemplar(double log_speedup) {
    const double ratio = std::exp(log_speedup);
    Exemplar exemplar;
    exemplar.task = "sum";
    exemplar.hash = "h";
    exemplar.code = "int x;";
    exemplar.speedup = {ratio, ratio, ratio, 0.95, "reference"};
    return to_json(exemplar);
}

std::vector<Message> write(Contract& contract, std::uint32_t n, std::uint64_t seed) {
    std::vector<Message> messages;
    const Lent task(sample_task(), "hone.Task");
    std::vector<std::unique_ptr<Lent>> lent;
    std::vector<const hone_doc*> docs;
    for (std::uint32_t i = 0; i < n; ++i)
        docs.push_back(lent.emplace_back(new Lent(exemplar(0.5 * i), "hone.Exemplar"))->doc());
    const auto& f = contract.functions<hone_prompt>();
    const hone_rc rc = contract.call(
        "write", [&] { return f.write(contract.self(), task.doc(), docs.data(), n, seed, &messages, put_message); });
    contract.expect(rc == HONE_OK,
                    "write: takes any task and " + std::to_string(n) + " exemplars (" + contract.error() + ")");
    return messages;
}

Json judgement(const char* verdict, double log_speedup) {
    Judgement judgement = rejected("sum", "h", parse_verdict(verdict), "-");
    judgement.noise = 0.01;
    judgement.speedup = {std::exp(log_speedup), std::exp(log_speedup - 0.02), std::exp(log_speedup + 0.02), 0.95,
                         "reference"};
    Json document = to_json(judgement);
    document.update(document_to_json(ShapedAnswer{"int x;", "", "```cpp\nint x;\n```\n", "stop", 12}));
    return document;
}

std::vector<double> shape(Contract& contract, const std::vector<Json>& judgements, Json& told) {
    std::vector<std::unique_ptr<Lent>> lent;
    std::vector<const hone_doc*> docs;
    for (const Json& each : judgements) docs.push_back(lent.emplace_back(new Lent(each, "hone.Judgement"))->doc());
    std::vector<double> rewards(judgements.size(), -12345);
    Collect reasons;
    const auto& f = contract.functions<hone_shaper>();
    const auto n = static_cast<std::uint32_t>(docs.size());
    const hone_rc rc =
        contract.call("shape", [&] { return f.shape(contract.self(), docs.data(), n, rewards.data(), reasons.out()); });
    contract.expect(rc == HONE_OK, "shape: takes any group of judgements (" + contract.error() + ")");
    told = reasons.json();
    return rewards;
}

}  // namespace

void check_prompt(Contract& contract) {
    for (const std::uint32_t n : {0u, 1u, 3u}) {
        const std::vector<Message> messages = write(contract, n, 7);
        expect_no_error(contract, [&] { check_messages(messages, contract.name() + ": write"); });
        for (const Message& message : messages) contract.expect(!message.text.empty(), "write: no message is empty");
        contract.expect(write(contract, n, 7) == messages, "write: equal seeds give equal messages");
    }
    const auto& f = contract.functions<hone_prompt>();
    if (HONE_OFFERS(&f, facts)) check_facts(contract, f.facts);
}

void check_shaper(Contract& contract) {
    const std::vector<Json> group = {judgement("PASSED", 0.7), judgement("PASSED", -0.7), judgement("COMPILE_ERROR", 0),
                                     judgement("PASSED", 0)};
    Json told, again;
    const std::vector<double> rewards = shape(contract, group, told);
    for (const double reward : rewards)
        contract.expect(reward != -12345, "shape: fills every reward with a number or NaN");
    expect_no_error(contract, [&] { rewards_of(rewards, told, contract.name() + ": shape"); });
    contract.expect(!(rewards[0] < rewards[1]), "shape: a faster program is not worth less than a slower one");
    for (const auto& [key, value] : told.items())
        contract.expect(key.find_first_not_of("0123456789") == std::string::npos && std::stoul(key) < group.size(),
                        "shape: reasons are keyed by member");
    const std::vector<double> repeated = shape(contract, group, again);
    for (std::size_t i = 0; i < rewards.size(); ++i)
        contract.expect(rewards[i] == repeated[i] || (std::isnan(rewards[i]) && std::isnan(repeated[i])),
                        "shape: depends on the group only");
    shape(contract, {}, told);
}

}  // namespace hone::contract
