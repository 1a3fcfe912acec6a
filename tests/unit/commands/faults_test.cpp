// docs/faults.md is a table of what people see of each fault. Each row is tried here: a run with the fault, then the
// same run resumed without it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <fstream>
#include <sstream>
#include "base/paths.hpp"
#include "base/process.hpp"
#include "commands/faults_cases.hpp"
#include "policies/scripted_server.hpp"
#include "sandbox/small_disk.hpp"
#include "store/journal.hpp"
#include "store/report/report.hpp"
#include "test_folders.hpp"

namespace hone {
namespace {

using test::Case, test::cases, test::script_of;

// The rows of the table: cells without the marks of code.
std::vector<std::vector<std::string>> rows_of_page() {
    std::vector<std::vector<std::string>> rows;
    std::istringstream page(read_file(HONE_TEST_SOURCE_DIR "/docs/faults.md"));
    for (std::string line; std::getline(page, line);) {
        if (!line.starts_with("| ")) continue;
        std::vector<std::string> cells;
        for (std::size_t from = 2, to; (to = line.find(" |", from)) != std::string::npos; from = to + 3) {
            std::string cell = line.substr(from, to - from);
            if (cell.starts_with("`")) cell = cell.substr(1, cell.size() - 2);
            cells.push_back(cell);
        }
        rows.push_back(cells);
    }
    rows.erase(rows.begin());  // titles
    return rows;
}

// "…" in the page stands for any text.
bool agrees(const std::string& page, const std::string& seen) {
    std::size_t at = 0;
    const std::string any = "…";
    for (std::size_t from = 0;;) {
        const std::size_t to = page.find(any, from);
        const std::string piece = page.substr(from, to == std::string::npos ? to : to - from);
        const std::size_t found = seen.find(piece, at);
        if (found == std::string::npos || (from == 0 && found != 0)) return false;
        at = found + piece.size();
        if (to == std::string::npos) return piece.empty() || at == seen.size();
        from = to + any.size();
    }
}

class Fault : public ::testing::TestWithParam<std::size_t> {
protected:
    Fault() : before_(fs::current_path()) {
        char path[] = "/tmp/hone_fault_XXXXXX";
        fs::current_path(folder_ = mkdtemp(path));
        write_file("f.lua", script_of(one_));
    }
    ~Fault() override {
        fs::current_path(before_);
        fs::remove_all(folder_);
    }

    // Its exit code as a shell tells it; what it said is in the file "told".
    int run(bool resume, const std::string& fault, const std::string& base_url) const {
        SpawnPlan plan;
        plan.argv = {(program_path().parent_path() / "hone").string(), "run", "f.lua"};
        if (resume) plan.argv.push_back("--resume");
        plan.environment = {"HONE_PLUGIN_PATH=" HONE_TEST_FIXTURE_DIR "/faulty",
                            "PATH=/usr/bin:/bin",
                            "XDG_STATE_HOME=" + folder_.string(),
                            "XDG_CACHE_HOME=" + folder_.string(),
                            "OPENAI_API_KEY=sk-test",
                            "OPENAI_BASE_URL=" + base_url,
                            "HONE_FAULT=" + fault};
        if (const char* leaks = std::getenv("LSAN_OPTIONS"))
            plan.environment.push_back(std::string("LSAN_OPTIONS=") + leaks);
        const Fd told(open("told", O_WRONLY | O_CREAT | O_TRUNC, 0644)), silent(open("/dev/null", O_WRONLY));
        plan.files = {{silent.get(), 1}, {told.get(), 2}};
        int status = 0;
        EXPECT_TRUE(Child(plan).wait(120, &status));
        return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    }

    static std::string kept() {
        const Journal journal = Journal::read("f");
        const auto count = [&](const std::string& table) {
            return journal.rows("SELECT count(*) AS n FROM " + table).at(0)["n"].dump() + " " + table + "s";
        };
        return count("answer") + ", " + count("judgement");
    }
    static std::string reported() {
        const Json stages = report_json(Journal::read("f"))["stages"];
        if (stages.empty()) return "no row";
        return stages[0].contains("lost") ? "lost " + stages[0]["lost"].dump() : "a row";
    }

    // The cells of the table behind the first, and what the resumed run told.
    std::vector<std::string> seen() const {
        std::optional<test::ScriptedServer> server;  // none beside a small disk: it takes a process of one thread
        if (!one_.server.empty()) server.emplace(one_.server == "none" ? "{}" : one_.server);
        const std::string first_url = !server || one_.server == "none" ? "http://127.0.0.1:1/v1" : server->base_url();
        const std::string code = std::to_string(run(false, one_.environment, first_url)), told = read_file("told"),
                          report = reported(), journal = kept();
        write_file("mended", "");
        if (one_.kilobytes) resize_small("runs/f", 100 * one_.kilobytes);
        if (server) server->play(answering);
        const std::string again = std::to_string(run(true, "none", server ? server->base_url() : ""));
        return {told, code, report, journal, again + ": " + kept(), read_file("told")};
    }

    // On a small disk: seen() in a process of its own, whose mounts nobody else sees. Empty: there are no user
    // namespaces.
    std::vector<std::string> seen_on_small_disk() const {
        fs::create_directories("runs/f");
        const int status = in_child([&] {
            if (!mount_small("runs/f", one_.kilobytes)) _exit(77);
            write_file("cells", Json(seen()).dump());
            _exit(0);
        });
        if (WIFEXITED(status) && WEXITSTATUS(status) == 77) return {};
        return Json::parse(read_file("cells"));
    }

    const Case& one_ = cases().at(GetParam());
    const std::string answering = R"({"text": "3 1 4"})";
    fs::path before_, folder_;
};

TEST_P(Fault, IsSeenAsThePageSays) {
#ifdef __SANITIZE_ADDRESS__
    if (std::string(one_.fault).ends_with("crashes")) GTEST_SKIP() << "the sanitizer tells of a crash in its own words";
#endif
    const std::vector<std::string> cells = one_.kilobytes ? seen_on_small_disk() : seen();
    if (cells.empty()) GTEST_SKIP() << "no user namespaces here";
    for (const std::vector<std::string>& row : rows_of_page()) {
        if (row.at(0) != one_.fault) continue;
        ASSERT_EQ(row.size(), 6u);
        EXPECT_TRUE(agrees("…" + row[1] + "…", cells[0])) << "page: " << row[1] << "\nsaid: " << cells[0];
        for (std::size_t i = 2; i < row.size(); ++i)
            EXPECT_TRUE(agrees(row[i], cells[i - 1])) << cells[i - 1] << "\nresumed, it told: " << cells.back();
        return;
    }
    ADD_FAILURE() << "docs/faults.md has no row \"" << one_.fault << "\"; it says: " << Json(cells).dump();
}

INSTANTIATE_TEST_SUITE_P(Each, Fault, ::testing::Range(std::size_t{0}, cases().size()),
                         [](const auto& one) { return std::string(cases().at(one.param).name); });

TEST(Faults, ThePageHasARowForEachAndNoOther) {
    std::vector<std::string> told, tried;
    for (const auto& row : rows_of_page()) told.push_back(row.at(0));
    for (const Case& one : cases()) tried.push_back(one.fault);
    EXPECT_EQ(told, tried);
}

}  // namespace
}  // namespace hone
