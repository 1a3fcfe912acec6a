#include <gtest/gtest.h>
#include <cmath>
#include "domain/judgement.hpp"
#include "domain/task.hpp"
#include "error_text.hpp"
#include "hone/abi.h"
#include "judge/service/largest_tensor.hpp"

namespace hone {
namespace {

Json softmax() {
    return Json::parse(R"json({"name": "softmax", "statement": "Softmax over rows.", "spec": "softmax 256x512",
        "inputs": [{"name": "a", "shape": ["R", "C"], "law": "normal(3)"}], "outputs": [{"name": "o", "shape": ["R", "C"]}],
        "shape": {"C": 512, "R": 256}, "hidden": [{"R": 7, "C": 64}], "multiples": {"C": 64}, "source": "return {}"})json");
}

std::string refusal(const Json& patch) {
    Json doc = softmax();
    doc.merge_patch(patch);
    return error_text([&] { check_task(doc); });
}

// Beside how a bench was lost: nobody guesses from a phase that the task is too large for the machine.
TEST(Task, ALargeTensorIsToldBesideALostBench) {
    EXPECT_EQ(largest_tensor_text(check_task(softmax())), "");
    Json doc = softmax();
    doc["shape"]["R"] = 1 << 18;
    EXPECT_EQ(largest_tensor_text(check_task(doc)),
              "; its largest tensor, a, has 537 MB: a smaller shape takes less time and memory (--shape, or another "
              "shape of the task)");
}

TEST(Task, DefaultsSizesAndShapes) {
    const Task task = check_task(softmax());
    EXPECT_EQ(task.name(), "softmax");
    EXPECT_EQ(task.role, "train");
    EXPECT_EQ(task.inputs[0].dtype, "f32");
    EXPECT_EQ(task.sizes, (std::vector<std::string>{"R", "C"}));
    EXPECT_EQ(sizes(task, timed_shape(task)), (std::vector<std::int64_t>{256, 512}));
    ASSERT_EQ(hidden_shapes(task).size(), 1u);
    const std::vector<TensorSpec> inputs = tensors(task, "inputs", hidden_shapes(task)[0]);
    EXPECT_EQ(inputs[0].shape, (std::vector<std::int64_t>{7, 64}));
    EXPECT_EQ(inputs[0].bytes(), 7u * 64 * 4);
    EXPECT_EQ(inputs[0].law, "normal(3)");
}

TEST(Task, HashCoversWhatDecidesAVerdict) {
    const std::string hash = check_task(softmax()).hash();
    EXPECT_EQ(check_task(to_json(check_task(softmax()))).hash(), hash);
    Json renamed = softmax(), faster = softmax();
    renamed["role"] = "held-out";
    faster["tolerance"] = "f16";
    EXPECT_EQ(check_task(renamed).hash(), hash);
    EXPECT_NE(check_task(faster).hash(), hash);
}

TEST(Task, InFloat64ErrorsOfFloat32AreNotAllowedUnlessItSaysSo) {
    Json doc = softmax();
    EXPECT_EQ(check_task(doc).tolerance.of_class, "f32");
    doc["outputs"][0]["dtype"] = "f64";
    EXPECT_EQ(check_task(doc).tolerance.of_class, "f64");
    doc["tolerance"] = "f32";
    EXPECT_EQ(check_task(doc).tolerance.of_class, "f32");
}

TEST(Task, RefusalsNameTaskAndField) {
    EXPECT_EQ(refusal(Json{{"name", nullptr}}), "task \"?\": name: is missing; give the task a name");
    EXPECT_EQ(refusal(Json{{"statment", "x"}}),
              "task \"softmax\": \"statment\": is no field of it; did you mean \"statement\"?");
    EXPECT_EQ(refusal(Json{{"name", "a b"}}),
              "task \"a b\": name: holds something else than letters, digits and _ . : -");
    EXPECT_EQ(
        refusal(Json{{"role", "heldout"}}),
        "task \"softmax\": role: no role \"heldout\"; did you mean \"held-out\"?; roles: train, auxiliary, held-out, "
        "flawed");
    EXPECT_EQ(refusal(Json{{"shape", {{"C", 500}}}}), "task \"softmax\": shape: C = 500 is no multiple of 64");
    EXPECT_EQ(refusal(Json{{"shape", {{"C", nullptr}}}}), "task \"softmax\": shape: size C is missing");
    EXPECT_EQ(refusal(Json{{"shape", {{"D", 1}}}}), "task \"softmax\": shape: \"D\": is no field of it");
    EXPECT_EQ(refusal(Json{{"hidden", {{{"R", 0}, {"C", 64}}}}}),
              "task \"softmax\": hidden shape 1: R = 0 is no positive whole number below 2^31");
    EXPECT_EQ(refusal(Json{{"shape", {{"R", 1 << 30}}}}),
              "task \"softmax\": shape: tensor \"a\" has more than 2^36 elements");
    EXPECT_EQ(refusal(Json{{"outputs", Json::array()}}),
              "task \"softmax\": outputs: there is none; a task has at least one output");
    EXPECT_EQ(refusal(Json{{"outputs", {{{"name", "a"}, {"shape", {"R"}}}}}}),
              "task \"softmax\": outputs: \"a\": is named twice");
    EXPECT_EQ(refusal(Json{{"outputs", {{{"name", "int"}, {"shape", {"R"}}}}}}),
              "task \"softmax\": outputs: \"int\": is no name of a C variable");
    EXPECT_EQ(refusal(Json{{"outputs", {{{"name", "o"}, {"shape", {"R"}}, {"constant", true}}}}}),
              "task \"softmax\": outputs: \"o\": an output is not constant; inputs may be");
    EXPECT_EQ(refusal(Json{{"outputs", {{{"name", "o"}, {"shape", {"R"}}, {"law", "normal(3)"}}}}}),
              "task \"softmax\": outputs: \"o\": law belongs to an input; the reference gives an output its values; "
              "leave it out");
    EXPECT_EQ(refusal(Json{{"inputs", {{{"name", "a"}, {"shape", {"R", "C"}}, {"constant", 1}}}}}),
              "task \"softmax\": inputs.a.constant: is neither true nor false");
    EXPECT_EQ(refusal(Json{{"inputs", {{{"name", "a"}, {"shape", {"R", "C"}}, {"constant", true}}}}}),
              "task \"softmax\": inputs: all are constant, and so is the output; leave out constant = true where "
              "values come with each call");
    EXPECT_EQ(refusal(Json{{"outputs", {{{"name", "R"}, {"shape", {"R"}}}}}}),
              "task \"softmax\": sizes: \"R\" is also the name of a tensor");
    EXPECT_EQ(refusal(Json{{"outputs", {{{"name", "o"}, {"dtype", "f23"}}}}}),
              "task \"softmax\": outputs: \"o\": no dtype \"f23\"; did you mean \"f32\"?");
    EXPECT_EQ(refusal(Json{{"inputs", {{{"name", "a"}, {"shape", {-1}}}}}}),
              "task \"softmax\": inputs.a.shape: -1 is neither a positive whole number nor a size such as \"R\", "
              "\"H+2\" or \"2*R-1\"");
    EXPECT_EQ(refusal(Json{{"larger", 1}}), "task \"softmax\": larger: is neither true nor false");
    EXPECT_EQ(refusal(Json{{"tolerance", 3}}),
              "task \"softmax\": tolerance: is neither a class such as \"f32\" nor {class, factor, roundings, "
              "deterministic}");
    for (const auto& [field, reason] : std::vector<std::pair<Json, std::string>>{
             {{{"factor", 0}}, "factor is no finite number above 0"},
             {{{"factor", HUGE_VAL}}, "factor is no finite number above 0"},
             {{{"roundings", -1}}, "roundings is no finite number of at least 0"}}) {
        Json tolerance = {{"class", "f32"}};
        tolerance.update(field);
        EXPECT_EQ(refusal(Json{{"tolerance", tolerance}}), "task \"softmax\": tolerance: " + reason);
    }
    EXPECT_EQ(refusal(Json{{"tolerance", {{"class", "f32"}, {"deterministic", "no"}}}}),
              "task \"softmax\": tolerance.deterministic: is neither true nor false");
    EXPECT_EQ(refusal(Json{{"inputs", {{{"name", "a"}, {"shape", {"R", "C"}}, {"dtyp", "f32"}}}}}),
              "task \"softmax\": inputs.a: \"dtyp\": is no field of it; did you mean \"dtype\"?");
    EXPECT_EQ(
        refusal(Json{{"terms", {"D"}}}),
        "task \"softmax\": terms: \"D\" is no size such as \"C\" or \"9*K\"; terms tells how many terms the longest "
        "sum behind an element has, as a product: terms = { \"C\", 9 }");
    EXPECT_EQ(refusal(Json{{"terms", Json::array()}}),
              "task \"softmax\": terms: names no factor; terms tells how many terms the longest sum behind an element "
              "has, as a product: terms = { \"C\", 9 }");
}

TEST(Task, EveryShapeIsWithinTheRanges) {
    EXPECT_EQ(refusal(Json{{"ranges", {{"C", {64}}}}}),
              "task \"softmax\": ranges: C = [64] is no pair of a least and a most positive whole number");
    EXPECT_EQ(refusal(Json{{"ranges", {{"C", {65, 100}}}}}),
              "task \"softmax\": ranges: C = [65,100] holds no multiple of 64");
    EXPECT_EQ(refusal(Json{{"ranges", {{"C", {64, 128}}}}}),
              "task \"softmax\": shape: C = 512 is outside of its range, [64,128]");
    EXPECT_EQ(refusal(Json{{"ranges", {{"C", {64, 4096}}}}}), "(no error)");
}

Json update() {
    return Json::parse(R"json({"name": "update", "statement": "y = s x + y.", "source": "return {}", "shape": {"N": 64},
        "inputs": [{"name": "x", "shape": ["N"]}, {"name": "s", "scalar": true, "law": "uniform(0.5,1)"},
                   {"name": "y0", "shape": ["N"]}],
        "outputs": [{"name": "y", "shape": ["N"], "starts_as": "y0"}]})json");
}

