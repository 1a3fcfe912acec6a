// Logits of small models of each family against those of transformers: reference_logits.json, by
// tests/full/transformers_models.py --reference.
#include <gtest/gtest.h>
#include <cmath>
#include <fstream>
#include <numeric>
#include "test_folders.hpp"
#include "torch_lm/model/network.hpp"
#include "torch_lm/model/parallel.hpp"

namespace hone::lm {
namespace {

using nlohmann::json;

json reference() { return json::parse(std::ifstream(HONE_TEST_SOURCE_DIR "/tests/torch_lm/reference_logits.json")); }

// As written_weights in transformers_models.py.
Parameters written_weights(const Config& c) {
    Parameters weights(c);
    for (const NamedTensor& of : weights.tensors) {
        const int phase = std::accumulate(of.name.begin(), of.name.end(), 0) % 997;
        const bool norm = of.shape.size() == 1 && of.name.ends_with("norm.weight");
        for (std::size_t i = 0; i < of.size; ++i) {
            const double wave = std::sin(0.7 * static_cast<double>(i) + phase);
            weights.of(of)[i] = static_cast<float>(norm ? 1 + 0.3 * wave : 0.5 * wave);
        }
    }
    return weights;
}

std::vector<float> logits_of(const Model& model, const Parameters& weights, const std::vector<std::int32_t>& ids,
                             bool samples) {
    Packed pass;
    pass.add(ids.data(), static_cast<std::int64_t>(ids.size()));
    std::vector<std::int64_t> rows(ids.size());
    std::iota(rows.begin(), rows.end(), 0);
    std::vector<float> logits(ids.size() * static_cast<std::size_t>(model.config.vocabulary));
    const auto ask = [&] {
        const auto network = make_network(model);
        network->forward(weights, pass, rows);
        network->logits(logits.data());
    };
    if (samples) on_threads(1, [&](int) { ask(); });
    else ask();
    return logits;
}

void expect_reference(const json& row, Place place, double tolerance) {
    const Config c = read_config(row["config"], row["name"]);
    double largest = 0;
    for (const json& token : row["logits"])
        for (const double wanted : token) largest = std::max(largest, std::abs(wanted));
    for (const bool samples : {false, true}) {  // sampling has kernels that learning has not
        const std::vector<float> got = logits_of({c, place}, written_weights(c).on(place), row["ids"], samples);
        std::size_t at = 0;
        for (const json& token : row["logits"])
            for (const double wanted : token)
                ASSERT_NEAR(got[at++], wanted, tolerance * largest) << row["name"] << ", at " << at;
        EXPECT_EQ(at, got.size());
    }
}

TEST(ReferenceLogits, OfEachFamily) {
    const json rows = reference();
    EXPECT_EQ(rows.size(), 5u);
    for (const json& row : rows) expect_reference(row, {.torch = true}, 1e-5);
}

TEST(ReferenceLogits, ByTheKernelsOfTheHost) {
    int known = 0;
    for (const json& row : reference())
        if (known_to_host(read_config(row["config"], row["name"]))) ++known, expect_reference(row, {}, 1e-5);
    EXPECT_EQ(known, 3) << "SmolLM2, Llama 3.1, Mistral";
}

TEST(ReferenceLogits, InBfloat16NearlyTheSame) {
    for (const json& row : reference()) expect_reference(row, {.torch = true, .bfloat16 = true}, 0.03);
}

}  // namespace
}  // namespace hone::lm
