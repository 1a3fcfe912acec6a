// Programs of the template teacher for CUDA go through the verifier's own compiler. NVRTC needs no device.
#include <gtest/gtest.h>
#include <filesystem>
#include <lua.hpp>
#include <memory>
#include <string>
#include "error_text.hpp"
#include "nvrtc.hpp"
#include "sandbox/own_runner.hpp"
#include "sandbox/services.hpp"
#include "test_folders.hpp"

namespace hone {
namespace {

const Json task = {{"name", "any"},
                   {"sizes", Json::array()},
                   {"inputs", Json::array()},
                   {"outputs", {{{"name", "o"}, {"dtype", "f32"}}}}};

class Compiler {
public:
    Compiler() : services_({}, 60) {
        set_bench_services(services_.offer());
        handle_ = std::make_unique<Handle>(make_recipe("verifier", "cuda", Json::object(), "test"));
    }
    // "" or what is wrong with the code
    std::string fault(const std::string& code) {
        const auto* functions = static_cast<const hone_verifier*>(handle_->part().functions);
        const Json candidate = {{"code", code}};
        Collect facts;
        void* subject = nullptr;
        try {
            handle_->check(functions->open(handle_->self(), as_doc(task), as_doc(candidate), &subject, facts.out()),
                           "open");
        } catch (const PartFailed& e) {
            const std::string text = e.what();
            return text.find("built for ") == std::string::npos ? text : "";
        }
        const std::string verdict = facts.json().value("verdict", ""), log = facts.json().value("log", "");
        // built; its kernels are none of those that the made-up task would launch
        if (verdict == "COMPILE_ERROR" && log.find("error") == std::string::npos) return "";
        return verdict + " " + facts.json().value("reason", "no verdict") + log;
    }

private:
    HostServices services_;
    std::unique_ptr<Handle> handle_;
};

int compile(lua_State* L) {
    const std::string fault =
        static_cast<Compiler*>(lua_touserdata(L, lua_upvalueindex(1)))->fault(luaL_checkstring(L, 1));
    if (fault.empty()) return lua_pushboolean(L, 1), 1;
    lua_pushnil(L);
    lua_pushlstring(L, fault.data(), fault.size());
    return 2;
}

TEST(CudaTemplates, SamplesOfEveryTaskCompile) {
    if (find_nvrtc().empty()) GTEST_SKIP() << no_nvrtc;
    Compiler compiler;
    const std::unique_ptr<lua_State, void (*)(lua_State*)> state(luaL_newstate(), lua_close);
    lua_State* L = state.get();
    luaL_openlibs(L);
    lua_pushlightuserdata(L, &compiler);
    lua_pushcclosure(L, compile, 1);
    lua_setglobal(L, "compile");
    const std::string path = "package.path = '" HONE_TEST_SOURCE_DIR "/scripts/?.lua'";
    const bool fine = luaL_dostring(L, path.c_str()) == LUA_OK &&
                      luaL_dofile(L, HONE_TEST_SOURCE_DIR "/tests/lua/templates_test.lua") == LUA_OK;
    EXPECT_TRUE(fine) << luaL_tolstring(L, -1, nullptr);
}

}  // namespace
}  // namespace hone
