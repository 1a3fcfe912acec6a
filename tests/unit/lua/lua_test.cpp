// The files tests/lua/*.lua that use the module: each returns a table of tests, run one by one against a real run and
// the fake device.
#include <gtest/gtest.h>
#include <filesystem>
#include <set>
#include "base/paths.hpp"
#include "base/progress.hpp"
#include "domain/documents.hpp"
#include "lua/api.hpp"
#include "lua/state.hpp"
#include "test_folders.hpp"

namespace hone::lua {
namespace {

const fs::path folder = fs::path(HONE_TEST_SOURCE_DIR) / "tests" / "lua";

struct Suite {
    fs::path runs = fs::temp_directory_path() / ("hone-lua-test-" + std::to_string(getpid()));
    State state;

    Suite() : state(session()) {
        Progress::set_quiet(true);
        fs::remove_all(runs);
        state.add_folder(folder);
        state.add_folder(folder / "scripts");
    }
    ~Suite() { fs::remove_all(runs); }

    Session session() const {
        Session one;
        one.script_path = "tests/lua/test.lua";
        one.settings = ScriptSettings({"folder=" + runs.string(), "given.number=12", "given.switch=true"});
        return one;
    }

    // Leaves the file's table of tests in the global `tests`.
    std::set<std::string> load(const std::string& file) {
        std::set<std::string> names;
        state.protect([&](lua_State* L) {
            load_chunk(L, read_script(folder / file), file);
            lua_call(L, 0, 1);
            for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) names.insert(Type<std::string>::get(L, -2));
            lua_pushglobaltable(L);
            lua_insert(L, -2);
            lua_pushliteral(L, "tests");
            lua_insert(L, -2);
            lua_rawset(L, -3);
        });
        return names;
    }

    std::string run(const std::string& name) {  // "" or the error
        try {
            state.protect([&](lua_State* L) {
                lua_getglobal(L, "tests");
                lua_getfield(L, -1, name.c_str());
                lua_call(L, 0, 0);
            });
            return {};
        } catch (const std::exception& error) {
            return error.what();
        }
    }
};

void run_all(const std::string& file) {
    Suite suite;
    for (const std::string& name : suite.load(file)) EXPECT_EQ(suite.run(name), "") << file << ": " << name;
}

TEST(Lua, EveryFunctionOfTheApiHasATestOfItsName) {
    Suite suite;
    std::set<std::string> bound;
    for (const Binding& binding : api()) bound.insert(binding.name);
    EXPECT_EQ(suite.load("api.lua"), bound);
}

TEST(Lua, Api) { run_all("api.lua"); }
TEST(Lua, Language) { run_all("language.lua"); }
TEST(Lua, ErrorTexts) { run_all("errors.lua"); }
TEST(Lua, ErrorTextsOfLists) { run_all("list_errors.lua"); }
TEST(Lua, ErrorTextsOfLearning) { run_all("learning_errors.lua"); }
TEST(Lua, Stages) { run_all("stages.lua"); }
TEST(Lua, Shapes) { run_all("shapes.lua"); }
TEST(Lua, Corpora) { run_all("corpora.lua"); }
TEST(Lua, Gains) { run_all("gains.lua"); }

TEST(Lua, StubsAndReferenceAreAsCommitted) {
    EXPECT_TRUE(read_file(fs::path(HONE_TEST_SOURCE_DIR) / "scripts/meta/hone.lua") == api_luacats())
        << "run: hone api --luacats > scripts/meta/hone.lua";
    EXPECT_TRUE(read_file(fs::path(HONE_TEST_SOURCE_DIR) / "docs/lua-api.md") == api_markdown())
        << "run: hone api --markdown > docs/lua-api.md";
    EXPECT_TRUE(read_file(fs::path(HONE_TEST_SOURCE_DIR) / "engine/sdk/hone/documents.md") == documents_markdown())
        << "run: hone api --documents > engine/sdk/hone/documents.md";
}

}  // namespace
}  // namespace hone::lua
