#include "driver.hpp"
#include <dlfcn.h>
#include <unistd.h>

namespace hone::cuda {
namespace {

constexpr const char* own_kernels = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry empty() { ret; }
.visible .entry pause() {
    .reg .u64 %begun, %now;
    .reg .pred %early;
    mov.u64 %begun, %globaltimer;
    add.u64 %begun, %begun, 20000;
again:
    mov.u64 %now, %globaltimer;
    setp.lt.u64 %early, %now, %begun;
    @%early bra again;
    ret;
}
)";
static_assert(HONE_NULL_CALL_SECONDS == 20000e-9, "pause() waits for so many nanoseconds");

Function load_own(const Driver& driver, const char* name) {
    Module module = nullptr;
    Function function = nullptr;
    driver.check(driver.load_module(&module, own_kernels), "cuModuleLoadData (kernels without work, as PTX)");
    driver.check(driver.function(&function, module, name), "cuModuleGetFunction");
    return function;
}

Driver open_driver() {
    void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) throw Error(-1, std::string("there is no CUDA driver (") + dlerror() + ")");
    Driver driver{};
#define HONE_CUDA_LOAD(name, symbol, ...)                                          \
    driver.name = reinterpret_cast<decltype(driver.name)>(dlsym(library, symbol)); \
    if (!driver.name) throw Error(-1, "the CUDA driver is too old: it has no " symbol);
    HONE_CUDA_FUNCTIONS(HONE_CUDA_LOAD)
#undef HONE_CUDA_LOAD
    driver.check(driver.init(0), "cuInit");
    return driver;
}

Address map_memory(const Driver& driver, Device device, Memory memory, std::size_t bytes, bool writable) {
    Address at = 0;
    driver.check(driver.reserve_addresses(&at, bytes, 0, 0, 0), "cuMemAddressReserve");
    driver.check(driver.map(at, bytes, 0, memory, 0), "cuMemMap");
    const AccessDescription access{{1, device}, writable ? access_read_write : access_read};
    driver.check(driver.set_access(at, bytes, &access, 1), "cuMemSetAccess");
    return at;
}

}  // namespace

const Driver& Driver::get() {
    static const Driver driver = open_driver();
    return driver;
}

std::string Driver::name(Result result) const {
    const char* text = nullptr;
    error_name(result, &text);
    return text ? text : "CUDA error " + std::to_string(result);
}

void Driver::check(Result result, const char* call) const {
    if (result != 0) throw Error(result, std::string(call) + ": " + name(result));
}

Mapped create_shared(const Driver& driver, Device device, std::size_t bytes, bool exported) {
    AllocationProperties properties;
    properties.location.id = device;
    std::size_t granule = 0;
    driver.check(driver.granularity(&granule, &properties, 0), "cuMemGetAllocationGranularity");
    Mapped made;
    made.bytes = (bytes + granule - 1) / granule * granule;
    driver.check(driver.create_memory(&made.memory, made.bytes, &properties, 0), "cuMemCreate");
    made.at = map_memory(driver, device, made.memory, made.bytes, true);
    if (exported)
        driver.check(driver.export_memory(&made.file, made.memory, handle_is_file, 0), "cuMemExportToShareableHandle");
    return made;
}

Address map_file(const Driver& driver, Device device, int file, std::size_t bytes, bool writable) {
    Memory memory = 0;
    driver.check(
        driver.import_memory(&memory, reinterpret_cast<void*>(static_cast<std::uintptr_t>(file)), handle_is_file),
        "cuMemImportFromShareableHandle");
    return map_memory(driver, device, memory, bytes, writable);
}

void destroy(const Driver& driver, Mapped& mapped) {
    driver.unmap(mapped.at, mapped.bytes);
    driver.free_addresses(mapped.at, mapped.bytes);
    driver.release_memory(mapped.memory);
    if (mapped.file >= 0) close(mapped.file);
    mapped = {};
}

Function load_empty(const Driver& driver) { return load_own(driver, "empty"); }
Function load_pause(const Driver& driver) { return load_own(driver, "pause"); }

}  // namespace hone::cuda
