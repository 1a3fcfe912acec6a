#include "operators.hpp"
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <sstream>
#include <stdexcept>

namespace hone::torch_reference {
namespace {

using c10::FunctionSchema;
using c10::TypeKind;

std::size_t distance(const std::string& a, const std::string& b) {  // Levenshtein
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), 0u);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t change = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
        }
    }
    return row.back();
}

std::string nearest_operator(const std::string& name) {
    std::string best;
    std::size_t least = 3;  // further away is another word
    for (const auto& known : c10::Dispatcher::singleton().getAllOpNames()) {
        if (known.name.rfind("aten::", 0) != 0 || known.name[6] == '_') continue;
        const std::string candidate = known.name.substr(6);
        const std::size_t d = distance(name, candidate);
        if (d < least || (d == least && !best.empty() && candidate < best)) {
            least = d;
            best = candidate;
        }
    }
    return best;
}

// Names as Python's torch and torch.nn.functional have them where the schema's differ.
const std::map<std::string, std::string> aliases = {{"cross_entropy", "cross_entropy_loss"}};

// Uninitialised memory would make a reference disagree with itself; the tag for random numbers is on the schemas.
bool forbidden_name(const std::string& name) {
    return name.rfind("empty", 0) == 0 || name.rfind("new_empty", 0) == 0 || name == "from_file" || name == "resize";
}

bool random(const c10::OperatorHandle& op) {
    const auto& arguments = op.schema().arguments();
    const bool generator = std::any_of(arguments.begin(), arguments.end(), [](const c10::Argument& a) {
        return a.type()->str().find("Generator") != std::string::npos;
    });
    // these draw only when their dropout is asked for; `hone lint` finds out
    static const std::set<std::string> if_asked = {"aten::scaled_dot_product_attention", "aten::lstm", "aten::gru",
                                                   "aten::rnn_tanh", "aten::rnn_relu"};
    return generator || (op.hasTag(at::Tag::nondeterministic_seeded) && !if_asked.contains(op.schema().name()));
}

// Their schemas take a text where others take a dimension's number, so they would hide the better error.
bool named_dimensions(const std::string& overload) {
    return overload.find("imname") != std::string::npos || overload.rfind("names", 0) == 0;
}

bool writes_last_only(const FunctionSchema& schema) {
    const auto& arguments = schema.arguments();
    if (arguments.empty() || schema.returns().size() != 1 || arguments.back().name() != "out") return false;
    for (std::size_t i = 0; i + 1 < arguments.size(); ++i)
        if (arguments[i].is_out()) return false;
    return arguments.back().is_out();
}

bool named_table(lua_State* L, int index) {  // a table with a text key is named arguments, any other a list
    if (index < 1 || lua_type(L, index) != LUA_TTABLE) return false;
    lua_pushnil(L);
    if (!lua_next(L, index)) return false;
    const bool named = lua_type(L, -2) == LUA_TSTRING;
    lua_pop(L, 2);
    return named;
}

int reduction(const std::string& word) {  // at::Reduction
    static const std::map<std::string, int> words = {{"none", 0}, {"mean", 1}, {"sum", 2}};
    const auto found = words.find(word);
    return found == words.end() ? -1 : found->second;
}

std::optional<int64_t> whole(lua_State* L, int index, int& cost) {
    int exact = 0;
    const lua_Integer value = lua_tointegerx(L, index, &exact);
    if (lua_type(L, index) != LUA_TNUMBER || !exact) return std::nullopt;
    if (!lua_isinteger(L, index)) cost += 2;  // 4.0 serves as 4, but an overload that takes a real number comes first
    return value;
}

at::Scalar scalar(lua_State* L, int index) {
    return lua_isinteger(L, index) ? at::Scalar(static_cast<int64_t>(lua_tointeger(L, index)))
                                   : at::Scalar(lua_tonumber(L, index));
}

}  // namespace

