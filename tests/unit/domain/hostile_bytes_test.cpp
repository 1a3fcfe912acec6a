// Foreign bytes, bent at random from a fixed seed: parsers may refuse, with words, and do nothing else.
#include <gtest/gtest.h>
#include <unistd.h>
#include "base/frames.hpp"
#include "base/random.hpp"
#include "domain/candidate.hpp"
#include "domain/task.hpp"
#include "error_text.hpp"
#include "judge/service/job.hpp"
#include "judge/service/worker.hpp"

namespace hone {
namespace {

std::string bent(std::string text, const std::vector<std::string>& pieces, Random& random) {
    for (std::uint64_t bends = 1 + random.below(6); bends > 0; --bends) {
        const std::size_t at = random.below(text.size() + 1),
                          length = std::min<std::size_t>(random.below(12), text.size() - at);
        const std::uint64_t kind = random.below(3);
        if (kind == 0) text.erase(at, length);
        if (kind == 1) text.insert(at, pieces[random.below(pieces.size())]);
        if (kind == 2 && at < text.size()) text[at] = static_cast<char>(random.bits());
    }
    return text;
}

TEST(HostileBytes, AnswersAreParsedOrRefused) {
    Random random(1, "answers");
    const std::string honest =
        "## Performance analysis\nslow\n## Algorithm design\nfast\n```cuda\nkernel\n```\n```lua\nreturn {}\n```\n";
    const std::vector<std::string> pieces = {"```",  "```cuda\n", "```lua", "\n",    "\r\n", "`", std::string("\0", 1),
                                             "\xff", "\xf0\x9f",  "#",      "``````"};
    int parsed = 0;
    for (int i = 0; i < 20'000; ++i) {
        const ParsedAnswer answer = parse_answer("t", bent(honest, pieces, random), {"cuda", "lua"}, true);
        ASSERT_NE(answer.ok, !answer.reason.empty());
        if (!answer.ok) continue;
        ++parsed;
        ASSERT_FALSE(answer.candidate.code.empty());
        ASSERT_NO_THROW(
            (void)Json(answer.candidate.code + answer.candidate.plan + answer.analysis + answer.design).dump());
    }
    EXPECT_GT(parsed, 1'000);
    EXPECT_LT(parsed, 19'000);
}

TEST(HostileBytes, TasksAreAcceptedOrRefusedWithWords) {
    Random random(1, "tasks");
    const std::string honest =
        R"json({"name":"t","statement":"s","inputs":[{"name":"a","shape":["2*R-1","C"],"law":"index(C)","dtype":"i64"}],
        "outputs":[{"name":"o","shape":["R"]}],"shape":{"C":64,"R":2},"hidden":[{"R":7,"C":64}],"multiples":{"C":64},"tolerance":{"class":"f32"}})json";
    const std::vector<std::string> pieces = {
        "null", "{}", "[]", "\"", "-1", "1e9", "0", "true", "\"R\"", "99999999999999999999", ",", ":"};
    int accepted = 0;
    for (int i = 0; i < 20'000; ++i) {
        const Json doc = Json::parse(bent(honest, pieces, random), nullptr, false);
        if (doc.is_discarded()) continue;
        try {
            const Task task = check_task(doc);
            for (const Shape& shape : hidden_shapes(task))
                ASSERT_GT(tensors(task, "inputs", shape).size() + tensors(task, "outputs", shape).size(), 0u);
            ASSERT_EQ(sizes(task, timed_shape(task)).size(), task.sizes.size());
            ++accepted;
        } catch (const Error& e) {
            ASSERT_EQ(e.blame(), Blame::input);
        }
    }
    EXPECT_GT(accepted, 20);
}

TEST(HostileBytes, FramesAreReadOrRefused) {
    Random random(1, "frames");
    const std::string header = R"({"type":"job","id":7})";
    const std::string honest = std::string("\x15\0\0\0\3\0\0\0", 8) + header + "abc";
    int refused = 0;
    for (int i = 0; i < 20'000; ++i) {
        FrameReader reader;
        reader.feed(bent(honest, {"{", "}", "[[[", std::string("\0\0", 2), "\xff\xff"}, random));
        try {
            while (const auto frame = reader.next()) ASSERT_TRUE(frame->header.is_object());
        } catch (const Error& e) {
            ASSERT_EQ(e.place(), "frame");
            ++refused;
        }
    }
    EXPECT_GT(refused, 1'000);
}

TEST(HostileBytes, AHeaderOfTheWrongFormIsRefusedWithWords) {
    const auto words = [](const Json& header) { return error_text([&] { Job::from_json(header); }); };
    const std::string begun = "frame: its header is not understood: ";
    EXPECT_EQ(words({{"id", "a"}}), begun + "key 'attempt' not found");
    EXPECT_EQ(words({{"id", 1}}), begun + "type must be string, but is number");
    EXPECT_EQ(words(Json::array()), begun + "cannot use at() with array");
    auto [in, to] = make_pipe();
    write_frame(to.get(), {{{"talk", "nonsense"}}, ""});
    EXPECT_EQ(error_text([&, &given = in] { Worker(given.get(), STDERR_FILENO).run(); }),
              begun + "key 'type' not found");
}

}  // namespace
}  // namespace hone