TEST(Task, AScalarIsOneStrictNumberAndAnOutputMayStartAsAnInput) {
    const Task task = check_task(update());
    const std::vector<TensorSpec> inputs = tensors(task, "inputs", timed_shape(task)),
                                  outputs = tensors(task, "outputs", timed_shape(task));
    EXPECT_TRUE(inputs[1].scalar && inputs[1].strict);
    EXPECT_EQ(inputs[1].elements(), 1);
    EXPECT_FALSE(inputs[0].scalar || inputs[0].strict);
    EXPECT_EQ(outputs[0].starts_as, 2);
    EXPECT_EQ(check_task(to_json(task)).hash(), task.hash());
    for (const char* change : {R"({"inputs": [{"name": "x", "shape": ["N"]}, {"name": "s", "scalar": true},
                                             {"name": "y0", "shape": ["N"]}]})",
                               R"({"outputs": [{"name": "y", "shape": ["N"]}]})"}) {
        Json other = update();
        other.merge_patch(Json::parse(change));
        EXPECT_NE(check_task(other).hash(), task.hash()) << change;
    }
}

TEST(Task, RefusalsOfScalarsAndOfOutputsInPlaceNameTheCure) {
    const auto told = [](const char* side, int which, const Json& patch) {
        Json doc = update();
        doc[side][which].merge_patch(patch);
        return error_text([&] { check_task(doc); });
    };
    const std::string task = "task \"update\": ";
    EXPECT_EQ(told("inputs", 1, {{"shape", {"N"}}}),
              task + "inputs: \"s\": a scalar has no shape; leave out shape, or scalar");
    EXPECT_EQ(told("inputs", 1, {{"constant", true}}),
              task + "inputs: \"s\": a scalar is not constant; law = \"value(0.5)\" is the same number in every call");
    EXPECT_EQ(told("inputs", 1, {{"dtype", "i64"}, {"law", "value(3.5)"}}),
              task +
                  "inputs: \"s\": \"value(3.5)\" is no number that a scalar of dtype i64 may have; name a whole "
                  "number from -16777216 to 16777216");
    EXPECT_EQ(told("inputs", 1, {{"dtype", "i8"}, {"law", "value(300)"}}),
              task +
                  "inputs: \"s\": \"value(300)\" is no number that a scalar of dtype i8 may have; name a whole "
                  "number from -128 to 127");
    EXPECT_EQ(told("inputs", 1, {{"scalar", nullptr}}),
              task + "inputs: \"s\": has no shape; write shape = { \"N\" }, or scalar = true for one number by value");
    EXPECT_EQ(told("outputs", 0, {{"scalar", true}}),
              task + "outputs: \"y\": an output is no scalar; an output of one number has shape = { 1 }");
    EXPECT_EQ(told("inputs", 0, {{"law", "value(2)"}}),
              task + "inputs: \"x\": \"value(2)\" is a law of scalars; add scalar = true, or choose a law");
    EXPECT_EQ(told("outputs", 0, {{"starts_as", "y1"}}),
              task + "outputs: \"y\": starts_as: \"y1\" is no input; did you mean \"y0\"?");
    EXPECT_EQ(told("outputs", 0, {{"starts_as", "s"}}),
              task + "outputs: \"y\": starts_as: \"s\" has another dtype or shape");
    EXPECT_EQ(told("outputs", 0, {{"dtype", "f64"}}),
              task + "outputs: \"y\": starts_as: \"y0\" has another dtype or shape");
    EXPECT_EQ(told("inputs", 2, {{"constant", true}}),
              task + "outputs: \"y\": starts_as: \"y0\" is constant; what a call changes does not stay");
    EXPECT_EQ(told("inputs", 0, {{"starts_as", "y0"}}),
              task +
                  "inputs: \"x\": an input does not start as another; starts_as belongs to the output that is "
                  "changed");
    Json twice = update();
    twice["outputs"].push_back({{"name", "z"}, {"shape", {"N"}}, {"starts_as", "y0"}});
    EXPECT_EQ(error_text([&] { check_task(twice); }),
              task + "outputs: \"z\": starts_as: another output starts as \"y0\"");
}

