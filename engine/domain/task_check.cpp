// check_task: what makes a document that a person wrote a task. The reader of documents sees to keys and their types;
// here is what it cannot know.
#include <algorithm>
#include <cmath>
#include <set>
#include "base/hash.hpp"
#include "domain/document_json.hpp"
#include "domain/task.hpp"
#include "hone/abi.h"

namespace hone {

namespace {

constexpr std::int64_t most_size = (std::int64_t{1} << 31) - 1;
constexpr double most_elements = 0x1p36;  // of one tensor: beyond any device, far from overflow

std::string place_of(const std::string& name) { return "task \"" + name + "\""; }

template <class List> bool holds(const List& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
}

// Whether float32 is enough nowhere: a task in float64 that allowed float32's errors would be won by computing in it.
bool gives_float64_alone(const Json& doc) {
    bool any = false;
    const auto outputs = doc.find("outputs");
    if (outputs == doc.end() || !outputs->is_array()) return false;
    for (const Json& output : *outputs) {
        const Json dtype = output.is_object() ? output.value("dtype", Json("f32")) : Json();
        if (dtype == "f32" || dtype == "f16" || dtype == "bf16") return false;
        any = any || dtype == "f64";
    }
    return any;
}

// Shorthands of task files: an absent spec is the name, one factor may stand for a list, a class for a tolerance.
void spell_out(Json& doc) {
    doc.emplace("spec", doc["name"]);
    if (doc.contains("terms") && !doc["terms"].is_array()) doc["terms"] = Json::array({doc["terms"]});
    if (!doc.contains("tolerance") && gives_float64_alone(doc)) doc["tolerance"] = "f64";
    const auto tolerance = doc.find("tolerance");
    if (tolerance == doc.end()) return;
    if (tolerance->is_string()) *tolerance = {{"class", *tolerance}};
    if (!tolerance->is_object() || !tolerance->value("class", Json()).is_string())
        throw Error(Blame::input, place_of(doc["name"]),
                    "tolerance: is neither a class such as \"f32\" nor {class, factor, roundings, deterministic}");
}

Task read(Json doc) {
    const bool named = doc.is_object() && doc.contains("name");
    if (!doc.is_object()) throw Error(Blame::input, place_of("?"), "task: is no table");
    if (!named) throw Error(Blame::input, place_of("?"), "name: is missing", "give the task a name");
    if (!doc["name"].is_string()) throw Error(Blame::input, place_of("?"), "name: is no text", "give the task a name");
    spell_out(doc);
    return DocumentReader(place_of(doc["name"]), DocumentReader::Of::person).read<Task>(doc);
}

// Of a dtype of whole numbers; the larger ones hold all that a law has.
std::pair<int, int> range_of(int dtype) {
    if (dtype == HONE_I8) return {-128, 127};
    if (dtype == HONE_U8) return {0, 255};
    if (dtype == HONE_BOOL) return {0, 1};
    return {-(1 << 24), 1 << 24};
}

class TaskCheck {
public:
    explicit TaskCheck(Task& task) : task_(task) {}

    void run() {
        check_head();
        fill();
        if (task_.outputs.empty()) refuse("outputs", "there is none", "a task has at least one output");
        each_tensor([this](const TaskTensor& tensor, const char* side) { check_tensor(tensor, side); });
        check_constants();
        check_starts();
        for (const std::string& size : task_.sizes)
            if (names_.contains(size)) refuse("sizes", "\"" + size + "\" is also the name of a tensor");
        check_multiples();
        check_ranges();
        check_shape(task_.shape, "shape");
        for (std::size_t i = 0; i < task_.hidden.size(); ++i)
            check_shape(task_.hidden[i], "hidden shape " + std::to_string(i + 1));
        check_details();
        each_tensor([this](const TaskTensor& tensor, const char* side) { check_content(tensor, side); });
    }

private:
    [[noreturn]] void refuse(const std::string& field, const std::string& cause, const std::string& cure = {}) const {
        throw Error(Blame::input, place_of(task_.name()), field + ": " + cause, cure);
    }

