#include "domain/task_check.hpp"
#include <algorithm>
#include <set>
#include <string>
#include <vector>
#include "base/error.hpp"
#include "base/options.hpp"
#include "domain/extent.hpp"
#include "domain/task.hpp"
#include "hone/abi.h"

namespace hone {

namespace {

constexpr std::int64_t most_size = (std::int64_t{1} << 31) - 1;
constexpr double most_elements = 0x1p36;  // of one tensor: beyond any device, far from overflow

[[noreturn]] void refuse(const Json& doc, const std::string& field, const std::string& cause,
                         const std::string& cure = {}) {
    const std::string name =
        doc.is_object() && doc.contains("name") && doc["name"].is_string() ? doc["name"].get<std::string>() : "?";
    throw Error(Blame::input, "task \"" + name + "\"", field + ": " + cause, cure);
}

void need_text(const Json& doc, const char* key, const char* cure) {
    if (!doc.contains(key)) refuse(doc, key, "is missing", cure);
    if (!doc[key].is_string() || doc[key].get_ref<const std::string&>().empty()) refuse(doc, key, "is no text", cure);
}

void check_keys(const Json& doc, const Json& table, const std::string& field, const std::vector<std::string>& keys) {
    for (const auto& [key, value] : table.items())
        if (std::find(keys.begin(), keys.end(), key) == keys.end())
            refuse(doc, field + "\"" + key + "\"", "is no field of it" + suggestion(key, keys));
}

// An empty Lua table cannot say whether it is a list: both forms of "nothing" are taken.
Json as_list(const Json& doc, const char* key) {
    const Json value = doc.value(key, Json::array());
    if (value.is_array()) return value;
    if (value.is_object() && value.empty()) return Json::array();
    refuse(doc, key, "is no list");
}

Json as_table(const Json& doc, const char* key) {
    const Json value = doc.value(key, Json::object());
    if (value.is_object()) return value;
    if (value.is_array() && value.empty()) return Json::object();
    refuse(doc, key, "is no table");
}

void fill_tensors(Json& doc, const char* side, const char* law) {
    doc[side] = as_list(doc, side);
    for (Json& tensor : doc[side]) {
        if (!tensor.is_object()) refuse(doc, side, "holds something that is no table");
        tensor.emplace("dtype", "f32");
        if (law) {
            tensor.emplace("law", law);
            tensor.emplace("constant", false);
            tensor.emplace("strict", false);
        }
        tensor["shape"] = as_list(tensor, "shape");
    }
}

template <class Visit> void each_tensor(const Json& doc, Visit&& visit) {
    for (const char* side : {"inputs", "outputs"})
        for (const Json& tensor : doc[side]) visit(tensor, side);
}

// in order of first appearance: inputs, then outputs
Json find_sizes(const Json& doc) {
    Json sizes = Json::array();
    each_tensor(doc, [&](const Json& tensor, const char*) {
        for (const Json& n : tensor["shape"]) {
            const auto extent = parse_extent(n);
            if (extent && !extent->size.empty() && std::find(sizes.begin(), sizes.end(), extent->size) == sizes.end())
                sizes.push_back(extent->size);
        }
    });
    return sizes;
}

std::string field_of(const Json& tensor, const char* side) {
    const Json name = tensor.value("name", Json());
    return std::string(side) + ": \"" + (name.is_string() ? name.get<std::string>() : "") + "\"";
}

// dtype and law, which need the shapes checked before
void check_content(const Json& doc, const Json& tensor, const char* side) {
    const std::string field = field_of(tensor, side);
    try {
        const int dtype = parse_dtype(tensor["dtype"]);
        if (!tensor.contains("law")) return;
        const bool whole = dtype != HONE_F64 && dtype != HONE_F32 && dtype != HONE_F16 && dtype != HONE_BF16;
        const Task one{Json{{"inputs", Json::array({tensor})}}};
        const hone_law law = parse_law(tensors(one, "inputs", doc["shape"].get<Shape>())[0].law);
        if (whole && law.kind != HONE_LAW_INDEX)
            refuse(doc, field, "a tensor of whole numbers needs the law \"index(n)\"");
    } catch (const Error& e) {
        if (e.place() == "dtype" || e.place() == "law") refuse(doc, field, e.cause(), e.cure());
        throw;
    }
}

void check_tensor(const Json& doc, const Json& tensor, const char* side, std::set<std::string>& names) {
    check_keys(doc, tensor, std::string(side) + ": ", {"name", "dtype", "shape", "law", "constant", "strict"});
    const std::string field = field_of(tensor, side);
    if (!tensor.contains("name") || !tensor["name"].is_string() || !is_identifier(tensor["name"]))
        refuse(doc, field, "is no name of a C variable");
    if (!names.insert(tensor["name"]).second) refuse(doc, field, "is named twice");
    for (const char* key : {"constant", "strict"})
        if (tensor.contains(key) && !tensor[key].is_boolean())
            refuse(doc, field, std::string(key) + " is neither true nor false");
    if (side == std::string_view("outputs") && tensor.value("constant", false))
        refuse(doc, field, "an output is not constant", "inputs may be");
    for (const char* key : {"dtype", "law"})
        if (tensor.contains(key) && !tensor[key].is_string()) refuse(doc, field, std::string(key) + " is no text");
    for (const Json& n : tensor["shape"]) {
        if (!parse_extent(n))
            refuse(doc, field,
                   "shape: " + n.dump() +
                       " is neither a positive whole number nor a size such as \"R\", \"H+2\" or \"2*R-1\"");
    }
}

void check_constants(const Json& doc) {
    const Json& inputs = doc["inputs"];
    const auto constant = [](const Json& tensor) { return tensor.value("constant", false); };
    if (!inputs.empty() && std::all_of(inputs.begin(), inputs.end(), constant))
        refuse(doc, "inputs", "all are constant, and so is the output",
               "leave out constant = true where values come with each call");
}

void check_elements(const Json& doc, const Json& tensor, const Shape& shape, const std::string& field) {
    double elements = 1;
    for (const Json& n : tensor["shape"]) {
        const std::int64_t extent = parse_extent(n)->at(shape);
        if (extent < 1)
            refuse(doc, field,
                   "tensor " + tensor["name"].dump() + ": " + n.dump() + " = " + std::to_string(extent) +
                       " is not positive");
        elements *= static_cast<double>(extent);
    }
    if (elements > most_elements)
        refuse(doc, field, "tensor " + tensor["name"].dump() + " has more than 2^36 elements");
}

void check_shape(const Json& doc, const Json& shape, const std::string& field) {
    if (!shape.is_object()) refuse(doc, field, "is no table of sizes");
    const auto names = doc["sizes"].get<std::vector<std::string>>();
    check_keys(doc, shape, field + ": ", names);
    for (const std::string& name : names) {
        if (!shape.contains(name)) refuse(doc, field, "size " + name + " is missing");
        const Json& n = shape[name];
        if (!n.is_number_integer() || n.get<std::int64_t>() < 1 || n.get<std::int64_t>() > most_size)
            refuse(doc, field, name + " = " + n.dump() + " is no positive whole number below 2^31");
        const std::int64_t step = doc["multiples"].value(name, std::int64_t{1});
        if (n.get<std::int64_t>() % step != 0)
            refuse(doc, field, name + " = " + n.dump() + " is no multiple of " + std::to_string(step));
        const Json range = doc.value("ranges", Json::object()).value(name, Json());
        if (!range.is_null() && (n < range[0] || n > range[1]))
            refuse(doc, field, name + " = " + n.dump() + " is outside of its range, " + range.dump());
    }
    each_tensor(doc, [&](const Json& tensor, const char*) { check_elements(doc, tensor, shape.get<Shape>(), field); });
}

void check_multiples(const Json& doc) {
    check_keys(doc, doc["multiples"], "multiples: ", doc["sizes"].get<std::vector<std::string>>());
    for (const auto& [name, step] : doc["multiples"].items())
        if (!step.is_number_integer() || step.get<std::int64_t>() < 1)
            refuse(doc, "multiples", name + " = " + step.dump() + " is no positive whole number");
}

// {C = {64, 4096}}: of every shape.
void check_ranges(const Json& doc) {
    if (!doc.contains("ranges")) return;
    if (!doc["ranges"].is_object()) refuse(doc, "ranges", "is no table such as { C = { 64, 4096 } }");
    check_keys(doc, doc["ranges"], "ranges: ", doc["sizes"].get<std::vector<std::string>>());
    for (const auto& [name, range] : doc["ranges"].items()) {
        const bool pair =
            range.is_array() && range.size() == 2 && range[0].is_number_integer() && range[1].is_number_integer();
        if (!pair || range[0].get<std::int64_t>() < 1 || range[1].get<std::int64_t>() < range[0].get<std::int64_t>() ||
            range[1].get<std::int64_t>() > most_size)
            refuse(doc, "ranges",
                   name + " = " + range.dump() + " is no pair of a least and a most positive whole number");
        const std::int64_t step = doc["multiples"].value(name, std::int64_t{1});
        if (range[1].get<std::int64_t>() / step * step < range[0].get<std::int64_t>())
            refuse(doc, "ranges", name + " = " + range.dump() + " holds no multiple of " + std::to_string(step));
    }
}

// {"C", 9}: factors of the longest sum's number of terms; one may stand alone.
void check_terms(Json& doc) {
    if (!doc.contains("terms")) return;
    if (!doc["terms"].is_array()) doc["terms"] = Json::array({doc["terms"]});
    constexpr const char* cure =
        "terms tells how many terms the longest sum behind an element has, as a product: terms = { \"C\", 9 }";
    if (doc["terms"].empty()) refuse(doc, "terms", "names no factor", cure);
    const auto sizes = doc["sizes"].get<std::vector<std::string>>();
    for (const Json& factor : doc["terms"]) {
        const auto extent = parse_extent(factor);
        if (!extent || (!extent->size.empty() && std::find(sizes.begin(), sizes.end(), extent->size) == sizes.end()))
            refuse(doc, "terms",
                   factor.dump() + " is neither a positive whole number nor a size such as \"C\" or \"9*K\"", cure);
    }
}

// What honest programs may treat as they like: special = {without = {"nan"}, because = "a maximum may drop NaN"}.
void check_special(const Json& doc) {
    static const std::vector<std::string> kinds = {"zero", "denormal", "inf", "nan"};
    if (!doc.contains("special")) return;
    if (!doc["special"].is_object()) refuse(doc, "special", "is no table {without, because}");
    check_keys(doc, doc["special"], "special: ", {"without", "because"});
    if (!doc["special"].value("because", Json()).is_string())
        refuse(doc, "special", "because is no text", "say why the contract is silent");
    for (const Json& kind : as_list(doc["special"], "without"))
        if (!kind.is_string() || std::find(kinds.begin(), kinds.end(), kind) == kinds.end())
            refuse(doc, "special", "without: " + kind.dump() + " is none of zero, denormal, inf, nan");
}

bool is_number_above(const Json& value, double least, bool or_equal) {
    return value.is_number() && (value.get<double>() > least || (or_equal && value.get<double>() == least));
}

void check_tolerance(const Json& doc) {
    const Json& tolerance = doc["tolerance"];
    if (tolerance.is_string()) return;
    if (!tolerance.is_object() || !tolerance.value("class", Json()).is_string())
        refuse(doc, "tolerance", "is neither a class such as \"f32\" nor {class, factor, roundings, deterministic}");
    check_keys(doc, tolerance, "tolerance: ", {"class", "factor", "roundings", "deterministic"});
    if (!is_number_above(tolerance.value("factor", Json(1)), 0, false))
        refuse(doc, "tolerance", "factor is no number above 0");
    if (!is_number_above(tolerance.value("roundings", Json(12)), 0, true))
        refuse(doc, "tolerance", "roundings is no number of at least 0");
    if (!tolerance.value("deterministic", Json(true)).is_boolean())
        refuse(doc, "tolerance", "deterministic is neither true nor false");
}

void check_details(const Json& doc) {
    for (const char* key : {"integers", "larger"})
        if (doc.contains(key) && !doc[key].is_boolean()) refuse(doc, key, "is neither true nor false");
    if (!doc["index"].is_number_integer() || doc["index"].get<std::int64_t>() < 1)
        refuse(doc, "index", "is no position in a list, from 1");
    check_tolerance(doc);
    check_special(doc);
    for (const char* key : {"flops", "bytes"})
        if (doc.contains(key) && (!doc[key].is_number() || doc[key].get<double>() < 0))
            refuse(doc, key, "is no number of at least 0");
}

void check_head(const Json& doc) {
    static const std::vector<std::string> keys = {
        "name",   "suite",     "role",      "statement", "spec",     "inputs",     "outputs", "sizes", "shape",
        "hidden", "multiples", "tolerance", "integers",  "source",   "definition", "index",   "hash",  "flops",
        "bytes",  "brief",     "baselines", "device",    "verifier", "special",    "ranges",  "terms", "larger"};
    static const std::vector<std::string> roles = {"train", "auxiliary", "held-out"};
    check_keys(doc, doc, "", keys);
    const std::string name = doc["name"];
    if (name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:-") !=
        std::string::npos)
        refuse(doc, "name", "holds something else than letters, digits and _ . : -");
    need_text(doc, "statement", "say what to compute");
    need_text(doc, "spec", "a short text for tiny models, such as \"softmax {R}x{C}\"");
    need_text(doc, "role", "\"train\", \"auxiliary\" or \"held-out\"");
    if (std::find(roles.begin(), roles.end(), doc["role"]) == roles.end())
        refuse(doc, "role", "no role " + doc["role"].dump() + suggestion(doc["role"].get<std::string>(), roles),
               "roles: train, auxiliary, held-out");
}

}  // namespace

void fill_task_defaults(Json& doc) {
    if (!doc.is_object()) refuse(doc, "task", "is no table");
    need_text(doc, "name", "give the task a name");
    fill_tensors(doc, "inputs", "normal");
    fill_tensors(doc, "outputs", nullptr);
    doc["shape"] = as_table(doc, "shape");
    doc["hidden"] = as_list(doc, "hidden");
    doc["multiples"] = as_table(doc, "multiples");
    doc["sizes"] = find_sizes(doc);
    check_terms(doc);
    const Json defaults = {{"suite", ""},        {"role", "train"},  {"spec", doc["name"]},
                           {"tolerance", "f32"}, {"integers", true}, {"index", 1}};
    for (const auto& [key, value] : defaults.items()) doc.emplace(key, value);
}

void check_task_fields(const Json& doc) {
    check_head(doc);
    if (doc["outputs"].empty()) refuse(doc, "outputs", "there is none", "a task has at least one output");
    std::set<std::string> names;
    each_tensor(doc, [&](const Json& tensor, const char* side) { check_tensor(doc, tensor, side, names); });
    check_constants(doc);
    for (const Json& size : doc["sizes"])
        if (names.count(size.get<std::string>())) refuse(doc, "sizes", size.dump() + " is also the name of a tensor");
    check_multiples(doc);
    check_ranges(doc);
    check_shape(doc, doc["shape"], "shape");
    for (std::size_t i = 0; i < doc["hidden"].size(); ++i)
        check_shape(doc, doc["hidden"][i], "hidden shape " + std::to_string(i + 1));
    check_details(doc);
    each_tensor(doc, [&](const Json& tensor, const char* side) { check_content(doc, tensor, side); });
}

}  // namespace hone
