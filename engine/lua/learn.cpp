// policy:*, the calls that scripts make on a policy.
#include <cmath>
#include <filesystem>
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/quantity.hpp"
#include "lua/captured.hpp"
#include "lua/messages.hpp"
#include "lua/policy.hpp"
#include "lua/tables.hpp"
#include "parts/saved_folder.hpp"

namespace hone::lua {
namespace {

namespace fs = std::filesystem;

PolicyHandle& policy_of(lua_State* L) { return *handle<PolicyHandle>(L, 1); }

// An operation's key, with what tells who the policy is.
Json keyed(PolicySession& policy, Json key) {
    key.update(policy.key());
    return key;
}

std::string fingerprint(const Sequences& sequences) {
    const auto bytes = [](const auto& list) {
        return std::string_view(reinterpret_cast<const char*>(list.data()), list.size() * sizeof list[0]);
    };
    return sha256(sha256(bytes(sequences.ids)) + sha256(bytes(sequences.begin)));
}

std::string fingerprint(const std::vector<float>& values) {
    return sha256(std::string_view(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)));
}

// The list of finite numbers on top of the stack; nil is nothing.
void read_floats(lua_State* L, std::span<float> to, const char* what) {
    if (lua_isnil(L, -1)) return;
    if (!lua_istable(L, -1))
        throw Error(Blame::input, "policy:learn", std::string(what) + ": a list expected, got " + luaL_typename(L, -1));
    if (lua_rawlen(L, -1) != to.size())
        throw Error(Blame::input, "policy:learn",
                    std::string(what) + ": " + std::to_string(lua_rawlen(L, -1)) + " numbers for " +
                        std::to_string(to.size()) + " tokens");
    for (std::size_t i = 0; i < to.size(); ++i) {
        if (lua_rawgeti(L, -1, static_cast<lua_Integer>(i) + 1) != LUA_TNUMBER)
            throw Error(Blame::input, "policy:learn",
                        std::string(what) + ": entry " + std::to_string(i + 1) + " is no number");
        to[i] = static_cast<float>(lua_tonumber(L, -1));
        if (!std::isfinite(to[i]))
            throw Error(Blame::input, "policy:learn",
                        std::string(what) + ": entry " + std::to_string(i + 1) + " is " +
                            luaL_tolstring(L, -1, nullptr) + ", no finite number");
        lua_pop(L, 1);
    }
}

void push_floats(lua_State* L, std::span<const float> values) {
    lua_createtable(L, static_cast<int>(values.size()), 0);
    for (std::size_t i = 0; i < values.size(); ++i) {
        lua_pushnumber(L, values[i]);
        lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
    }
}

double above_zero(const char* place, double temperature) {
    if (std::isfinite(temperature) && temperature > 0) return temperature;
    throw Error(Blame::input, place, "temperature = " + plain_number(temperature) + " is no finite number above 0",
                "give the temperature of the sampling, 1 where it was greedy");
}

int encode(lua_State* L) {
    std::vector<std::int32_t> ids, sources;
    policy_of(L).ready().encode(read_messages(L, 2), get<bool>(L, 3, true), ids, sources);
    const auto push_list = [L](const std::vector<std::int32_t>& list, std::int32_t shift) {
        lua_createtable(L, static_cast<int>(list.size()), 0);
        for (std::size_t i = 0; i < list.size(); ++i) {
            lua_pushinteger(L, list[i] + shift);
            lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
        }
    };
    push_list(ids, 0);
    push_list(sources, 1);  // messages count from 1 in Lua, 0 is the template
    return 2;
}

int score(lua_State* L) {
    PolicyHandle& policy = policy_of(L);
    luaL_checktype(L, 2, LUA_TTABLE);
    const Sequences sequences = read_sequences(L, 2);
    bool frozen = false;
    double temperature = 1;
    if (!lua_isnoneornil(L, 3)) {
        const Options options(L, 3);
        frozen = options.get("frozen", false);
        temperature = above_zero("policy:score", options.get("temperature", 1.0));
    }
    const Json key =
        keyed(policy, {{"sequences", fingerprint(sequences)}, {"frozen", frozen}, {"temperature", temperature}});
    const Json result = policy.run().operation("score", key, [&](std::int64_t) {
        const Scores scores = policy.ready().score(sequences, frozen, temperature);
        return Json{{"logp", pack_floats_text(scores.logp)}, {"entropy", pack_floats_text(scores.entropy)}};
    });
    const auto logp = unpack_floats_text(result.at("logp")), entropy = unpack_floats_text(result.at("entropy"));
    lua_createtable(L, static_cast<int>(sequences.size()), 0);
    for (std::size_t i = 0; i < sequences.size(); ++i) {
        const auto from = static_cast<std::size_t>(sequences.begin[i]),
                   n = static_cast<std::size_t>(sequences.begin[i + 1]) - from;
        lua_createtable(L, 0, 2);
        push_floats(L, std::span(logp).subspan(from, n));
        lua_setfield(L, -2, "logp");
        push_floats(L, std::span(entropy).subspan(from, n));
        lua_setfield(L, -2, "entropy");
        lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
    }
    return 1;
}

// weigh(i, logp, entropy) -> weight, entropy_weight, metrics. Called below a part's frames, so an error of Lua may not
// fly: it is carried out as a PlacedError.
class Weigher {
public:
    Weigher(lua_State* L, int function, Session& session)
        : L_(L), function_(lua_absindex(L, function)), session_(session) {}
    void operator()(std::uint32_t i, std::span<const float> logp, std::span<const float> entropy,
                    std::span<float> weight, std::span<float> entropy_weight) {
        const int top = lua_gettop(L_);
        lua_pushvalue(L_, function_);
        lua_pushinteger(L_, static_cast<lua_Integer>(i) + 1);
        push_floats(L_, logp);
        push_floats(L_, entropy);
        const Inside inside(session_, "policy:learn: weigh");
        if (lua_pcall(L_, 3, 3, 0) != LUA_OK) {
            const std::string text = luaL_tolstring(L_, -1, nullptr);
            lua_settop(L_, top);
            throw PlacedError(text);
        }
        add_metrics();
        lua_pop(L_, 1);
        if (!lua_isnil(L_, -1) && entropy_weight.empty())
            throw Error(Blame::input, "policy:learn", "this policy takes no entropy weights");
        read_floats(L_, entropy_weight, "entropy weights");
        lua_pop(L_, 1);
        if (lua_isnil(L_, -1))
            throw Error(Blame::input, "policy:learn", "weigh returned nothing for sequence " + std::to_string(i + 1),
                        "return a list of weights, one number a token");
        read_floats(L_, weight, "weights");
        lua_settop(L_, top);
    }
    Json metrics = Json::object();

private:
    void add_metrics() {
        if (lua_isnil(L_, -1)) return;
        const Json given = to_json_object(L_, -1);
        for (const auto& [key, value] : given.items()) {
            if (!value.is_number()) throw Error(Blame::input, "policy:learn", "metric \"" + key + "\" is no number");
            if (!std::isfinite(value.get<double>()))
                throw Error(Blame::input, "policy:learn", "metric \"" + key + "\" is no finite number",
                            "leave out what could not be computed");
            metrics[key] = metrics.value(key, 0.0) + value.get<double>();
        }
    }
    lua_State* L_;
    int function_;
    Session& session_;
};

std::vector<float> read_weights(lua_State* L, int index, const Sequences& sequences) {
    std::vector<float> weights(sequences.ids.size(), 0.f);
    for (std::size_t i = 0; i < sequences.size(); ++i) {
        lua_geti(L, index, static_cast<lua_Integer>(i) + 1);
        if (!lua_istable(L, -1) || lua_getfield(L, -1, "weight") == LUA_TNIL)
            throw Error(Blame::input, "policy:learn", "sequence " + std::to_string(i + 1) + " has no weights",
                        "give weight = {...}, one number a token, or weigh = function");
        const auto from = static_cast<std::size_t>(sequences.begin[i]),
                   n = static_cast<std::size_t>(sequences.begin[i + 1]) - from;
        read_floats(L, std::span(weights).subspan(from, n), "weight");
        lua_pop(L, 2);
    }
    return weights;
}

Json updated_json(const Updated& done, Json metrics) {
    return {{"objective", done.objective}, {"grad_norm", done.grad_norm}, {"tokens", done.tokens},
            {"applied", done.applied},     {"version", done.version},     {"metrics", std::move(metrics)}};
}

double at_least_zero(const char* name, double value) {
    if (std::isfinite(value) && value >= 0) return value;
    char text[64];
    std::snprintf(text, sizeof text, "%s = %g is no finite number of at least 0", name, value);
    throw Error(Blame::input, "policy:learn", text);
}

int learn(lua_State* L) {
    PolicyHandle& policy = policy_of(L);
    const Options options(L, 2);
    if (options.push("sequences") != LUA_TTABLE) options.wrong("sequences", "list", lua_type(L, -1));
    const int list = lua_gettop(L);
    const Sequences sequences = read_sequences(L, list);
    if (sequences.size() == 0)
        throw Error(Blame::input, "policy:learn", "no sequences", "skip the update where there is nothing to learn");
    Update update;
    update.lr = at_least_zero("lr", options.get<double>("lr"));
    update.max_grad_norm = at_least_zero("max_grad_norm", options.get("max_grad_norm", 0.0));
    update.weight_decay = at_least_zero("weight_decay", options.get("weight_decay", 0.0));
    update.temperature = above_zero("policy:learn", options.get("temperature", 1.0));
    const int weigh = options.push("weigh");
    if (weigh != LUA_TNIL && weigh != LUA_TFUNCTION) options.wrong("weigh", "function", weigh);
    const bool weighed = weigh == LUA_TFUNCTION;
    const int function = lua_gettop(L);
    const std::string before = weighed ? function_text(L, function) : "";
    auto weigher = std::make_shared<Weigher>(L, function, policy.run().session);
    if (weighed) update.weigh = [weigher](auto... arguments) { (*weigher)(arguments...); };
    else update.weight = read_weights(L, list, sequences);
    Json key = keyed(policy, {{"sequences", fingerprint(sequences)},
                              {"weights", weighed ? "weigh" : fingerprint(update.weight)},
                              {"lr", update.lr},
                              {"max_grad_norm", update.max_grad_norm},
                              {"weight_decay", update.weight_decay},
                              {"temperature", update.temperature}});
    if (options.push("objective") != LUA_TNIL) key["objective"] = to_json_object(L, -1);
    Json result = policy.change(
        "learn", key,
        [&](Policy& part) {
            const Spending learning(policy.run().spent.learning);
            const Updated done = part.learn(sequences, update);
            return updated_json(done, weigher->metrics);
        },
        true);
    if (weighed)
        tell_of_memory(policy.run().session, "policy:learn: weigh", before, function_text(L, function),
                       "updates are other ones; give it what it needs anew for each update");
    for (const char* const name : {"objective", "grad_norm"})
        if (result[name].is_null()) result[name] = NAN;  // JSON has no such number
    push_json(L, result);
    return 1;
}

int adapt(lua_State* L) {
    PolicyHandle& policy = policy_of(L);
    luaL_checktype(L, 2, LUA_TTABLE);
    std::vector<std::string> texts;
    std::string all;
    const lua_Integer n = list_length(L, 2, "policy:adapt");
    for (lua_Integer i = 1; i <= n; ++i) {
        if (lua_geti(L, 2, i) != LUA_TSTRING)
            throw Error(Blame::input, "policy:adapt", "entry " + std::to_string(i) + " is no text");
        texts.push_back(Type<std::string>::get(L, -1));
        all += sha256(texts.back());
        lua_pop(L, 1);
    }
    push_json(L, policy.change(
                     "adapt", keyed(policy, {{"texts", sha256(all)}}), [&](Policy& part) { return part.adapt(texts); },
                     false));
    return 1;
}

int save(lua_State* L) {
    PolicyHandle& policy = policy_of(L);
    const std::string folder = get<std::string>(L, 2);
    policy.run().operation("save", keyed(policy, {{"folder", folder}}), [&](std::int64_t) {
        policy.save(folder);
        return Json::object();
    });
    return 0;
}

// What a load read, as its result: a resumed run that reads other weights would go on as if they were those.
Json weights_read(const Run& run, const std::string& folder) {
    Json read = {{"sha256", hash_of_folder(folder)}};
    const auto recorded = run.journal.result(run.last_op());
    if (!recorded || *recorded == read) return read;
    throw Error(Blame::input, "policy:load",
                folder + " holds other files than when operation " + std::to_string(run.last_op()) + " read it",
                "bring those back, or begin another run with --new; a script that saves again into a folder that it "
                "has loaded cannot be resumed: let it save under another name each time");
}

int load_weights(lua_State* L) {
    PolicyHandle& policy = policy_of(L);
    const std::string folder = get<std::string>(L, 2);
    policy.change(
        "load", keyed(policy, {{"folder", folder}}),
        [&](Policy& part) {
            part.load(folder, false);
            return weights_read(policy.run(), folder);
        },
        false);
    return 0;
}

int clone(lua_State* L) {
    const auto source = handle<PolicyHandle>(L, 1);
    Run& run = source->run();
    const Json result = run.operation("clone", source->key(), [&](std::int64_t op) {
        const std::string folder = "clones/" + source->name() + "-" + std::to_string(op);
        source->ready().save(run.path(folder), false);
        return Json{{"folder", folder}};
    });
    auto part = std::make_unique<Policy>(source->part().recipe());
    part->load(run.path(result.at("folder")), false);
    auto copy = std::make_shared<PolicyHandle>(source->shared_run(), run.unique_name(source->name() + "-clone"),
                                               std::move(part), Ref(), "");
    copy->freeze();
    push_handle(L, copy);
    return 1;
}

int facts(lua_State* L) {
    push_json(L, policy_of(L).facts());
    return 1;
}

int trainable(lua_State* L) {
    lua_pushboolean(L, policy_of(L).trainable());
    return 1;
}

int name(lua_State* L) {
    push(L, policy_of(L).name());
    return 1;
}

int run_of_policy(lua_State* L) {
    push_handle(L, policy_of(L).shared_run());
    return 1;
}

}  // namespace