    template <class Visit> void each_tensor(Visit&& visit) const {
        for (const TaskTensor& tensor : task_.inputs) visit(tensor, "inputs");
        for (const TaskTensor& tensor : task_.outputs) visit(tensor, "outputs");
    }

    static std::string field_of(const TaskTensor& tensor, const char* side) {
        return std::string(side) + ": \"" + tensor.name + "\"";
    }

    void need(const std::string& text, const char* field, const char* cure) const {
        if (text.empty()) refuse(field, "is no text", cure);
    }

    void check_head() const {
        static const std::vector<std::string> roles = {"train", "auxiliary", "held-out", "flawed"};
        need(task_.name(), "name", "give the task a name");
        if (task_.name().find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:-") !=
            std::string::npos)
            refuse("name", "holds something else than letters, digits and _ . : -");
        need(task_.statement, "statement", "say what to compute");
        need(task_.spec, "spec", "a short text for tiny models, such as \"softmax {R}x{C}\"");
        if (!holds(roles, task_.role))
            refuse("role", "no role \"" + task_.role + "\"" + suggestion(task_.role, roles),
                   "roles: train, auxiliary, held-out, flawed");
    }

    // Presets of inputs, and the sizes in order of first appearance: inputs, then outputs.
    void fill() {
        for (TaskTensor& input : task_.inputs) {
            input.law = input.law.value_or("normal");
            input.constant = input.constant.value_or(false);
            input.strict = input.strict.value_or(false);
        }
        task_.sizes.clear();
        each_tensor([this](const TaskTensor& tensor, const char*) {
            for (const Extent& n : tensor.shape)
                if (!n.size.empty() && !holds(task_.sizes, n.size)) task_.sizes.push_back(n.size);
        });
    }

    void check_tensor(const TaskTensor& tensor, const char* side) {
        const std::string field = field_of(tensor, side);
        if (!is_identifier(tensor.name)) refuse(field, "is no name of a C variable");
        if (!names_.insert(tensor.name).second) refuse(field, "is named twice");
        if (*side == 'o') return check_output(tensor, field);
        check_scalar(tensor, field);
        if (tensor.starts_as)
            refuse(field, "an input does not start as another", "starts_as belongs to the output that is changed");
    }

    void check_output(const TaskTensor& tensor, const std::string& field) const {
        if (tensor.constant.value_or(false)) refuse(field, "an output is not constant", "inputs may be");
        if (tensor.scalar.value_or(false))
            refuse(field, "an output is no scalar", "an output of one number has shape = { 1 }");
        if (tensor.law || tensor.strict)
            refuse(field, std::string(tensor.law ? "law" : "strict") + " belongs to an input",
                   "the reference gives an output its values; leave it out");
    }

    void check_scalar(const TaskTensor& tensor, const std::string& field) const {
        const bool scalar = tensor.scalar.value_or(false);
        if (scalar && !tensor.shape.empty()) refuse(field, "a scalar has no shape", "leave out shape, or scalar");
        if (!scalar && tensor.shape.empty())
            refuse(field, "has no shape", "write shape = { \"N\" }, or scalar = true for one number by value");
        if (scalar && tensor.constant.value_or(false))
            refuse(field, "a scalar is not constant", "law = \"value(0.5)\" is the same number in every call");
    }

    // An output that is updated in place: starts_as = "y0".
    void check_starts() const {
        std::set<std::string> taken;
        std::vector<std::string> names;
        for (const TaskTensor& input : task_.inputs) names.push_back(input.name);
        for (const TaskTensor& output : task_.outputs) {
            if (!output.starts_as) continue;
            const std::string field = field_of(output, "outputs"), &start = *output.starts_as;
            const auto input = std::find_if(task_.inputs.begin(), task_.inputs.end(),
                                            [&](const TaskTensor& one) { return one.name == start; });
            if (input == task_.inputs.end())
                refuse(field, "starts_as: \"" + start + "\" is no input" + suggestion(start, names));
            const auto same = [](const Extent& a, const Extent& b) { return a.text() == b.text(); };
            if (input->dtype != output.dtype ||
                !std::equal(input->shape.begin(), input->shape.end(), output.shape.begin(), output.shape.end(), same))
                refuse(field, "starts_as: \"" + start + "\" has another dtype or shape");
            if (input->constant.value_or(false))
                refuse(field, "starts_as: \"" + start + "\" is constant", "what a call changes does not stay");
            if (!taken.insert(start).second) refuse(field, "starts_as: another output starts as \"" + start + "\"");
        }
    }

