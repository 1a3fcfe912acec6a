#include "parts/library.hpp"
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/paths.hpp"
#include "base/process.hpp"
#include "parts/descriptor.hpp"
#include "parts/in_part.hpp"

namespace hone {

namespace {

std::string list_of(const std::vector<fs::path>& folders) {
    std::string text;
    for (const fs::path& folder : folders) text += (text.empty() ? "" : ", ") + folder.string();
    return text;
}

// "timer.cuda-probe.so" -> timer, cuda-probe; nothing for other files
std::optional<PartFile> parse_file_name(const fs::path& path) {
    const std::string stem = path.stem();
    const std::size_t dot = stem.find('.');
    if (path.extension() != ".so" || dot == std::string::npos || dot + 1 == stem.size()) return std::nullopt;
    PartFile file{stem.substr(0, dot), stem.substr(dot + 1), path, {}};
    return known_interface(file.interface_name) ? std::optional(file) : std::nullopt;
}

// Constructors of a library may greet their user, and standard output may be a document.
class OutputAside {
public:
    OutputAside() : kept_(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)) {
        std::fflush(stdout);
        if (kept_.get() >= 0) dup2(STDERR_FILENO, STDOUT_FILENO);
    }
    ~OutputAside() {
        std::fflush(stdout);
        if (kept_.get() >= 0) dup2(kept_.get(), STDOUT_FILENO);
    }
    OutputAside(const OutputAside&) = delete;

private:
    const Fd kept_;
};

}  // namespace

std::vector<PartFile> list_parts(const std::vector<fs::path>& folders) {
    std::map<std::string, PartFile> found;
    for (const fs::path& folder : folders) {
        std::error_code absent;
        for (const auto& entry : fs::directory_iterator(folder, absent)) {
            const auto file = parse_file_name(entry.path());
            if (!file) continue;
            const auto [known, fresh] = found.emplace(file->interface_name + "." + file->id, *file);
            if (!fresh && known->second.hides.empty() && !fs::equivalent(known->second.path, file->path))
                known->second.hides = file->path;
        }
    }
    std::vector<PartFile> files;
    for (const auto& [address, file] : found) files.push_back(file);
    return files;
}

PartFile find_part(const std::string& interface_name, const std::string& id, const std::vector<fs::path>& folders) {
    std::vector<std::string> names;
    for (const PartFile& file : list_parts(folders)) {
        if (file.interface_name != interface_name) continue;
        if (file.id == id) return file;
        names.push_back(file.id);
    }
    const std::string nearest = nearest_name(id, names);
    throw Error(Blame::input, interface_name + " \"" + id + "\"", "there is no such part in " + list_of(folders),
                nearest.empty() ? "`hone plugins` lists what there is" : "did you mean \"" + nearest + "\"?");
}

namespace {

// A file that was cut off, by a full disk or a copy that broke: to load it would end this process (SIGBUS).
void require_whole(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    Elf64_Ehdr header{};
    if (!file.read(reinterpret_cast<char*>(&header), sizeof header)) return;  // dlopen says what it is
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) return;
    const std::uint64_t end = header.e_shoff + std::uint64_t{header.e_shnum} * header.e_shentsize;
    if (end <= fs::file_size(path)) return;  // linkers put the table of sections last
    throw Error(Blame::environment, path.string(),
                "is cut off: it has " + std::to_string(fs::file_size(path)) + " of " + std::to_string(end) + " bytes",
                "build or copy it again");
}

}  // namespace

Library Library::open(const PartFile& file) {
    Library library;
    library.file_ = file;
    const std::string path = fs::absolute(file.path).string();
    require_whole(file.path);
    const InPart here(path, "being loaded");
    // never unloaded: libraries behind a part register themselves in places that nothing can take back
    void* opened = nullptr;
    {
        const OutputAside aside;
        opened = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    }
    if (!opened) throw Error(Blame::environment, file.path.string(), std::string("cannot be opened: ") + dlerror());
    library.part_ = static_cast<const hone_part*>(dlsym(opened, "hone_part_entry"));
    if (!library.part_)
        throw Error(Blame::input, file.path.string(), "exports no hone_part_entry",
                    "name the part with a HONE_ macro of hone/plugin.hpp");
    check_descriptor(*library.part_, file);
    library.options_ = options_of(*library.part_);
    return library;
}

std::string Library::file_hash() const { return sha256_file(file_.path); }

Json Recipe::to_json() const {
    return {{"interface", interface_name}, {"id", id}, {"file", file}, {"file_hash", file_hash}, {"options", options}};
}

Recipe Recipe::from_json(const Json& doc) {
    return {doc.at("interface"), doc.at("id"), doc.at("file"), doc.at("file_hash"), doc.at("options")};
}

Recipe make_recipe(const std::string& interface_name, const std::string& id, const Json& options,
                   const std::string& place) {
    try {
        const Library library = Library::open(find_part(interface_name, id, plugin_folders()));
        Json checked = check_options(library.options(), options, interface_name + " \"" + id + "\"");
        return {interface_name, id, library.file().path, library.file_hash(), std::move(checked)};
    } catch (const Error& e) {
        if (place.empty()) throw;
        throw Error(e.blame(), place, e.place() + ": " + e.cause(), e.cure());
    }
}

}  // namespace hone
