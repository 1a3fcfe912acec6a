// The contract of what a verifier takes: the engine can read it, the timer is there, and the files of other verifiers
// stay theirs.
#include <algorithm>
#include "base/paths.hpp"
#include "contract.hpp"
#include "parts/verifiers.hpp"

namespace hone::contract {
namespace {

// What is built together lies in one folder, which need not be searched by the engine yet.
std::vector<fs::path> folders_around(const Contract& contract) {
    std::vector<fs::path> folders = plugin_folders();
    folders.push_back(fs::absolute(contract.file().path).parent_path());
    return folders;
}

std::vector<std::string> endings_of(const PartFile& file) {
    try {
        const auto kind = kind_of(Library::open(file));
        return kind ? kind->files : std::vector<std::string>();
    } catch (const Error&) {  // `hone plugins` tells of a part that is refused
        return {};
    }
}

void check_endings(Contract& contract, const VerifierKind& kind) {
    for (const PartFile& file : list_parts(folders_around(contract))) {
        if (file.interface_name != "verifier" || file.id == kind.id) continue;
        const std::vector<std::string> theirs = endings_of(file);
        for (const std::string& ending : kind.files)
            contract.expect(std::find(theirs.begin(), theirs.end(), ending) == theirs.end(),
                            "takes: files that end in " + ending + " are verifier." + file.id +
                                "'s already, and one of the two would never get them");
    }
}

}  // namespace

void check_takes(Contract& contract) {
    std::optional<VerifierKind> kind;
    expect_no_error(contract, [&] { kind = kind_of(contract.library()); });
    if (!kind) return;
    check_endings(contract, *kind);
    if (kind->timer.empty()) return;
    try {
        find_part("timer", kind->timer, folders_around(contract));
    } catch (const Error& e) {
        contract.expect(false, std::string("takes: ") + e.what());
    }
}

}  // namespace hone::contract