    // dtype and law, which need the shapes checked before
    void check_content(const TaskTensor& tensor, const char* side) const {
        const std::string field = field_of(tensor, side);
        try {
            const int dtype = parse_dtype(tensor.dtype);
            if (!tensor.law) return;
            const bool whole = dtype != HONE_F64 && dtype != HONE_F32 && dtype != HONE_F16 && dtype != HONE_BF16;
            Task one;
            one.inputs = {tensor};
            const hone_law law = parse_law(tensors(one, "inputs", task_.shape)[0].law);
            const bool value = law.scale == 0;
            if (value && !tensor.scalar.value_or(false))
                refuse(field, "\"" + *tensor.law + "\" is a law of scalars", "add scalar = true, or choose a law");
            if (whole && law.kind != HONE_LAW_INDEX && !value)
                refuse(field, "a tensor of whole numbers needs the law \"index(n)\"");
            const auto [least, most] = range_of(dtype);
            if (whole && value && (law.shift != std::floor(law.shift) || law.shift < least || law.shift > most))
                refuse(field,
                       "\"" + *tensor.law + "\" is no number that a scalar of dtype " + tensor.dtype + " may have",
                       "name a whole number from " + std::to_string(least) + " to " + std::to_string(most));
            if (whole && !value && (law.shift < least || law.shift + law.scale - 1 > most))
                refuse(field,
                       "\"" + *tensor.law + "\" has numbers that " + tensor.dtype + " does not hold (" +
                           std::to_string(least) + " to " + std::to_string(most) + ")",
                       "index(n,first) has the numbers from first on: index(256,-128) are those of i8");
        } catch (const Error& e) {
            if (e.place() == "dtype" || e.place() == "law") refuse(field, e.cause(), e.cure());
            throw;
        }
    }

    void check_constants() const {
        const auto constant = [](const TaskTensor& tensor) { return tensor.constant.value_or(false); };
        if (!task_.inputs.empty() && std::all_of(task_.inputs.begin(), task_.inputs.end(), constant))
            refuse("inputs", "all are constant, and so is the output",
                   "leave out constant = true where values come with each call");
    }

    void check_elements(const TaskTensor& tensor, const Shape& shape, const std::string& field) const {
        double elements = 1;
        for (const Extent& n : tensor.shape) {
            if (n.at(shape) < 1)
                refuse(field, "tensor \"" + tensor.name + "\": \"" + n.text() + "\" = " + std::to_string(n.at(shape)) +
                                  " is not positive");
            elements *= static_cast<double>(n.at(shape));
        }
        if (elements > most_elements) refuse(field, "tensor \"" + tensor.name + "\" has more than 2^36 elements");
    }

    template <class Map> void check_sizes(const Map& map, const std::string& field) const {
        for (const auto& [name, value] : map)
            if (!holds(task_.sizes, name))
                refuse(field + ": \"" + name + "\"", "is no field of it" + suggestion(name, task_.sizes));
    }

    std::int64_t step_of(const std::string& size) const {
        const auto found = task_.multiples.find(size);
        return found == task_.multiples.end() ? 1 : found->second;
    }