TEST(Task, WhatIsLeftOutOfSpecialValuesHasAReason) {
    EXPECT_EQ(refusal(Json{{"special", {{"without", {"nan"}}, {"because", "a maximum may drop it"}}}}), "(no error)");
    EXPECT_EQ(refusal(Json{{"special", "none"}}), "task \"softmax\": special: is no table");
    EXPECT_EQ(refusal(Json{{"special", {{"without", {"nan"}}}}}),
              "task \"softmax\": special: because is no text; say why the contract is silent");
    EXPECT_EQ(refusal(Json{{"special", {{"without", {"NaN"}}, {"because", "x"}}}}),
              "task \"softmax\": special: without: \"NaN\" is none of zero, denormal, inf, nan");
    EXPECT_EQ(refusal(Json{{"special", {{"witout", {"nan"}}, {"because", "x"}}}}),
              "task \"softmax\": special: \"witout\": is no field of it; did you mean \"without\"?");
    Json doc = softmax();
    doc["special"] = {{"without", {"nan"}}, {"because", "x"}};
    EXPECT_NE(check_task(doc).hash(), check_task(softmax()).hash());
}

TEST(Task, LawsMayNameASize) {
    Json doc = softmax();
    doc["inputs"].push_back({{"name", "rows"}, {"shape", {"R"}}, {"dtype", "i64"}, {"law", "index(C)"}});
    const Task task = check_task(doc);
    const std::string law = tensors(task, "inputs", timed_shape(task))[1].law;
    EXPECT_EQ(law, "index(512)");
    EXPECT_EQ(parse_law(law).kind, HONE_LAW_INDEX);
    EXPECT_EQ(parse_law(law).scale, 512);
    doc["inputs"][1]["law"] = "index(C,-3)";
    EXPECT_EQ(tensors(check_task(doc), "inputs", timed_shape(check_task(doc)))[1].law, "index(512,-3)");
    doc["inputs"][1]["dtype"] = "u8";
    EXPECT_EQ(error_text([&] { check_task(doc); }),
              "task \"softmax\": inputs: \"rows\": \"index(C,-3)\" has numbers that u8 does not hold (0 to 255); "
              "index(n,first) has the numbers from first on: index(256,-128) are those of i8");
    doc["inputs"][1]["dtype"] = "i64";
    doc["inputs"][1]["law"] = "normal";
    EXPECT_EQ(error_text([&] { check_task(doc); }),
              "task \"softmax\": inputs: \"rows\": a tensor of whole numbers needs the law \"index(n)\"");
}

