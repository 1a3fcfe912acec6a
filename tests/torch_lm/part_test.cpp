// policy.torch-lm behind the boundary.
#include "part_fixture.hpp"

namespace hone {
namespace {

using namespace test::lm_part;
using test::Ask, test::GivenAnswer, test::PolicyPart, test::TemporaryFolder;

// The answers without `stop` say where those with it must end.
TEST(TorchLmPart, AnAnswerEndsInFrontOfAStopText) {
    PolicyPart part("torch-lm", two_threads);
    const GivenAnswer whole = part.ask(question(1));
    ASSERT_GT(whole.text.size(), 8u);
    Ask ask = question(1);
    ask.stop = {"no such text", whole.text.substr(3, 4)};
    const GivenAnswer cut = part.ask(ask);
    const std::size_t first = whole.text.find(ask.stop[1]);
    EXPECT_EQ(cut.text, whole.text.substr(0, first));
    EXPECT_EQ(cut.finish, HONE_STOP);
    EXPECT_LT(cut.ids.size(), whole.ids.size());
    EXPECT_EQ(cut.ids, std::vector<std::int32_t>(whole.ids.begin(), whole.ids.begin() + cut.ids.size()));
    const std::vector<std::string>& told = part.pieces(0, 0);
    EXPECT_EQ(std::accumulate(told.begin(), told.end(), std::string()), cut.text);
    ask.stop = {"no such text"};
    EXPECT_EQ(part.ask(ask).text, whole.text);
}

TEST(TorchLmPart, TopKAndMinPNarrowTheDraw) {
    PolicyPart part("torch-lm", two_threads);
    Ask likeliest = question(1), one = question(1), sure = question(1);
    likeliest.temperature = 0, one.top_k = 1, sure.min_p = 0.999999;
    EXPECT_EQ(part.ask(one).text, part.ask(likeliest).text);
    EXPECT_EQ(part.ask(sure).text, part.ask(likeliest).text);
    EXPECT_NE(part.ask(question(1)).text, part.ask(likeliest).text);
}

TEST(TorchLmPart, CountsTheTokensThatHaveAWeight) {
    const PolicyPart part("torch-lm", two_threads);
    for (const bool weigh : {false, true}) {
        EXPECT_EQ(tokens_learnt(part, {0, 0, 0, 0}, weigh), 0);
        EXPECT_EQ(tokens_learnt(part, {0, 1, 0, 0}, weigh), 1);
        EXPECT_EQ(tokens_learnt(part, {1, 1, 1, 1}, weigh), 3) << "nothing predicts the first";
    }
}

TEST(TorchLmPart, LearnsAnAnswerByHeart) {
    PolicyPart part("torch-lm", two_threads);
    adapt(part, {program, program});
    const auto ids = lesson(part, "double", program);
    const auto before = score(part, ids);
    EXPECT_EQ(learn(part, ids, 80).version, 80u);
    const GivenAnswer answer = part.ask(question());
    EXPECT_EQ(answer.text, program);
    EXPECT_EQ(answer.finish, HONE_STOP);
    EXPECT_EQ(answer.ids.back(), 2) << "the end token is among the ids";
    EXPECT_EQ(score(part, ids, true), before) << "frozen: the weights as first loaded";
    EXPECT_EQ(error_of([&] { adapt(part, {program}); }),
              "torch-lm: the vocabulary cannot change any more: 80 updates have been learnt with it; run:sft { adapt = "
              "false } goes on with it");
}

TEST(TorchLmPart, PiecesOfAnAnswerMakeItsText) {
    PolicyPart part("torch-lm", two_threads);
    const auto answers = part.sample({question(2), question(3)});
    for (const auto& [key, answer] : answers) {
        std::string text;
        for (const std::string& piece : part.pieces(key.first, key.second)) {
            EXPECT_TRUE(is_utf8(piece));
            text += piece;
        }
        EXPECT_EQ(text, answer.text);
        EXPECT_GT(part.pieces(key.first, key.second).size(), 3u);
    }
    EXPECT_EQ(answers.size(), 5u);
}

TEST(TorchLmPart, LearnsInBfloat16) {
    const TemporaryFolder base, saved;
    PolicyPart tiny("torch-lm", two_threads);
    adapt(tiny, {program, program});
    tiny.check(tiny.learning().save(tiny.self(), base.path().c_str(), 0));
    PolicyPart part("torch-lm", {{"threads", 2}, {"model", base.path()}, {"dtype", "bfloat16"}});
    const auto ids = lesson(part, "double", program);
    const auto wide = score(tiny, ids), narrow = score(part, ids);
    for (std::size_t t = 1; t < ids.size(); ++t) EXPECT_NEAR(narrow[t], wide[t], 0.05);
    learn(part, ids, 60);
    const auto learnt = score(part, ids);
    EXPECT_GT(std::accumulate(learnt.begin(), learnt.end(), 0.0),
              std::accumulate(narrow.begin(), narrow.end(), 0.0) / 2);
    part.check(part.learning().save(part.self(), saved.path().c_str(), 1));
    EXPECT_NE(read_file(saved.path() + "/config.json").find("\"torch_dtype\": \"bfloat16\""), std::string::npos);
    PolicyPart resumed("torch-lm", {{"threads", 2}, {"model", base.path()}, {"dtype", "bfloat16"}});
    resumed.check(resumed.learning().load(resumed.self(), saved.path().c_str(), 1));
    learn(part, ids, 2), learn(resumed, ids, 2);
    EXPECT_EQ(score(resumed, ids), score(part, ids)) << "moments and the float32 copy came back";
}

TEST(TorchLmPart, TheTinyModelTakesNoAdapter) {
    EXPECT_EQ(error_of([] {
                  PolicyPart("torch-lm", {{"lora", 8}});
              }),
              "policy.torch-lm: lora = 8 changes a model that has learnt; the tiny one learns all its weights: leave "
              "lora out");
}

TEST(TorchLmPart, AModelThatIsNowhere) {
    const TemporaryFolder cache;
    const char* before = std::getenv("XDG_CACHE_HOME");
    const std::string kept = before ? before : "";
    setenv("XDG_CACHE_HOME", cache.path().c_str(), 1);
    EXPECT_EQ(error_of([] {
                  PolicyPart("torch-lm", {{"model", "smolm2"}});
              }),
              "policy.torch-lm: model \"smolm2\" is no folder or .gguf file here, and " + cache.path() +
                  "/hone/models has no smolm2.gguf. Give \"tiny\", the path of a model, smollm2 once ./dev model "
                  "smollm2 has fetched it, or provider/model for policy.http");
    EXPECT_EQ(error_of([] {
                  PolicyPart("torch-lm", {{"model", "openai/gpt-4o"}});
              }),
              "policy.torch-lm: model \"openai/gpt-4o\" is no folder or .gguf file here; a model behind an API is "
              "asked by policy.http");
    EXPECT_EQ(
        error_of([] {
            PolicyPart("torch-lm", {{"model", "./none.gguf"}});
        }),
        "policy.torch-lm: model \"./none.gguf\" is no folder or .gguf file here; give the folder of a Hugging Face "
        "model, a .gguf file, or \"tiny\"");
    if (before) setenv("XDG_CACHE_HOME", kept.c_str(), 1);
    else unsetenv("XDG_CACHE_HOME");
}

TEST(TorchLmPart, RandomWeightsFollowTheSeed) {
    PolicyPart a("torch-lm", two_threads), b("torch-lm", two_threads), c("torch-lm", {{"threads", 2}, {"seed", 5}});
    EXPECT_EQ(a.ask(question()), b.ask(question()));
    EXPECT_NE(a.ask(question()), c.ask(question()));
}

TEST(TorchLmPart, SavedIsLoaded) {
    const TemporaryFolder folder;
    PolicyPart part("torch-lm", two_threads);
    adapt(part, {program, program});
    const auto ids = lesson(part, "double", program);
    learn(part, ids, 5);
    part.check(part.learning().save(part.self(), folder.path().c_str(), 1));
    PolicyPart fresh("torch-lm", {{"threads", 2}, {"model", folder.path()}});
    EXPECT_EQ(score(fresh, ids), score(part, ids));
    EXPECT_EQ(lesson(fresh, "double", program), ids);
    PolicyPart resumed("torch-lm", two_threads);
    resumed.check(resumed.learning().load(resumed.self(), folder.path().c_str(), 1));
    EXPECT_EQ(learn(part, ids, 3).version, learn(resumed, ids, 3).version);
    EXPECT_EQ(score(part, ids), score(resumed, ids)) << "moments and counters came back";
    learn(fresh, ids, 3);
    EXPECT_NE(score(part, ids), score(fresh, ids));
}

// Another model would answer, and nobody would know.
TEST(TorchLmPart, WeightsThatTheModelDoesNotUseAreRefused) {
    const TemporaryFolder folder;
    save(PolicyPart("torch-lm", two_threads), folder.path());
    Json config = Json::parse(read_file(folder.path() + "/config.json"));
    config["num_hidden_layers"] = config["num_hidden_layers"].get<int>() - 1;
    write_file(folder.path() + "/config.json", config.dump());
    const std::string told = error_of([&] { PolicyPart("torch-lm", {{"threads", 2}, {"model", folder.path()}}); });
    EXPECT_TRUE(told.starts_with(folder.path() + ": holds \"model.layers.")) << told;
    EXPECT_TRUE(
        told.ends_with(" more tensors, which the model that config.json describes does not use: the two belong "
                       "to different models"))
        << told;
}

// The policy is not bad: it is damaged.
TEST(TorchLmPart, LogitsThatAreNoNumbersAreNoAnswer) {
    const TemporaryFolder folder;
    save(PolicyPart("torch-lm", two_threads), folder.path());
    const std::string file = folder.path() + "/model.safetensors";
    std::string bytes = read_file(file);
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (std::size_t at = bytes.size() / 8 * 4; at + sizeof nan <= bytes.size(); at += sizeof nan)
        std::memcpy(&bytes[at], &nan, sizeof nan);
    write_file(file, bytes);
    PolicyPart part("torch-lm", {{"threads", 2}, {"model", folder.path()}});
    Ask greedy = question(2), best = question(2), least = question(2);
    greedy.temperature = 0, best.top_k = 5, least.min_p = 0.1;
    for (const auto& [place, answer] : part.sample({question(2), greedy, best, least})) {
        EXPECT_EQ(answer.finish, HONE_ERROR);
        EXPECT_EQ(answer.text,
                  "the model's logits are no finite numbers: weights are NaN or infinite; load another checkpoint, or "
                  "learn from one before with a smaller learning rate");
        EXPECT_EQ(answer.fault, HONE_FAULT_SERVER);
    }
}

// run:sft adapts by preset: weights that a script has loaded before would be gone without a word.
TEST(TorchLmPart, WhatWasLoadedKeepsItsVocabulary) {
    const TemporaryFolder folder;
    PolicyPart taught("torch-lm", two_threads), part("torch-lm", two_threads);
    adapt(taught, {program, program});
    const auto ids = lesson(taught, "double", program);
    learn(taught, ids, 5);
    taught.check(taught.learning().save(taught.self(), folder.path().c_str(), 0));
    part.check(part.learning().load(part.self(), folder.path().c_str(), 0));
    adapt(part, {"other words"});
    EXPECT_EQ(score(part, ids), score(taught, ids));
}

TEST(TorchLmPart, FrozenOutlivesAdaptAndResumption) {
    const TemporaryFolder folder;
    PolicyPart part("torch-lm", two_threads);
    adapt(part, {program, program});
    const auto ids = lesson(part, "double", program);
    const auto before = score(part, ids);
    learn(part, ids, 5);
    part.check(part.learning().save(part.self(), folder.path().c_str(), 1));
    PolicyPart resumed("torch-lm", two_threads);  // its own tokenizer is another
    resumed.check(resumed.learning().load(resumed.self(), folder.path().c_str(), 1));
    EXPECT_EQ(score(resumed, ids), score(part, ids));
    EXPECT_EQ(score(resumed, ids, true), before) << "frozen: the weights as first loaded, not the checkpoint's";
    learn(resumed, ids, 1);
    EXPECT_EQ(score(resumed, ids, true), before);
}

std::string fact(const PolicyPart& part, const std::string& wanted) {
    std::pair<std::string, std::string> found{wanted, ""};
    hone_out out{&found, [](void*, const char*, double) {},
                 [](void* to, const char* name, hone_text value) {
                     auto& [of, text] = *static_cast<std::pair<std::string, std::string>*>(to);
                     if (of == name) text = {value.at, value.len};
                 }};
    part.check(part.functions().facts(part.self(), &out));
    return found.second;
}

std::string spoken(const PolicyPart& part) { return fact(part, "speaks"); }

std::string asked(Json options) {
    options["threads"] = 2;
    return fact(PolicyPart("torch-lm", options), "asks.content");
}

// A run goes on only with what answered before: a resumed one would mix the answers of two prompts.
TEST(TorchLmPart, WhatIsAskedHasTheFilesBesideTheWeights) {
    const TemporaryFolder folder, other;
    save(PolicyPart("torch-lm", two_threads), folder.path());
    const Json model = {{"model", folder.path()}};
    std::vector<std::string> seen = {asked(model)};
    EXPECT_EQ(asked(model), seen[0]);
    const auto changed = [&](const std::string& file, const std::string& text) {
        write_file(folder.file(file), text);
        seen.push_back(asked(model));
        EXPECT_EQ(std::count(seen.begin(), seen.end(), seen.back()), 1) << file;
    };
    const auto with = [&](const std::string& file, const std::string& key, const Json& value) {
        Json document = Json::parse(read_file(folder.file(file)));
        document[key] = value;
        return document.dump();
    };
    const std::string file = "tokenizer_config.json", written = "{{ bos_token }}{{ messages[0].content }}";
    changed(file, with(file, "chat_template", written));
    changed(file, with(file, "bos_token", "<|pad|>"));
    changed("chat_template.jinja", written + " ");
    changed("config.json", with("config.json", "rope_theta", 20000));
    changed("generation_config.json", with("generation_config.json", "eos_token_id", {1, 2}));
    std::string tokens = read_file(folder.file("tokenizer.json"));
    changed("tokenizer.json", tokens.replace(tokens.find("<|task|>"), 8, "<|ask|>"));
    changed("model.safetensors", [&] {
        save(PolicyPart("torch-lm", {{"threads", 2}, {"seed", 5}}), other.path());
        return read_file(other.file("model.safetensors"));
    }());
    write_file(folder.file("config.json"), read_file(folder.file("config.json")) + "\n");
    EXPECT_EQ(asked(model), seen.back()) << "nothing that counts is another";
}

// A saved folder has the prompts of the one that it was loaded from: its template has the same special tokens.
TEST(TorchLmPart, ASavedFolderIsAskedAsTheFirst) {
    const TemporaryFolder folder, saved;
    save(PolicyPart("torch-lm", two_threads), folder.path());
    write_file(
        folder.file("tokenizer_config.json"),
        R"({"chat_template": "{{ bos_token }}{{ messages[0].content }}{{ unk_token }}", "unk_token": "<|task|>"})");
    const Json first = {{"model", folder.path()}, {"threads", 2}};
    save(PolicyPart("torch-lm", first), saved.path());
    EXPECT_EQ(asked({{"model", saved.path()}}), asked(first));
}

// A vector is small beside all weights, and changes every answer.
TEST(TorchLmPart, WhatIsAskedHasEachWeightOfAVector) {
    const TemporaryFolder folder;
    save(PolicyPart("torch-lm", two_threads), folder.path());
    const std::string before = asked({{"model", folder.path()}});
    std::string file = read_file(folder.file("model.safetensors"));
    std::uint64_t header = 0;
    std::memcpy(&header, file.data(), sizeof header);
    const Json about = Json::parse(file.substr(sizeof header, header));
    const std::size_t at = about["model.norm.weight"]["data_offsets"][0];
    file[sizeof header + header + at + 4 * 7 + 2] ^= 1;  // of its eighth number
    write_file(folder.file("model.safetensors"), file);
    EXPECT_NE(asked({{"model", folder.path()}}), before);
}

TEST(TorchLmPart, WhatIsAskedHasTheTemplateOfTheOption) {
    const TemporaryFolder folder;
    const Json options = {{"template", folder.file("t.jinja")}};
    write_file(folder.file("t.jinja"), "{{ messages[0].content }}");
    const std::string before = asked(options);
    EXPECT_NE(before, asked({{"template", "none"}}));
    write_file(folder.file("t.jinja"), "Q: {{ messages[0].content }}");
    EXPECT_NE(before, asked(options));
}

TEST(TorchLmPart, SpeaksCompactWhereTheVocabularyHasItsMarks) {
    const TemporaryFolder folder;
    PolicyPart part("torch-lm", two_threads);
    EXPECT_EQ(spoken(part), "compact");
    part.check(part.learning().save(part.self(), folder.path().c_str(), 0));
    EXPECT_EQ(spoken(PolicyPart("torch-lm", {{"threads", 2}, {"model", folder.path()}})), "compact");
    std::stringstream tokenizer;
    tokenizer << std::ifstream(folder.file("tokenizer.json")).rdbuf();
    std::string text = tokenizer.str();
    for (std::size_t at; (at = text.find("<|task|>")) != std::string::npos;) text.replace(at, 8, "<|other|>");
    std::ofstream(folder.file("tokenizer.json")) << text;
    EXPECT_EQ(spoken(PolicyPart("torch-lm", {{"threads", 2}, {"model", folder.path()}})), "chat");
}

TEST(TorchLmPart, ResumeNeedsTheOptimizer) {
    const TemporaryFolder folder;
    PolicyPart part("torch-lm", two_threads);
    part.check(part.learning().save(part.self(), folder.path().c_str(), 0));
    EXPECT_EQ(
        error_of([&] { part.check(part.learning().load(part.self(), folder.path().c_str(), 1)); }),
        folder.file("optimizer.safetensors") + ": is missing; the folder was saved without what a resumed run needs");
}

TEST(TorchLmPart, PromptsThatDoNotFitAreAnswersWithTheReason) {
    PolicyPart part("torch-lm", two_threads);
    const auto answers =
        part.sample({{.messages = {{"user", std::string(1024, 'x')}}, .group = 2, .max_tokens = 5}, question(1)});
    ASSERT_EQ(answers.size(), 3u);
    EXPECT_EQ(answers.at({0, 1}).finish, HONE_ERROR);
    EXPECT_EQ(answers.at({0, 1}).text, "the prompt has 1024 tokens and asks for 5 more; the model's context is 1024");
    EXPECT_EQ(answers.at({1, 0}).ids.size(), 40u);
}

// The other requests of a batch are answered.
TEST(TorchLmPart, MessagesThatTheTemplateRefusesFailTheirOwnRequest) {
    const TemporaryFolder folder;
    std::ofstream(folder.file("no_system.jinja"))
        << "{% for m in messages %}{% if m.role == 'system' %}{{ raise_exception('no system') }}{% endif %}"
           "{{ m.content }}{% endfor %}";
    PolicyPart part("torch-lm", {{"threads", 2}, {"template", folder.file("no_system.jinja")}});
    const auto answers = part.sample(
        {{.messages = {{"system", "x"}, {"user", "y"}}, .group = 2}, {.messages = {{"user", "y"}}, .group = 1}});
    ASSERT_EQ(answers.size(), 3u);
    EXPECT_EQ(answers.at({0, 1}).finish, HONE_ERROR);
    EXPECT_EQ(answers.at({0, 1}).fault, HONE_FAULT_REQUEST);
    EXPECT_NE(answers.at({0, 1}).text.find("the template refuses these messages: \"no system\""), std::string::npos)
        << answers.at({0, 1}).text;
    EXPECT_EQ(answers.at({1, 0}).ids.size(), 16u);
}

TEST(TorchLmPart, StopsWhenTold) {
    PolicyPart part("torch-lm", two_threads);
    part.on_stop([] { return 1; });
    EXPECT_EQ(error_of([&] { part.ask(question()); }), "sampling was stopped");
}

TEST(TorchLmPart, RefusesForeignTokens) {
    PolicyPart part("torch-lm", two_threads);
    EXPECT_EQ(error_of([&] { score(part, {1, 99999}); }), "sequence 1 holds the token 99999; the vocabulary has 276");
    EXPECT_EQ(error_of([&] { score(part, std::vector<std::int32_t>(1025, 3)); }),
              "sequence 1 has 1025 tokens; the model takes 1 to 1024");
}

TEST(TorchLmPart, DevicesThatAreNotThereAreRefused) {
    EXPECT_EQ(error_of([] {
                  PolicyPart("torch-lm", {{"device", "gpu"}});
              }),
              "policy.torch-lm: device \"gpu\": is no device; say \"cpu\", \"cuda\" or \"cuda:N\"");
    if (dlopen("libcuda.so.1", RTLD_NOW)) GTEST_SKIP() << "this machine has a CUDA driver";
    for (const std::string device : {"cuda", "cuda:3"})
        EXPECT_EQ(error_of([&] {
                      PolicyPart("torch-lm", {{"device", device}});
                  }),
                  "policy.torch-lm: device \"" + device +
                      "\": there is no CUDA driver (libcuda.so.1: cannot open shared object file: "
                      "No such file or directory); use device = \"cpu\"");
}

}  // namespace
}  // namespace hone