    void check_shape(const Shape& shape, const std::string& field) const {
        check_sizes(shape, field);
        for (const std::string& name : task_.sizes) {
            if (!shape.contains(name)) refuse(field, "size " + name + " is missing");
            const std::int64_t n = shape.at(name);
            const std::string shown = name + " = " + std::to_string(n);
            if (n < 1 || n > most_size) refuse(field, shown + " is no positive whole number below 2^31");
            if (n % step_of(name) != 0) refuse(field, shown + " is no multiple of " + std::to_string(step_of(name)));
            if (!task_.ranges || !task_.ranges->contains(name)) continue;
            const std::vector<std::int64_t>& range = task_.ranges->at(name);
            if (n < range[0] || n > range[1]) refuse(field, shown + " is outside of its range, " + Json(range).dump());
        }
        each_tensor([&](const TaskTensor& tensor, const char*) { check_elements(tensor, shape, field); });
    }

    void check_multiples() const {
        check_sizes(task_.multiples, "multiples");
        for (const auto& [name, step] : task_.multiples)
            if (step < 1) refuse("multiples", name + " = " + std::to_string(step) + " is no positive whole number");
    }

    // {C = {64, 4096}}: of every shape.
    void check_ranges() const {
        if (!task_.ranges) return;
        check_sizes(*task_.ranges, "ranges");
        for (const auto& [name, range] : *task_.ranges) {
            const std::string shown = name + " = " + Json(range).dump();
            if (range.size() != 2 || range[0] < 1 || range[1] < range[0] || range[1] > most_size)
                refuse("ranges", shown + " is no pair of a least and a most positive whole number");
            if (range[1] / step_of(name) * step_of(name) < range[0])
                refuse("ranges", shown + " holds no multiple of " + std::to_string(step_of(name)));
        }
    }

    // {"C", 9}: factors of the longest sum's number of terms.
    void check_terms() const {
        constexpr const char* cure =
            "terms tells how many terms the longest sum behind an element has, as a product: terms = { \"C\", 9 }";
        if (task_.terms && task_.terms->empty()) refuse("terms", "names no factor", cure);
        for (const Extent& factor : task_.terms.value_or(std::vector<Extent>()))
            if (!factor.size.empty() && !holds(task_.sizes, factor.size))
                refuse("terms", "\"" + factor.text() + "\" is no size such as \"C\" or \"9*K\"", cure);
    }

    // What honest programs may treat as they like: special = {without = {"nan"}, because = "a maximum may drop NaN"}.
    void check_special() const {
        static const std::vector<std::string> kinds = {"zero", "denormal", "inf", "nan"};
        if (!task_.special) return;
        if (task_.special->because.empty()) refuse("special", "because is no text", "say why the contract is silent");
        for (const std::string& kind : task_.special->without)
            if (!holds(kinds, kind)) refuse("special", "without: \"" + kind + "\" is none of zero, denormal, inf, nan");
    }

    void check_details() const {
        if (task_.index < 1) refuse("index", "is no position in a list, from 1");
        const double factor = task_.tolerance.factor.value_or(1), roundings = task_.tolerance.roundings.value_or(0);
        if (!(factor > 0) || std::isinf(factor)) refuse("tolerance", "factor is no finite number above 0");
        if (!(roundings >= 0) || std::isinf(roundings))
            refuse("tolerance", "roundings is no finite number of at least 0");
        check_terms();
        check_special();
        for (const auto& [field, work] : {std::pair{"flops", task_.flops}, {"bytes", task_.bytes}})
            if (work && (!(*work >= 0) || std::isinf(*work))) refuse(field, "is no finite number of at least 0");
    }

    Task& task_;
    std::set<std::string> names_;
};

std::string hash_of(const Task& task) {
    const Json doc = to_json(task);
    Json decisive = Json::object();
    for (const char* key : {"inputs", "outputs", "sizes", "shape", "hidden", "multiples", "ranges", "terms",
                            "tolerance", "integers", "larger", "special", "source", "index", "baseline_program"})
        if (doc.contains(key)) decisive[key] = doc[key];
    return sha256(decisive.dump());
}

}  // namespace

Task check_task(Json doc) {
    Task task = read(std::move(doc));
    TaskCheck(task).run();
    task.digest = hash_of(task);
    return task;
}

}  // namespace hone