const Operator& Operators::find(const std::string& name) {
    const auto found = known_.find(name);
    if (found != known_.end()) return found->second;
    const auto alias = aliases.find(name);
    if (alias != aliases.end()) return find(alias->second);
    if (name.empty() || name.front() == '_' || forbidden_name(name))
        throw std::runtime_error("torch." + name + " is not offered to references");

    Operator made{name, {}, {}, false};
    std::vector<c10::OperatorName> names;
    for (const auto& known : c10::Dispatcher::singleton().getAllOpNames())
        if (known.name == "aten::" + name && !named_dimensions(known.overload_name)) names.push_back(known);
    std::sort(names.begin(), names.end(),
              [](const auto& a, const auto& b) { return a.overload_name < b.overload_name; });
    bool draws = false;
    for (const auto& known : names) {
        const auto op = c10::Dispatcher::singleton().findSchema(known);
        if (!op) continue;
        if (random(*op)) {
            draws = true;
            continue;
        }
        if (writes_last_only(op->schema())) made.out.push_back(*op);
        else if (!op->schema().is_mutable()) made.functional.push_back(*op);
        made.data_dependent |= op->hasTag(at::Tag::data_dependent_output) || op->hasTag(at::Tag::dynamic_output_shape);
    }
    if (made.functional.empty() && draws)
        throw std::runtime_error("torch." + name +
                                 " draws random numbers; a reference must give the same result each time");
    if (made.functional.empty() && !names.empty())
        throw std::runtime_error("torch." + name + " writes its argument; use the form that returns a new tensor");
    if (names.empty()) {
        const std::string near = nearest_operator(name);
        throw std::runtime_error("torch has no operator \"" + name + "\"" +
                                 (near.empty() ? "" : " (did you mean \"" + near + "\"?)"));
    }
    return known_.emplace(name, std::move(made)).first->second;
}

Bound Operators::bind(lua_State* L, const Operator& op, c10::Device device) const {
    std::optional<Bound> best;
    int least = 0;
    for (const auto& overload : op.functional) {
        int cost = 0;
        auto stack = match(L, overload.schema(), device, cost);
        if (!stack || (best && cost >= least)) continue;
        best = Bound{overload, std::move(*stack)};
        if ((least = cost) == 0) break;
    }
    if (!best) throw std::runtime_error(describe_call(L, op));
    return std::move(*best);
}

std::optional<torch::jit::Stack> Operators::match(lua_State* L, const FunctionSchema& schema, c10::Device device,
                                                  int& cost) const {
    const int top = lua_gettop(L), named = named_table(L, top) ? top : 0;
    const int positional = named ? top - 1 : top;
    const auto& arguments = schema.arguments();
    torch::jit::Stack stack;
    stack.reserve(arguments.size() + 1);
    int taken = 0, named_taken = 0;
    for (const auto& argument : arguments) {
        int index = 0;
        if (taken < positional) {
            if (argument.kwarg_only()) return std::nullopt;
            index = ++taken;
        } else if (named && lua_getfield(L, named, argument.name().c_str()) != LUA_TNIL) {
            index = lua_gettop(L);
            ++named_taken;
        }
        if (index) {
            auto value = convert(L, index, *argument.type(), argument, cost);
            lua_settop(L, top);
            if (!value) return std::nullopt;
            stack.push_back(std::move(*value));
            continue;
        }
        lua_settop(L, top);
        if (argument.name() == "device" && !device.is_cpu()) stack.emplace_back(device);
        else if (argument.default_value()) stack.push_back(*argument.default_value());
        else if (argument.type()->kind() == TypeKind::OptionalType) stack.emplace_back();
        else return std::nullopt;
    }
    int given = 0;
    if (named)
        for (lua_pushnil(L); lua_next(L, named); lua_pop(L, 1)) ++given;
    if (taken != positional || named_taken != given) return std::nullopt;
    return stack;
}

std::optional<c10::IValue> Operators::convert(lua_State* L, int index, const c10::Type& type,
                                              const c10::Argument& argument, int& cost) const {
    const int lua = lua_type(L, index);
    switch (type.kind()) {
        case TypeKind::OptionalType:
            if (lua == LUA_TNIL) return c10::IValue();
            return convert(L, index, *type.castRaw<c10::OptionalType>()->getElementType(), argument, cost);
        case TypeKind::TensorType:
            if (at::Tensor* tensor = tensor_at_(L, index)) return c10::IValue(*tensor);
            return std::nullopt;
        case TypeKind::NumberType:
            if (lua == LUA_TNUMBER) return c10::IValue(scalar(L, index));
            if (lua == LUA_TBOOLEAN) return c10::IValue(at::Scalar(lua_toboolean(L, index) != 0));
            return std::nullopt;
        case TypeKind::FloatType:
            if (lua != LUA_TNUMBER) return std::nullopt;
            cost += lua_isinteger(L, index);
            return c10::IValue(static_cast<double>(lua_tonumber(L, index)));
        case TypeKind::IntType:
        case TypeKind::SymIntType: {
            if (lua == LUA_TSTRING && argument.name() == "reduction") {
                const int code = reduction(lua_tostring(L, index));
                return code < 0 ? std::nullopt : std::optional<c10::IValue>(code);
            }
            const auto value = whole(L, index, cost);
            return value ? std::optional<c10::IValue>(*value) : std::nullopt;
        }
        case TypeKind::BoolType:
            if (lua != LUA_TBOOLEAN) return std::nullopt;
            return c10::IValue(lua_toboolean(L, index) != 0);
        case TypeKind::StringType:
            if (lua != LUA_TSTRING) return std::nullopt;
            return c10::IValue(std::string(lua_tostring(L, index)));
        case TypeKind::ListType:
            return convert_list(L, index, *type.castRaw<c10::ListType>()->getElementType(), argument, cost);
        default:
            return std::nullopt;  // devices, generators, dimension names: nothing in a reference stands for them
    }
}

