// Scripts that need nothing of the host run in a plain Lua: objectives, shapes and the template teacher's programs.
#include <gtest/gtest.h>
#include <lua.hpp>
#include <memory>
#include <string>
#include "test_folders.hpp"
#include "text/canonical.hpp"

namespace {

std::string run(const std::string& file) {  // "" or the error
    const std::unique_ptr<lua_State, void (*)(lua_State*)> state(luaL_newstate(), lua_close);
    lua_State* L = state.get();
    luaL_openlibs(L);
    lua_register(L, "canonical", [](lua_State* from) {
        const std::string text = hone::canonical_text(luaL_checkstring(from, 1), luaL_checkstring(from, 2));
        lua_pushlstring(from, text.data(), text.size());
        return 1;
    });
    const std::string path = "package.path = '" HONE_TEST_SOURCE_DIR "/scripts/?.lua'";
    if (luaL_dostring(L, path.c_str()) == LUA_OK &&
        luaL_dofile(L, (HONE_TEST_SOURCE_DIR "/tests/lua/" + file).c_str()) == LUA_OK)
        return {};
    return luaL_tolstring(L, -1, nullptr);
}

TEST(Scripts, ObjectivesHold) { EXPECT_EQ(run("objective_test.lua"), ""); }
TEST(Scripts, ShapesHold) { EXPECT_EQ(run("shaping_test.lua"), ""); }
TEST(Scripts, MutationsAreOfCodeAlone) { EXPECT_EQ(run("mutations_test.lua"), ""); }
TEST(Scripts, TemplateSpacesAreLargeAndWellFormed) {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "thousands of draws of Lua code alone, a minute with sanitizers";
#endif
    EXPECT_EQ(run("templates_test.lua"), "");
}

}  // namespace
