// reference.lua: runs a task's own definition on plain arrays, without LibTorch. Meant for tests and small tasks: it is
// slow. On the fake device an eager call costs the virtual seconds that the task names (device.reference).
#include <cmath>
#include <memory>
#include <string>
#include "arrays.hpp"
#include "hone/plugin.hpp"
#include "hone/script_limits.hpp"

namespace {

struct CloseState {
    void operator()(lua_State* lua) const { lua_close(lua); }
};
using State = std::unique_ptr<lua_State, CloseState>;

namespace limits = hone::script_limits;

// What the program has used of its limits.
struct Spent {
    limits::Memory memory{.most = limits::most_bytes};
    long instructions = 0;  // in this call
    std::string place;      // of the last look in this call: "own.lua:3: "
};

// A loop without end would hang whoever asks for the answer.
void look(lua_State* lua, lua_Debug* at) {
    Spent& spent = **static_cast<Spent**>(lua_getextraspace(lua));
    lua_getinfo(lua, "Sl", at);
    if (at->currentline > 0) spent.place = std::string(at->short_src) + ":" + std::to_string(at->currentline) + ": ";
    if ((spent.instructions += limits::look_every) < limits::most_instructions) return;
    lua_sethook(lua, look, LUA_MASKCOUNT, 1);  // so that a pcall does not swallow it
    luaL_where(lua, 0);
    lua_pushstring(lua, limits::too_long);
    lua_concat(lua, 2);
    lua_error(lua);
}

// A definition names the globals of the reference for which it was written.
std::string with_cure(const std::string& error) {
    if (error.find("(global 'torch')") == std::string::npos) return error;
    return error + "; this definition is written for reference.torch: --reference torch, or run:reference(\"torch\")";
}

size_t count(const hone_tensor& x) {
    size_t n = 1;
    for (int32_t i = 0; i < x.rank; ++i) n *= static_cast<size_t>(x.shape[i]);
    return n;
}

template <class T> std::vector<double> load_as(const hone_tensor& x) {
    const T* values = reinterpret_cast<const T*>(x.at);
    return {values, values + count(x)};
}
std::vector<double> load(const hone_tensor& x) {
    switch (x.dtype) {
        case HONE_F64:
            return load_as<double>(x);
        case HONE_F32:
            return load_as<float>(x);
        case HONE_I64:
            return load_as<int64_t>(x);
        case HONE_I32:
            return load_as<int32_t>(x);
        default:
            throw hone::Failed("reference.lua knows f64, f32, i64 and i32 only");
    }
}

template <class T> void store_as(const hone_tensor& x, const std::vector<double>& values) {
    for (size_t i = 0; i < values.size(); ++i) reinterpret_cast<T*>(x.at)[i] = static_cast<T>(values[i]);
}
void store(const hone_tensor& x, const std::vector<double>& values) {
    if (values.size() != count(x))
        throw hone::Failed("the reference returned " + std::to_string(values.size()) + " numbers for an output of " +
                           std::to_string(count(x)));
    switch (x.dtype) {
        case HONE_F64:
            return store_as<double>(x, values);
        case HONE_F32:
            return store_as<float>(x, values);
        case HONE_I64:
            return store_as<int64_t>(x, values);
        case HONE_I32:
            return store_as<int32_t>(x, values);
        default:
            throw hone::Failed("reference.lua knows f64, f32, i64 and i32 only");
    }
}

// Whether a tensor of the task holds more than float32 does: its definition is then computed in float64 in every form.
bool has_float64(hone::Doc task) {
    for (const char* side : {"inputs", "outputs"})
        for (long i = 0; i < task.count(side); ++i)
            if (task.text(std::string(side) + "." + std::to_string(i) + ".dtype") == "f64") return true;
    return false;
}

class Program : public hone::LoadedReference {
public:
    struct Pretence {  // of the fake device
        double* clock = nullptr;
        double cost = 0;
        bool wrong = false;
    };
    Program(hone::Doc task, bool single, Pretence pretence)
        : name_(task.text("name")), lua_(luaL_newstate()), pretence_(pretence) {
        if (!lua_) throw hone::Failed("out of memory");
        *static_cast<Spent**>(lua_getextraspace(lua_.get())) = &spent_;
        lua_setallocf(lua_.get(), limits::Memory::allocate, &spent_.memory);
        for (const luaL_Reg& library : {luaL_Reg{"_G", luaopen_base},
                                        {"math", luaopen_math},
                                        {"table", luaopen_table},
                                        {"string", luaopen_string}}) {
            luaL_requiref(lua_.get(), library.name, library.func, 1);
            lua_pop(lua_.get(), 1);
        }
        arrays::open(lua_.get(), single);
        load_definition(task.text("source"), task.integer("index", 1));
    }