TEST(Task, ShapesMayHoldAFactorAndASummand) {
    Json doc = softmax();
    doc["inputs"][0]["shape"] = {"2*R-1", "C + 2", 3};
    const Task task = check_task(doc);
    EXPECT_EQ(tensors(task, "inputs", timed_shape(task))[0].shape, (std::vector<std::int64_t>{511, 514, 3}));
    EXPECT_EQ(task.sizes, (std::vector<std::string>{"R", "C"}));
    doc["inputs"][0]["shape"] = {"R-300", "C"};
    EXPECT_EQ(error_text([&] { check_task(doc); }),
              "task \"softmax\": shape: tensor \"a\": \"R-300\" = -44 is not positive");
    for (const char* bad : {"2R", "R*2", "R+", "*R", "R+C", "0*R", "R+2*C", ""}) {
        doc["inputs"][0]["shape"] = {bad};
        EXPECT_NE(error_text([&] { check_task(doc); }).find("is neither a positive whole number nor a size"),
                  std::string::npos)
            << bad;
    }
}

TEST(Law, ScaleAndShift) {
    EXPECT_EQ(parse_law("normal").scale, 1);
    for (const std::string constant : {"uniform(0,1)", "uniform(-1)"})
        EXPECT_EQ(error_text([&] { parse_law(constant); }),
                  "law: \"" + constant +
                      "\" has no scale above 0; uniform(scale,shift) is [shift - scale, shift + scale): write "
                      "uniform(0.5,0.5) for [0, 1), uniform(1) for [-1, 1)");
    EXPECT_EQ(error_text([] { parse_law("normal(0,1)"); }),
              "law: \"normal(0,1)\" has no scale above 0; the two numbers are (scale,shift): a value is scale * base + "
              "shift, with base of mean 0");
    const hone_law unit = parse_law("uniform(0.5,0.5)");  // what the refusal tells people to write
    EXPECT_EQ(hone_value(0, unit), 0.0f);
    EXPECT_LT(hone_value(0xffffffffu, unit), 1.0f);
    EXPECT_EQ(parse_law("uniform(2,-0.5)").scale, 2);
    EXPECT_EQ(parse_law("uniform(2,-0.5)").shift, -0.5f);
    EXPECT_EQ(error_text([] { parse_law("norml"); }),
              "law: no law \"norml\"; did you mean \"normal\"?; "
              "docs/tasks.md, \"Laws of inputs\", lists them");
    const hone_law fixed = parse_law("value(-1e-5)");  // any word stands for it
    EXPECT_EQ(hone_value(0, fixed), -1e-5f);
    EXPECT_EQ(hone_value(0xffffffffu, fixed), -1e-5f);
    for (const char* bad : {"normal(", "normal(x)", "normal(1", "index", "index(0)", "index(4,0.5)", "normal(1,)",
                            "value", "value(1,2)", "value(inf)"})
        EXPECT_NE(error_text([&] { parse_law(bad); }).find("cannot be read; write normal(scale)"), std::string::npos)
            << bad;
    const hone_law bytes = parse_law("index(256,-128)");
    EXPECT_EQ(hone_value(0, bytes), -128);
    EXPECT_EQ(hone_value(0xffffffffu, bytes), 127);
    EXPECT_NE(error_text([] { parse_law("index(20000000)"); }).find("\"index(20000000)\" has more than 2^24 numbers"),
              std::string::npos);
}

