#include "cuda/compile/cubin.hpp"
#include <elf.h>
#include <algorithm>
#include <cstring>
#include "cuda/compile/unit.hpp"

namespace hone::cuda {
namespace {

constexpr Elf64_Half machine_cuda = 190;
constexpr std::size_t most_sections = 1 << 14, most_kernels = 256, most_calls = 64, most_parameters = 512,
                      longest_name = 256;
constexpr unsigned char entry_symbol = 0x10;  // in st_other

// Attributes of .nv.info, as nvdisasm names them: EIATTR_...
enum : unsigned char {
    eiattr_frame_size = 0x11,
    eiattr_min_stack_size = 0x12,
    eiattr_kparam_info = 0x17,
    eiattr_regcount = 0x2f
};

// Bits 0 to 11 of an instruction, as nvdisasm 13.5 shows them for code of sm_80 to sm_120.
constexpr struct {
    unsigned opcode;
    const char* name;
} tensor_opcodes[] = {{0x237, "IMMA"},  {0x23c, "HMMA"},  {0x23d, "BMMA"},  {0x23f, "DMMA"},  {0x27a, "QMMA"},
                      {0x47f, "OMMA"},  {0x9f0, "HGMMA"}, {0x9f1, "IGMMA"}, {0x9f2, "BGMMA"}, {0x9f3, "QGMMA"},
                      {0xdf0, "HGMMA"}, {0xdf1, "IGMMA"}, {0xdf3, "QGMMA"}, {0x5ea, "UTCMMA"}};

template <class T> std::optional<T> get(std::string_view bytes, std::uint64_t at) {
    T value;
    if (at > bytes.size() || bytes.size() - at < sizeof value) return std::nullopt;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
}

std::string_view part(std::string_view bytes, std::uint64_t at, std::uint64_t size) {
    return at > bytes.size() || bytes.size() - at < size ? std::string_view() : bytes.substr(at, size);
}

std::string text_at(std::string_view table, std::uint64_t at) {
    const std::string_view rest = at < table.size() ? table.substr(at, longest_name) : std::string_view();
    return std::string(rest.substr(0, rest.find('\0')));
}

class Reader {
public:
    explicit Reader(std::string_view bytes) : bytes_(bytes) {}
    std::optional<Cubin> read();

private:
    bool read_sections();
    std::string_view contents(const Elf64_Shdr& s) const {
        return s.sh_type == SHT_NOBITS ? std::string_view() : part(bytes_, s.sh_offset, s.sh_size);
    }
    std::string name(const Elf64_Shdr& s) const { return text_at(names_, s.sh_name); }
    const Elf64_Shdr* find(const std::string& wanted) const;
    void read_symbols(Cubin&);
    void read_kernel(Kernel&, const Elf64_Sym&, int architecture) const;
    void read_totals(Cubin&) const;