    void launch(const hone_call& call) override {
        if (pretence_.clock) *pretence_.clock += pretence_.cost;
        lua_settop(lua_.get(), 0);
        lua_rawgeti(lua_.get(), LUA_REGISTRYINDEX, function_);
        for (uint32_t i = 0; i < call.n_in; ++i) push(call.in[i]);
        run(static_cast<int>(call.n_in), static_cast<int>(call.n_out));
        for (uint32_t i = 0; i < call.n_out; ++i) {
            std::vector<double> values = arrays::take(lua_.get(), static_cast<int>(i) + 1);
            if (pretence_.wrong)
                for (double& value : values) value += 1;
            store(call.out[i], values);
        }
    }

private:
    void push(const hone_tensor& input) {
        if (input.rank == 0) return lua_pushnumber(lua_.get(), load(input)[0]);  // a scalar
        arrays::push(lua_.get(), load(input), {input.shape, input.shape + input.rank});
    }
    void load_definition(const std::string& source, long index) {
        if (luaL_loadbufferx(lua_.get(), source.data(), source.size(), ("=" + name_).c_str(), "t") != LUA_OK) blame();
        run(0, 1);
        if (lua_istable(lua_.get(), 1) && lua_getfield(lua_.get(), 1, "reference") == LUA_TNIL) {  // a list of tasks
            lua_pop(lua_.get(), 1);
            lua_rawgeti(lua_.get(), 1, index);
            if (lua_istable(lua_.get(), -1)) lua_getfield(lua_.get(), -1, "reference");
        }
        if (!lua_isfunction(lua_.get(), -1)) throw hone::Refused("task " + name_ + " has no reference function");
        function_ = luaL_ref(lua_.get(), LUA_REGISTRYINDEX);
    }
    void run(int arguments, int results) {
        spent_.instructions = 0, spent_.place.clear(), spent_.memory.refused = false;
        lua_sethook(lua_.get(), look, LUA_MASKCOUNT, limits::look_every);
        const int status = lua_pcall(lua_.get(), arguments, results, 0);
        if (status == LUA_ERRMEM && spent_.memory.refused) throw hone::Failed(spent_.place + limits::too_large);
        if (status != LUA_OK) blame();
    }
    [[noreturn]] void blame() {
        const char* message = lua_tostring(lua_.get(), -1);
        throw hone::Failed(message ? with_cure(message) : "the task's definition raised a value that is no text");
    }

    std::string name_;
    Spent spent_;
    State lua_;
    int function_ = LUA_NOREF;
    Pretence pretence_;
};

class LuaReference : public hone::ReferencePart {
public:
    using Program = ::Program;
    LuaReference(hone::Host, hone::Doc) {}

    std::unique_ptr<Program> open(const hone_device& device, hone::Doc task, std::string_view form) {
        const bool fake = std::string_view(device.kind) == "fake";
        if (!fake && std::string_view(device.kind) != "cpu")
            throw hone::Failed("reference.lua runs on devices of kind cpu, not \"" + std::string(device.kind) + "\"");
        if (form.starts_with("float64")) return std::make_unique<Program>(task, false, Program::Pretence{});
        // seconds of a call; on the fake device a task may give it further forms, one of them wrong
        const std::string name = form == "eager" ? "reference" : std::string(form);
        const double cost = task.num("device." + name, form == "eager" ? 0 : NAN);
        if (std::isnan(cost) || (form != "eager" && !fake))
            throw hone::Failed("reference.lua has no form \"" + std::string(form) + "\"");
        return std::make_unique<Program>(task, !has_float64(task),
                                         Program::Pretence{fake ? static_cast<double*>(device.queue) : nullptr, cost,
                                                           task.text("device.wrong") == form});
    }

    void facts(hone::Out out) override {
        out.text("library", LUA_RELEASE);
        out.num("threads", 1);
    }
};

}  // namespace

HONE_REFERENCE(LuaReference, "lua", "1.0",
               "a task's definition on plain arrays, without LibTorch; slow, for tests and small tasks")