TEST(Judgement, VerdictsHaveNames) {
    const Judgement judgement = rejected("softmax", "h", Verdict::REWARD_HACK, "writes outside the output");
    EXPECT_EQ(judgement.verdict, Verdict::REWARD_HACK);
    EXPECT_FALSE(judgement.passed());
    EXPECT_TRUE(judgement.scorable());
    EXPECT_FALSE(rejected("t", "h", Verdict::INFRASTRUCTURE, "worker lost").scorable());
    EXPECT_STREQ(verdict_name(Verdict::OUT_OF_MEMORY), "OUT_OF_MEMORY");
    EXPECT_EQ(error_text([] { parse_verdict("PASED"); }), "judgement: no verdict \"PASED\"; did you mean \"PASSED\"?");
}

TEST(Judgement, DocumentsComeBackAndNameWhatIsWrong) {
    Judgement judgement = rejected("softmax", "h", Verdict::PASSED, "");
    judgement.speedup = {std::exp(1), 1, {}, 0.95, "reference"};
    judgement.baseline_forms = {{"eager", 1e-4}, {"graph", NAN}};
    judgement.samples = {{0.5}, {1.0}, {0}, {NAN}, {true}, {}, {}};
    const Json doc = to_json(judgement);
    EXPECT_EQ(to_json(judgement_from_json(doc)), doc);
    EXPECT_EQ(doc["log_speedup"], (Json{{"estimate", 1.0}, {"lower", 0.0}}));
    EXPECT_EQ(doc["baseline_forms"]["graph"], nullptr);
    EXPECT_FALSE(doc.contains("kind")) << "what has no value has no key";
    const auto refusal = [&](const char* change) {
        Json changed = doc;
        changed.merge_patch(Json::parse(change));
        return error_text([&] { judgement_from_json(changed); });
    };
    const std::string cure = "; another version of hone may have written it: hone/documents.md says what is expected";
    EXPECT_EQ(refusal(R"({"suite": null})"), "judgement: suite: is missing" + cure);
    EXPECT_EQ(refusal(R"({"speedup": {"level": "x"}})"), "judgement: speedup.level: is no number" + cure);
    EXPECT_EQ(refusal(R"({"pairs": 1.5})"), "judgement: pairs: is no whole number" + cure);
    EXPECT_EQ(refusal(R"({"sizes": {"R": "x"}})"), "judgement: sizes.R: is no whole number" + cure);
    EXPECT_EQ(refusal(R"({"samples": {"order": []}})"),
              "judgement: samples: has lists of different lengths; judge the program anew");
    EXPECT_EQ(refusal(R"({"added": 7})"), "(no error)");
}

}  // namespace
}  // namespace hone