    std::string_view bytes_, names_;
    std::vector<Elf64_Shdr> sections_;
    std::vector<std::size_t> kernel_symbols_;  // of each kernel: its number in the symbol table
};

bool Reader::read_sections() {
    const auto head = get<Elf64_Ehdr>(bytes_, 0);
    if (!head || std::memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_ident[EI_CLASS] != ELFCLASS64 ||
        head->e_machine != machine_cuda || head->e_shentsize != sizeof(Elf64_Shdr) || head->e_shnum > most_sections)
        return false;
    for (std::uint64_t i = 0; i < head->e_shnum; ++i) {
        const auto section = get<Elf64_Shdr>(bytes_, head->e_shoff + i * sizeof(Elf64_Shdr));
        if (!section) return false;
        sections_.push_back(*section);
    }
    if (head->e_shstrndx < sections_.size()) names_ = contents(sections_[head->e_shstrndx]);
    return true;
}

const Elf64_Shdr* Reader::find(const std::string& wanted) const {
    const auto found =
        std::find_if(sections_.begin(), sections_.end(), [&](const Elf64_Shdr& s) { return name(s) == wanted; });
    return found == sections_.end() ? nullptr : &*found;
}

std::map<std::string, int> tensor_instructions(std::string_view code) {
    std::map<std::string, int> found;
    for (std::size_t at = 0; at + 16 <= code.size(); at += 16)
        for (const auto& [opcode, name] : tensor_opcodes)
            if ((*get<std::uint64_t>(code, at) & 0xfff) == opcode) ++found[name];
    return found;
}

// Calls attribute(number, payload) for those of .nv.info that have a payload.
template <class Body> void each_attribute(std::string_view info, Body&& attribute) {
    for (std::size_t at = 0; at + 4 <= info.size();) {
        const auto format = static_cast<unsigned char>(info[at]), number = static_cast<unsigned char>(info[at + 1]);
        const std::size_t size = format == 4 ? *get<std::uint16_t>(info, at + 2) : 0;
        if (format == 4) attribute(number, part(info, at + 4, size));
        at += 4 + size;
    }
}

void Reader::read_kernel(Kernel& kernel, const Elf64_Sym& symbol, int architecture) const {
    const std::string_view code =
        symbol.st_shndx < sections_.size() ? contents(sections_[symbol.st_shndx]) : std::string_view();
    kernel.code_bytes = code.size();
    kernel.tensor = tensor_instructions(code);
    // the system's own piece of a block's shared memory, counted in the section
    const int kept = architecture >= 90 ? 1024 : 0;
    if (const Elf64_Shdr* shared = find(".nv.shared." + kernel.name))
        kernel.shared_bytes = static_cast<int>(std::min<std::uint64_t>(shared->sh_size, 1 << 24));
    kernel.shared_bytes = std::max(0, kernel.shared_bytes - kept);
    const Elf64_Shdr* info = find(".nv.info." + kernel.name);
    if (info)
        each_attribute(contents(*info), [&](unsigned char number, std::string_view payload) {
            const auto place = get<std::uint16_t>(payload, 4);
            const auto bits = get<std::uint32_t>(payload, 8);
            if (number != eiattr_kparam_info || !place || !bits || *place >= most_parameters) return;
            kernel.parameters.resize(std::max<std::size_t>(kernel.parameters.size(), *place + 1u));
            kernel.parameters[*place] = static_cast<int>(*bits >> 18);
        });
}

void Reader::read_symbols(Cubin& cubin) {
    const auto table =
        std::find_if(sections_.begin(), sections_.end(), [](const Elf64_Shdr& s) { return s.sh_type == SHT_SYMTAB; });
    if (table == sections_.end() || table->sh_link >= sections_.size()) return;
    const std::string_view symbols = contents(*table), texts = contents(sections_[table->sh_link]);
    for (std::size_t i = 1; (i + 1) * sizeof(Elf64_Sym) <= symbols.size(); ++i) {
        const Elf64_Sym symbol = *get<Elf64_Sym>(symbols, i * sizeof(Elf64_Sym));
        const std::string called = text_at(texts, symbol.st_name);
        if (called.empty() || called[0] == '.') continue;  // a dot: the linker's own
        if (symbol.st_shndx == SHN_UNDEF && cubin.calls.size() < most_calls) cubin.calls.push_back(called);
        if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || !(symbol.st_other & entry_symbol) ||
            cubin.kernels.size() == most_kernels)
            continue;
        cubin.kernels.push_back({});
        cubin.kernels.back().name = called;
        read_kernel(cubin.kernels.back(), symbol, cubin.architecture);
        kernel_symbols_.push_back(i);
    }
}

void Reader::read_totals(Cubin& cubin) const {
    const Elf64_Shdr* info = find(".nv.info");
    if (info)
        each_attribute(contents(*info), [&](unsigned char number, std::string_view payload) {
            const auto symbol = get<std::uint32_t>(payload, 0), value = get<std::uint32_t>(payload, 4);
            if (!symbol || !value) return;
            const auto at = std::find(kernel_symbols_.begin(), kernel_symbols_.end(), *symbol);
            if (at == kernel_symbols_.end()) return;
            Kernel& kernel = cubin.kernels[static_cast<std::size_t>(at - kernel_symbols_.begin())];
            const int bounded = static_cast<int>(std::min<std::uint32_t>(*value, 1 << 24));
            if (number == eiattr_regcount) kernel.registers = bounded;
            if (number == eiattr_frame_size || number == eiattr_min_stack_size)
                kernel.stack_bytes = std::max(kernel.stack_bytes, bounded);
        });
}

std::optional<Cubin> Reader::read() {
    if (!read_sections()) return std::nullopt;
    Cubin cubin;
    const auto head = *get<Elf64_Ehdr>(bytes_, 0);
    cubin.architecture =
        static_cast<int>(head.e_ident[EI_ABIVERSION] >= 8 ? head.e_flags >> 8 & 0xff : head.e_flags & 0xff);
    read_symbols(cubin);
    read_totals(cubin);
    std::sort(cubin.calls.begin(), cubin.calls.end());
    return cubin;
}

std::string report(const Kernel& kernel, const std::string& log) {
    std::string text =
        "registers " + std::to_string(kernel.registers) + ", shared " + std::to_string(kernel.shared_bytes) + " B";
    if (const long spilled = spilled_bytes(log, kernel.name); spilled >= 0)
        text += ", spills " + std::to_string(spilled) + " B";
    if (kernel.stack_bytes) text += ", stack " + std::to_string(kernel.stack_bytes) + " B";
    for (const auto& [name, n] : kernel.tensor) text += ", " + name + " " + std::to_string(n);
    return text;
}

}  // namespace

std::optional<Cubin> read_cubin(std::string_view bytes) { return Reader(bytes).read(); }

std::string resource_report(const Cubin& cubin, const std::string& log) {
    constexpr std::size_t most_told = 8, longest = 48;
    if (cubin.kernels.size() == 1) return report(cubin.kernels[0], log);
    std::string text;
    for (std::size_t i = 0; i < std::min(cubin.kernels.size(), most_told); ++i)
        text += (text.empty() ? "" : "; ") + cubin.kernels[i].name.substr(0, longest) + ": " +
                report(cubin.kernels[i], log);
    return text;
}

}  // namespace hone::cuda