std::optional<c10::IValue> Operators::convert_list(lua_State* L, int index, const c10::Type& element,
                                                   const c10::Argument& argument, int& cost) const {
    std::vector<c10::IValue> items;
    if (lua_type(L, index) != LUA_TTABLE) {  // `int[2] stride` takes 3 for {3, 3}
        if (!argument.N() || lua_type(L, index) != LUA_TNUMBER) return std::nullopt;
        auto one = convert(L, index, element, argument, cost);
        if (!one) return std::nullopt;
        items.assign(static_cast<std::size_t>(*argument.N()), *one);
    } else {
        if (named_table(L, index)) return std::nullopt;
        const auto n = static_cast<lua_Integer>(lua_rawlen(L, index));
        for (lua_Integer i = 1; i <= n; ++i) {
            lua_rawgeti(L, index, i);
            auto item = convert(L, lua_gettop(L), element, argument, cost);
            lua_pop(L, 1);
            if (!item) return std::nullopt;
            items.push_back(std::move(*item));
        }
    }
    const auto collect = [&]<class T>(auto&& get, T*) {
        std::vector<T> list;
        for (const auto& item : items) list.push_back(get(item));
        return c10::IValue(std::move(list));
    };
    switch (element.kind()) {
        case TypeKind::IntType:
        case TypeKind::SymIntType:
            return collect([](const c10::IValue& v) { return v.toInt(); }, static_cast<int64_t*>(nullptr));
        case TypeKind::FloatType:
            return collect([](const c10::IValue& v) { return v.toDouble(); }, static_cast<double*>(nullptr));
        case TypeKind::TensorType:
            return collect([](const c10::IValue& v) { return v.toTensor(); }, static_cast<at::Tensor*>(nullptr));
        default:
            break;
    }
    c10::impl::GenericList list(element.kind() == TypeKind::BoolType     ? c10::BoolType::get()
                                : element.kind() == TypeKind::NumberType ? c10::TypePtr(c10::NumberType::get())
                                                                         : c10::TypePtr(c10::OptionalType::ofTensor()));
    for (auto& item : items) list.push_back(std::move(item));
    return c10::IValue(std::move(list));
}

std::string Operators::describe_call(lua_State* L, const Operator& op) const {
    const auto kind = [&](int index) -> std::string {
        if (tensor_at_(L, index)) return "tensor";
        if (named_table(L, index)) {
            std::set<std::string> keys;
            for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1))
                if (lua_type(L, -2) == LUA_TSTRING) keys.insert(lua_tostring(L, -2));
            std::string text;
            for (const auto& key : keys) text += (text.empty() ? "{" : ", ") + key + " = ..";
            return text + "}";
        }
        return lua_isinteger(L, index) ? "integer" : lua_istable(L, index) ? "list" : luaL_typename(L, index);
    };
    std::string text = "torch." + op.name + "(";
    for (int i = 1; i <= lua_gettop(L); ++i) text += (i > 1 ? ", " : "") + kind(i);
    text += ") fits none of:";
    for (const auto& overload : op.functional) {
        std::ostringstream schema;
        schema << overload.schema();
        text += "\n  " + schema.str();
    }
    return text;
}

std::optional<c10::OperatorHandle> out_form(const Operator& op, const c10::OperatorHandle& functional) {
    // these first give their output the size of the inputs, which an output in the judge's memory cannot take
    if (const std::string& name = functional.schema().name();
        name == "aten::mse_loss" || name == "aten::smooth_l1_loss")
        return std::nullopt;
    const auto& wanted = functional.schema().arguments();
    if (functional.schema().returns().size() != 1) return std::nullopt;
    for (const auto& out : op.out) {
        const auto& had = out.schema().arguments();
        if (had.size() != wanted.size() + 1) continue;
        if (std::equal(wanted.begin(), wanted.end(), had.begin(), [](const c10::Argument& a, const c10::Argument& b) {
                return a.name() == b.name() && *a.type() == *b.type();
            }))
            return out;
    }
    return std::nullopt;
}

}  // namespace hone::torch_reference
