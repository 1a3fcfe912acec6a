#include "program.hpp"
#include <ATen/ScalarOps.h>
#include <ATen/ops/reshape.h>
#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <climits>
#include <cmath>
#include <sstream>
#include <stdexcept>

namespace hone::torch_reference {
namespace {

constexpr const char* tensor_type = "torch.Tensor";
// boxes are small and their tensors are released at once, so garbage can wait
constexpr long calls_between_collections = 256;
constexpr std::size_t most_traces = 64;
// of one call: beyond what a definition needs whose work is done by operators
constexpr int most_operators = 200'000;
constexpr double share_of_memory = 0.75;

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double most_bytes() {
    return share_of_memory * static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
}

std::string describe(const at::Tensor& tensor) {
    std::ostringstream text;
    text << tensor.scalar_type() << ' ' << tensor.sizes();
    return text.str();
}

int push_shape(lua_State* L, const at::Tensor& tensor) {
    lua_createtable(L, static_cast<int>(tensor.dim()), 0);
    for (int64_t i = 0; i < tensor.dim(); ++i) {
        lua_pushinteger(L, tensor.size(i));
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

const std::map<std::string, at::ScalarType>& dtypes() {
    static const std::map<std::string, at::ScalarType> names = {
        {"float64", at::kDouble}, {"double", at::kDouble}, {"float32", at::kFloat},     {"float", at::kFloat},
        {"float16", at::kHalf},   {"half", at::kHalf},     {"bfloat16", at::kBFloat16}, {"int64", at::kLong},
        {"long", at::kLong},      {"int32", at::kInt},     {"int8", at::kChar},         {"uint8", at::kByte},
        {"bool", at::kBool}};
    return names;
}

}  // namespace

struct LuaProgram::Box {
    at::Tensor tensor;
    Trace::Born born;
};

// C++ exceptions of torch become Lua errors with their text alone; Lua's own pass through.
template <class Body> int LuaProgram::guarded(lua_State* L, Body&& body) {
    std::string text;
    try {
        return body(**static_cast<LuaProgram**>(lua_getextraspace(L)));
    } catch (const c10::Error& e) {
        text = e.what_without_backtrace();
    } catch (const std::exception& e) {
        text = e.what();
    }
    return luaL_error(L, "%s", text.c_str());
}

LuaProgram::LuaProgram(std::string task, const std::string& source, long index, c10::Device device, bool float64,
                       int left_out)
    : task_(std::move(task)),
      device_(device),
      operators_(&LuaProgram::tensor_at),
      float64_(float64),
      left_out_(left_out),
      lua_(luaL_newstate()) {
    lua_State* L = lua_.get();
    if (!L) throw std::runtime_error("no memory for a Lua state");
    *static_cast<LuaProgram**>(lua_getextraspace(L)) = this;
    lua_setallocf(L, script_limits::Memory::allocate, &memory_);
    lua_gc(L, LUA_GCSTOP);  // see release_all
    open_libraries();
    make_tensor_type();
    load(source, index);
}

void LuaProgram::open_libraries() {
    lua_State* L = lua_.get();
    luaL_requiref(L, "_G", luaopen_base, 1);
    luaL_requiref(L, "math", luaopen_math, 1);
    luaL_requiref(L, "string", luaopen_string, 1);
    luaL_requiref(L, "table", luaopen_table, 1);
    for (const char* name : {"random", "randomseed"}) {
        lua_getglobal(L, "math");
        lua_pushnil(L);
        lua_setfield(L, -2, name);
    }
    for (const char* name : {"dofile", "loadfile", "load", "collectgarbage", "print", "require"}) {
        lua_pushnil(L);
        lua_setglobal(L, name);
    }
    lua_newtable(L);  // torch
    for (const auto& [name, type] : dtypes()) {
        lua_pushinteger(L, static_cast<int>(type));
        lua_setfield(L, -2, name.c_str());
    }
    lua_pushnumber(L, INFINITY);
    lua_setfield(L, -2, "inf");
    lua_newtable(L);
    lua_pushcfunction(L, lookup_operator);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
    lua_pushvalue(L, -1);
    lua_setglobal(L, "F");
    lua_newtable(L);
    lua_pushvalue(L, -2);
    lua_setfield(L, -2, "functional");
    lua_setfield(L, -2, "nn");
    lua_setglobal(L, "torch");
    lua_settop(L, 0);
}

// torch.NAME, seen for the first time: becomes a field of the table
int LuaProgram::lookup_operator(lua_State* L) {
    return guarded(L, [L](LuaProgram& program) {
        const std::string name = luaL_checkstring(L, 2);
        lua_pushlightuserdata(L, const_cast<Operator*>(&program.operators_.find(name)));
        lua_pushcclosure(L, call_operator, 1);
        lua_pushvalue(L, -1);
        lua_setfield(L, 1, name.c_str());
        return 1;
    });
}

int LuaProgram::call_operator(lua_State* L) {
    return guarded(L, [L](LuaProgram& program) {
        return program.apply(L, *static_cast<const Operator*>(lua_touserdata(L, lua_upvalueindex(1))));
    });
}

namespace {

// A definition names the globals of the reference for which it was written.
std::string with_cure(const std::string& error) {
    if (error.find("(global 'array')") == std::string::npos) return error;
    return error + "; this definition is written for reference.lua: --reference lua, or run:reference(\"lua\")";
}

constexpr char add[] = "add", sub[] = "sub", mul[] = "mul", div[] = "div", pow[] = "pow", mod[] = "remainder";
}  // namespace

void LuaProgram::make_tensor_type() {
    lua_State* L = lua_.get();
    luaL_newmetatable(L, tensor_type);
    const luaL_Reg methods[] = {
        {"__index", tensor_field},
        {"__tostring", tensor_text},
        {"__add", arithmetic<add>},
        {"__sub", arithmetic<sub>},
        {"__mul", arithmetic<mul>},
        {"__div", arithmetic<div>},
        {"__pow", arithmetic<pow>},
        {"__mod", arithmetic<mod>},
        {"__unm",
         [](lua_State* state) {
             lua_settop(state, 1);
             return guarded(state, [state](LuaProgram& p) { return p.apply(state, p.operators_.find("neg")); });
         }},
        {"__gc",
         [](lua_State* state) {
             static_cast<Box*>(lua_touserdata(state, 1))->~Box();
             return 0;
         }},
        {nullptr, nullptr}};
    luaL_setfuncs(L, methods, 0);
    lua_settop(L, 0);
}

// a + b where either may be a number, which then takes the tensor's dtype as in Python
template <const char* name> int LuaProgram::arithmetic(lua_State* L) {
    return guarded(L, [L](LuaProgram& program) {
        lua_settop(L, 2);
        for (int i = 1; i <= 2; ++i) {
            if (lua_type(L, i) != LUA_TNUMBER) continue;
            const at::Scalar number = lua_isinteger(L, i) ? at::Scalar(static_cast<int64_t>(lua_tointeger(L, i)))
                                                          : at::Scalar(lua_tonumber(L, i));
            program.push(L, at::native::wrapped_scalar_tensor(number), {0, 0});
            lua_replace(L, i);
        }
        return program.apply(L, program.operators_.find(name));
    });
}

// a.T, a.shape, a.dtype; a[i] counts from 0 like torch's dimensions; any other name is a method: a:sum(1)
int LuaProgram::tensor_field(lua_State* L) {
    return guarded(L, [L](LuaProgram& program) {
        if (lua_type(L, 2) == LUA_TNUMBER) {
            lua_pushinteger(L, 0);
            lua_insert(L, 2);
            return program.apply(L, program.operators_.find("select"));
        }
        const std::string name = luaL_checkstring(L, 2);
        const at::Tensor& tensor = *tensor_at(L, 1);
        if (name == "T") {
            lua_settop(L, 1);
            return program.apply(L, program.operators_.find("numpy_T"));
        }
        if (name == "shape") return push_shape(L, tensor);
        if (name == "dtype") {
            lua_pushinteger(L, static_cast<int>(tensor.scalar_type()));
            return 1;
        }
        lua_getglobal(L, "torch");
        lua_getfield(L, -1, name.c_str());
        return 1;
    });
}

int LuaProgram::tensor_text(lua_State* L) {
    return guarded(L, [L](LuaProgram&) {
        lua_pushstring(L, ("tensor " + describe(*tensor_at(L, 1))).c_str());
        return 1;
    });
}

LuaProgram::Box* LuaProgram::box_at(lua_State* L, int index) {
    return lua_type(L, index) == LUA_TUSERDATA ? static_cast<Box*>(luaL_testudata(L, index, tensor_type)) : nullptr;
}

at::Tensor* LuaProgram::tensor_at(lua_State* L, int index) {
    Box* box = box_at(L, index);
    if (box && !box->tensor.defined())
        throw std::runtime_error(
            "a tensor of an earlier call was kept; a reference must be a pure function of its inputs");
    return box ? &box->tensor : nullptr;
}

void LuaProgram::load(const std::string& source, long index) {
    lua_State* L = lua_.get();
    const auto fail = [&](const std::string& cause) { throw std::runtime_error("task \"" + task_ + "\": " + cause); };
    lua_sethook(L, look, LUA_MASKCOUNT, script_limits::look_every);
    int status = luaL_loadbufferx(L, source.data(), source.size(), ("=" + task_).c_str(), "t");
    if (status == LUA_OK) status = lua_pcall(L, 0, 1, 0);
    if (status != LUA_OK) fail(error_text(status));
    if (!lua_istable(L, -1)) fail("its file returns no table");
    if (lua_getfield(L, -1, "reference") == LUA_TNIL) {  // a list of tasks
        lua_pop(L, 1);
        if (lua_rawgeti(L, -1, index) != LUA_TTABLE) fail("its file has no task number " + std::to_string(index));
        lua_getfield(L, -1, "reference");
    }
    if (!lua_isfunction(L, -1)) fail("has no function \"reference\"");
    lua_Debug about;
    lua_pushvalue(L, -1);
    lua_getinfo(L, ">u", &about);
    parameters_ = about.isvararg ? INT_MAX : about.nparams;
    lua_setfield(L, LUA_REGISTRYINDEX, "reference");
    lua_settop(L, 0);
}

// A loop without end would hang whoever asks for the answer. What loops is seen in the first call, or depends on
// values; other calls, which are timed, go unwatched.
void LuaProgram::watch() {
    instructions_ = 0, made_bytes_ = 0, memory_.refused = false;
    place_.clear();
    const bool known = trace_->complete && trace_->steady;
    lua_sethook(lua_.get(), known ? nullptr : look, known ? 0 : LUA_MASKCOUNT, script_limits::look_every);
}

void LuaProgram::look(lua_State* L, lua_Debug* at) {
    LuaProgram& program = **static_cast<LuaProgram**>(lua_getextraspace(L));
    lua_getinfo(L, "Sl", at);
    if (at->currentline > 0) program.place_ = std::string(at->short_src) + ":" + std::to_string(at->currentline) + ": ";
    if ((program.instructions_ += script_limits::look_every) < script_limits::most_instructions) return;
    lua_sethook(L, look, LUA_MASKCOUNT, 1);  // so that a pcall does not swallow it
    luaL_where(L, 0);
    lua_pushstring(L, script_limits::too_long);
    lua_concat(L, 2);
    lua_error(L);
}

std::string LuaProgram::error_text(int status) const {
    if (status == LUA_ERRMEM && memory_.refused) return place_ + script_limits::too_large;
    return luaL_tolstring(lua_.get(), -1, nullptr);
}

int LuaProgram::apply(lua_State* L, const Operator& op) {
    const int top = lua_gettop(L);
    if (step_ >= most_operators)
        throw std::runtime_error("has run " + std::to_string(most_operators) + " operators: does a loop never end?");
    Bound bound = operators_.bind(L, op, device_);
    ++step_;
    if (op.data_dependent) trace_->steady = false;
    if (op.data_dependent && transcript_)
        transcript_->spoil("its operators look at values, so another call may run others");
    const bool follow = trace_->complete && trace_->steady;
    const auto writes = follow ? trace_->writes.find(step_) : trace_->writes.end();
    if (writes != trace_->writes.end()) {
        if (const auto form = out_form(op, bound.op)) {
            bound.op = *form;
            bound.stack.emplace_back((*outputs_)[writes->second]);
        }
    }
    if (transcript_) transcript_->before(bound.op.schema(), bound.stack);
    bound.op.callBoxed(bound.stack);
    if (transcript_) transcript_->after(bound.stack);
    if (traces_.size() == 1 && !trace_->complete) first_.push_back(&op);
    if (step_ == left_out_) leave_out(L, top, bound.stack);
    note_uses(L, top);
    push_results(L, bound.stack);
    return lua_gettop(L) - top;
}

void LuaProgram::leave_out(lua_State* L, int top, torch::jit::Stack& results) const {
    if (results.size() == 1 && results[0].isTensor()) {
        const at::Tensor made = results[0].toTensor();
        for (int i = 1; i <= top; ++i) {
            const at::Tensor* given = tensor_at(L, i);
            if (!given || given->numel() != made.numel() || given->scalar_type() != made.scalar_type()) continue;
            results[0] = at::reshape(*given, made.sizes());
            return;
        }
    }
    throw std::runtime_error("operator " + std::to_string(step_) +
                             " has no argument of its result's size and cannot be left out");
}

std::string LuaProgram::operators() const {
    std::string text;
    for (const Operator* op : first_) text += (text.empty() ? "" : ", ") + op->name;
    return text;
}

// Arguments are tensors, lists of tensors, or one of these as a named argument.
void LuaProgram::note_uses(lua_State* L, int top) {
    for (int i = 1; i <= top; ++i) {
        if (lua_type(L, i) != LUA_TTABLE) {
            use(box_at(L, i));
            continue;
        }
        for (lua_pushnil(L); lua_next(L, i); lua_pop(L, 1)) use(box_at(L, lua_gettop(L)));
    }
}

void LuaProgram::use(Box* box) {
    if (!box || box->born.first == 0) return;  // inputs and numbers are no one's to release
    if (!trace_->complete) {
        trace_->last_use[box->born] = step_;
        return;
    }
    const auto last = trace_->last_use.find(box->born);
    if (trace_->steady && last != trace_->last_use.end() && last->second == step_) box->tensor.reset();
}

void LuaProgram::push(lua_State* L, at::Tensor tensor, Trace::Born born) {
    Box* box = new (lua_newuserdatauv(L, sizeof(Box), 0)) Box{std::move(tensor), born};
    luaL_setmetatable(L, tensor_type);
    live_.push_back(box);
}

// In a first call nothing is released before the end, so a loop without end would take all memory there is.
void LuaProgram::count_bytes(const at::Tensor& made) {
    if (trace_->complete || !device_.is_cpu() || !made.has_storage() || made.storage().use_count() != 1) return;
    if ((made_bytes_ += static_cast<double>(made.storage().nbytes())) > most_bytes())
        throw std::runtime_error("its tensors take three quarters of this machine's memory: does a loop never end?");
}

void LuaProgram::push_results(lua_State* L, torch::jit::Stack& results) {
    int place = 0;
    luaL_checkstack(L, static_cast<int>(results.size()) + 4, nullptr);
    for (auto& value : results) {
        if (value.isTensor()) {
            count_bytes(value.toTensor());
            push(L, std::move(value).toTensor(), {step_, place++});
        } else if (value.isTensorList()) {
            const auto list = value.toTensorVector();
            lua_createtable(L, static_cast<int>(list.size()), 0);
            for (std::size_t i = 0; i < list.size(); ++i) {
                push(L, list[i], {step_, place++});
                lua_rawseti(L, -2, static_cast<lua_Integer>(i + 1));
            }
        } else if (value.isInt()) lua_pushinteger(L, value.toInt());
        else if (value.isBool()) lua_pushboolean(L, value.toBool());
        else if (value.isScalar()) lua_pushnumber(L, value.toScalar().toDouble());
        else throw std::runtime_error("an operator gave a " + value.tagKind() + ", which references cannot use");
    }
}

// The inputs; then, for a function that asks for them, what its outputs are: {dtype, shape} each. They hold no values.
int LuaProgram::push_arguments(lua_State* L, const std::vector<at::Tensor>& inputs,
                               const std::vector<at::Tensor>& outputs) {
    const std::size_t most = inputs.size() + outputs.size(),
                      n = std::clamp(static_cast<std::size_t>(parameters_), inputs.size(), most);
    luaL_checkstack(L, static_cast<int>(n) + 8, nullptr);
    for (const at::Tensor& input : inputs) push(L, input, {0, 0});
    for (std::size_t i = inputs.size(); i < n; ++i) {
        const at::Tensor& output = outputs[i - inputs.size()];
        lua_createtable(L, 0, 2);
        lua_pushinteger(L, static_cast<int>(output.scalar_type()));
        lua_setfield(L, -2, "dtype");
        push_shape(L, output);
        lua_setfield(L, -2, "shape");
    }
    return static_cast<int>(n);
}

Ran LuaProgram::run(const std::vector<at::Tensor>& inputs, const std::vector<at::Tensor>& outputs,
                    const std::vector<std::string>& names, const std::vector<int64_t>& sizes) {
    const auto start = std::chrono::steady_clock::now();
    lua_State* L = lua_.get();
    // drawn shapes come only once
    if (traces_.size() > most_traces && !traces_.contains(sizes)) traces_.erase(traces_.begin());
    trace_ = &traces_[sizes];
    outputs_ = &outputs;
    step_ = 0;
    struct AtEnd {
        LuaProgram& program;
        ~AtEnd() { program.release_all(); }
    } at_end{*this};
    watch();
    lua_getfield(L, LUA_REGISTRYINDEX, "reference");
    const int status = lua_pcall(L, push_arguments(L, inputs, outputs), LUA_MULTRET, 0);
    if (status != LUA_OK)
        throw std::runtime_error("task \"" + task_ + "\": its reference failed: " + with_cure(error_text(status)));
    Ran ran = collect(L, outputs, names);
    ran.seconds = seconds_since(start);
    return ran;
}

std::string LuaProgram::wrong_type(const std::string& name, const at::Tensor& output, const at::Tensor& result) const {
    if (float64_ && output.is_floating_point() && result.is_floating_point() && output.sizes() == result.sizes())
        return "output \"" + name + "\": in float64 its reference returned " + describe(result) +
               "; hone also runs the reference in float64: do not cast to a fixed type, but to that of the output, "
               "which comes as a further argument: function(a, " +
               name + ") ... a:to(" + name + ".dtype)";
    return "output \"" + name + "\" is declared " + describe(output) + ", its reference returned " + describe(result);
}

Ran LuaProgram::collect(lua_State* L, const std::vector<at::Tensor>& outputs, const std::vector<std::string>& names) {
    const auto fail = [&](const std::string& cause) { throw std::runtime_error("task \"" + task_ + "\": " + cause); };
    if (lua_gettop(L) != static_cast<int>(outputs.size()))
        fail("its reference returned " + std::to_string(lua_gettop(L)) + " values for " +
             std::to_string(outputs.size()) + " outputs");
    Ran ran;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        Box* box = box_at(L, static_cast<int>(i) + 1);
        if (!box)
            fail("output \"" + names[i] + "\": its reference returned a " + luaL_typename(L, static_cast<int>(i) + 1));
        const at::Tensor& result = *tensor_at(L, static_cast<int>(i) + 1);
        if (result.scalar_type() != outputs[i].scalar_type() || result.sizes() != outputs[i].sizes())
            fail(wrong_type(names[i], outputs[i], result));
        if (!trace_->complete) {
            trace_->last_use[box->born] = INT_MAX;
            if (box->born.first && box->born.second == 0) trace_->writes[box->born.first] = i;
        }
        if (transcript_) transcript_->returned(result);
        if (result.is_alias_of(outputs[i])) continue;
        const auto start = std::chrono::steady_clock::now();
        outputs[i].copy_(result);
        ran.copy_seconds += seconds_since(start);
        ++ran.copied;
    }
    trace_->complete = true;
    return ran;
}

// Lua's collector does not know how large tensors are, so their memory is given back here and only the small boxes wait
// for it.
void LuaProgram::release_all() {
    for (Box* box : live_) box->tensor.reset();
    live_.clear();
    lua_settop(lua_.get(), 0);
    if (++calls_ % calls_between_collections == 0) lua_gc(lua_.get(), LUA_GCCOLLECT);
}

}  // namespace hone::torch_reference
