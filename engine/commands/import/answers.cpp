#include "commands/import/answers.hpp"
#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include "base/error.hpp"

namespace hone {
namespace {

std::vector<double> numbers_in(const fs::path& file) {
    const std::string bytes = read_file(file);
    std::vector<double> numbers(bytes.size() / sizeof(double));
    std::copy_n(bytes.data(), numbers.size() * sizeof(double), reinterpret_cast<char*>(numbers.data()));
    return numbers;
}

// rms(error) / rms(wanted); infinite where one is finite and the other is not. nullopt: none is finite, all are alike.
std::optional<double> error_of(const std::vector<double>& got, const std::vector<double>& wanted) {
    double error = 0, size = 0;
    bool compared = wanted.empty();
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (!std::isfinite(wanted[i]) || !std::isfinite(got[i])) {
            const bool alike = std::isnan(wanted[i]) ? std::isnan(got[i]) : wanted[i] == got[i];
            if (!alike) return INFINITY;
            continue;
        }
        compared = true;
        error += (got[i] - wanted[i]) * (got[i] - wanted[i]);
        size += wanted[i] * wanted[i];
    }
    if (!compared) return std::nullopt;
    return error == 0 ? 0 : std::sqrt(error / std::max(size, 1e-300));
}

}  // namespace

ImportFolder::ImportFolder() : path_((temporary_folder() / "hone-import-XXXXXX").string()) {
    if (!mkdtemp(path_.data())) throw Error(Blame::environment, path_, "no temporary folder can be made");
}

ImportFolder::~ImportFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

Json module_answers(ImportProgram& program, const ImportFolder& folder, const Layout& layout,
                    const std::vector<std::string>& inputs) {
    Json files = Json::array();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const fs::path file = folder.file("input" + std::to_string(i));
        write_file(file, inputs[i]);
        files.push_back({{"file", file.string()}, {"shape", layout.inputs()[i].shape}});
    }
    return program.ask({{"type", "run"}, {"inputs", files}, {"folder", folder.path()}});
}

std::optional<double> error_against(const std::string& file, const std::vector<double>& got) {
    const std::vector<double> wanted = numbers_in(file);
    return wanted.size() == got.size() ? error_of(got, wanted) : INFINITY;
}

}  // namespace hone
