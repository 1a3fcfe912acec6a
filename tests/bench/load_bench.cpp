// How long the weights of a model take to load from a warm page cache, against reading the files' bytes twice.
//     load_bench [GIGABYTES]      bfloat16 safetensors of so many gigabytes (2), made on the spot in two files
//     load_bench MODEL            a Hugging Face folder or a GGUF file
#include <fcntl.h>
#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include "timing.hpp"
#include "torch_lm/format/files.hpp"
#include "torch_lm/format/model_files.hpp"
#include "torch_lm/format/safetensors_folder.hpp"
#include "torch_lm/model/parameters.hpp"

namespace {

using namespace hone::lm;

using Open = std::function<std::unique_ptr<WeightSource>()>;

struct Named {
    std::string name;
    Extents shape;
    std::size_t size;
};

template <class Body> double least_seconds(const Body& body) { return hone::bench::best_of(3, body); }

void read_bytes(const std::string& path, char* to, std::size_t room) {
    const int file = ::open(path.c_str(), O_RDONLY);
    while (::read(file, to, room) > 0) {
    }
    ::close(file);
}

std::vector<std::string> weight_files(const std::string& model) {
    if (!std::filesystem::is_directory(model)) return {model};
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(model))
        if (entry.path().extension() == ".safetensors") files.push_back(entry.path());
    return files;
}

// Each time with the files opened anew. Memory that nothing has touched costs more than what is copied there: it is
// touched before, or in both times.
template <class To> double load_seconds(const Open& open, const std::vector<Named>& tensors, bool touched) {
    std::size_t size = 0;
    for (const Named& tensor : tensors) size += tensor.size;
    std::vector<To> memory(touched ? size : 0);
    return least_seconds([&] {
        const std::unique_ptr<To[]> fresh(touched ? nullptr : new To[size]);
        To* to = touched ? memory.data() : fresh.get();
        const auto weights = open();
        for (const Named& tensor : tensors) {
            weights->read(tensor.name, tensor.shape, std::span(to, tensor.size));
            to += tensor.size;
        }
    });
}

// Each file whole, twice, by one thread: into one buffer that stays in the caches, or into memory of the file's size.
double twice_seconds(const std::vector<std::string>& files, bool touched) {
    return least_seconds([&] {
        for (const std::string& file : files) {
            const std::size_t room = touched ? 1 << 20 : std::filesystem::file_size(file);
            const std::unique_ptr<char[]> all(new char[room]);
            for (int i = 0; i < 2; ++i) read_bytes(file, all.get(), room);
        }
    });
}

void report(const std::string& model, const Open& open, const std::vector<Named>& tensors) {
    const std::vector<std::string> files = weight_files(model);
    std::uintmax_t bytes = 0;
    for (const std::string& file : files) bytes += std::filesystem::file_size(file);
    std::printf("%.2f GB\n", static_cast<double>(bytes) / 1e9);
    for (const bool touched : {true, false}) {
        const double twice = twice_seconds(files, touched), bf16 = load_seconds<std::uint16_t>(open, tensors, touched),
                     f32 = load_seconds<float>(open, tensors, touched);
        std::printf(
            "%s memory: the bytes twice %.3f s; into bfloat16 %.3f s, ratio %.2f; into float32 %.3f s, ratio %.2f\n",
            touched ? "touched" : "fresh", twice, bf16, bf16 / twice, f32, f32 / twice);
    }
}

std::string make_model(const std::string& folder, double gigabytes, std::vector<Named>& tensors) {
    const std::size_t size = std::size_t{32} << 20;  // 64 MB each
    std::vector<std::uint16_t> values(size);
    std::mt19937 random(1);
    for (auto& value : values) value = static_cast<std::uint16_t>(random() & 0xbfff);
    nlohmann::json places;
    const int count = std::max(2, static_cast<int>(gigabytes * 1e9 / 2 / static_cast<double>(size)));
    for (int part = 0; part < 2; ++part) {
        const std::string file = "model-0000" + std::to_string(part + 1) + "-of-00002.safetensors";
        std::vector<TensorToStore> stored;
        for (int i = part; i < count; i += 2) {
            const Extents shape = {static_cast<std::int64_t>(size / 4096), 4096};
            stored.push_back({"layer." + std::to_string(i), shape, std::span<const std::uint16_t>(values)});
            tensors.push_back({stored.back().name, shape, size});
            places["weight_map"][stored.back().name] = file;
        }
        write_safetensors(folder + "/" + file, stored, {});
    }
    write_file(folder + "/model.safetensors.index.json", places.dump());
    return folder;
}

void measure_made(double gigabytes) {
    char folder[] = "/tmp/hone_load_XXXXXX";
    if (!mkdtemp(folder)) std::exit(1);
    std::vector<Named> tensors;
    make_model(folder, gigabytes, tensors);
    report(
        folder, [&] { return std::make_unique<SafeTensorsFolder>(folder); }, tensors);
    std::filesystem::remove_all(folder);
}

void measure_model(const std::string& path) {
    ModelFiles files;
    const double open = hone::bench::seconds_of([&] { files = open_model(path); });
    std::printf("configuration, tokenizer and template: %.3f s\n", open);
    std::vector<Named> tensors;
    for (const NamedTensor& tensor : Parameters(files.config, {.bfloat16 = true}).tensors)
        tensors.push_back({tensor.name, tensor.shape, tensor.size});
    report(
        path, [&] { return open_model(path).weights; }, tensors);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 1 && std::filesystem::exists(argv[1])) measure_model(argv[1]);
    else measure_made(argc > 1 ? std::atof(argv[1]) : 2);
}