Bindings policy_bindings() {
    using enum Binding::Kind;
    return {
        {field, "policy.run", run_of_policy, {}, {{"run", "hone.Run", ""}}, {}, "The run that made it.", "0.1"},
        {field,
         "policy.name",
         name,
         {},
         {{"name", "string", ""}},
         {},
         "The name under which the journal knows it: its part, with a number from the second on.",
         "0.1"},
        {field,
         "policy.trainable",
         trainable,
         {},
         {{"trainable", "boolean", ""}},
         {},
         "Whether it learns: false for remote policies, Lua functions and clones.",
         "0.1"},
        {method,
         "policy:facts",
         facts,
         {},
         {{"facts", "table", "by the part's own names: device, context, parameters"}},
         {},
         "What the part says of itself.",
         "0.1"},
        {method,
         "policy:encode",
         encode,
         {{"messages", "string|hone.Message[]", "a text is a ready-rendered piece"},
          {"open", "boolean?", "end ready for the answer (default true)"}},
         {{"ids", "integer[]", "token ids"},
          {"sources", "integer[]", "for each token the message that it comes from, 0: the chat template"}},
         {},
         "Token ids of messages.",
         "0.1"},
        {method,
         "policy:score",
         score,
         {{"sequences", "(integer[]|hone.Sequence)[]", "token ids, prompt and answer together"},
          {"options", "table?", ""}},
         {{"scores", "{logp: number[], entropy: number[]}[]",
           "of each token given those before it; the first of a sequence is 0"}},
         {{"frozen", "boolean?", "with the weights as first loaded"},
          {"temperature", "number?", "of the distribution scored (default 1)"}},
         "Log-probabilities and entropies of given tokens. One operation of the journal.",
         "0.1"},
        {method,
         "policy:learn",
         learn,
         {{"options", "table", ""}},
         {{"result", "hone.Learnt", "what the update did"}},
         {{"sequences", "hone.Sequence[]", "{ids =, weight =}: one weight a token, 0 for what is not trained"},
          {"lr", "number", "learning rate"},
          {"max_grad_norm", "number?", "the gradient is cut to this norm; 0 (the default): not cut"},
          {"weight_decay", "number?", "decoupled, default 0"},
          {"temperature", "number?", "log-probabilities are of softmax(logits / temperature), default 1"},
          {"weigh", "(fun(i: integer, logp: number[], entropy: number[]): number[], number[]?, table?)?",
           "called once a sequence between forward and backward, instead of `weight`: returns weights, entropy weights "
           "and metrics to be "
           "summed"},
          {"objective", "table?", "what `weigh` makes weights of, by name: a resumed run with other values stops"}},
         "One update of the weights: ascends the sum over all tokens of weight * logp + entropy_weight * entropy. One "
         "operation of the "
         "journal: on resume the "
         "updates up to the last checkpoint are not repeated and `weigh` is not called for them, so return what you "
         "want to know as "
         "metrics.",
         "0.1"},
        {method,
         "policy:adapt",
         adapt,
         {{"texts", "string[]", "the corpus"}},
         {{"facts", "table", "what the part adapted"}},
         {},
         "Fits what is not learnt by gradient, such as a tokenizer's vocabulary, to a corpus; before the first update.",
         "0.1"},
        {method,
         "policy:save",
         save,
         {{"folder", "string", "replaced if it is empty or holds a saved policy and nothing else"}},
         {},
         {},
         "Writes the weights in the part's own format.",
         "0.1"},
        {method,
         "policy:load",
         load_weights,
         {{"folder", "string", "as written by save"}},
         {},
         {},
         "Reads weights. Once more on resume, where no later checkpoint holds them: files that have changed since are "
         "refused.",
         "0.1"},
        {method,
         "policy:clone",
         clone,
         {},
         {{"policy", "hone.Policy", "frozen"}},
         {},
         "A second instance with the present weights that never learns: the reference of a KL term.",
         "0.1"},
    };
}

}  // namespace hone::lua
