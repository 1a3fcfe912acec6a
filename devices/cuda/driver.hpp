// The CUDA driver, opened at run time: this tree builds without the toolkit and its programs start without a GPU. The
// declarations repeat what NVIDIA's documentation of the driver API fixes for good;
// tests/unit/plugins/cuda_declarations_test.cpp compares them with <cuda.h> where there is one.
#pragma once
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include "hone/abi.h"

namespace hone::cuda {

// seconds that a kernel is believed to have before other contexts have a turn; seen: 2.1 ms and more
constexpr double shortest_slice = 1.8e-3;

using Result = int;  // 0: success
using Device = int;
using Address = std::uint64_t;
using Context = struct ContextObject*;
using Stream = struct StreamObject*;  // null: the context's default queue
using Event = struct EventObject*;
using Module = struct ModuleObject*;
using Function = struct FunctionObject*;
using Memory = std::uint64_t;  // CUmemGenericAllocationHandle
using Graph = struct GraphObject*;
using GraphRun = struct GraphRunObject*;  // CUgraphExec

constexpr int handle_is_file = 1, access_read = 1, access_read_write = 3, schedule_spin = 1, out_of_memory = 2;
namespace attribute {
constexpr int kilohertz = 13, multiprocessors = 16, memory_kilohertz = 36, memory_bus_bits = 37, l2_bytes = 38,
              major = 75, minor = 76, block_shared_bytes = 97;
// of functions
constexpr int threads = 0, shared_bytes = 1, local_bytes = 3, registers = 4, most_dynamic_shared_bytes = 8,
              wide_cluster = 14;
}  // namespace attribute

struct Location {
    int type = 1, id = 0;
};                             // 1: device memory
struct AllocationProperties {  // CUmemAllocationProp
    int type = 1;              // pinned in place
    int handle_types = handle_is_file;
    Location location;
    void* windows = nullptr;
    unsigned char compression = 0, rdma = 0;
    unsigned short usage = 0;
    unsigned char reserved[4] = {};
};
struct AccessDescription {
    Location location;
    int flags = 0;
};  // CUmemAccessDesc

enum LaunchAttributeId { cooperative_launch = 2, cluster_size = 4, dependent_launch = 6 };
struct LaunchAttribute {  // CUlaunchAttribute
    int id = 0;
    char unused[4] = {};
    union {
        char room[64];
        struct {
            unsigned x, y, z;
        } cluster;
        int on;
    } value = {};
};
struct LaunchConfig {  // CUlaunchConfig
    unsigned grid[3] = {1, 1, 1}, block[3] = {1, 1, 1}, shared = 0;
    Stream stream = nullptr;
    LaunchAttribute* attributes = nullptr;
    unsigned n_attributes = 0;
};
constexpr int stream_without_default = 1, capture_this_thread = 1,
              capture_relaxed = 2;  // an allocation within does not spoil it
struct UpdateResult {
    int result = 0;
    void *node = nullptr, *from = nullptr;
};  // CUgraphExecUpdateResultInfo
constexpr std::size_t tensor_map_bytes = 128, tensor_map_alignment = 128;

struct Error : std::runtime_error {
    Error(Result result, const std::string& text) : std::runtime_error(text), code(result) {}
    Result code;
};

// name in this tree, symbol of the driver, parameters
#define HONE_CUDA_FUNCTIONS(F)                                                                                   \
    F(init, "cuInit", unsigned flags)                                                                            \
    F(driver_version, "cuDriverGetVersion", int*)                                                                \
    F(error_name, "cuGetErrorName", Result, const char**)                                                        \
    F(device, "cuDeviceGet", Device*, int index)                                                                 \
    F(device_name, "cuDeviceGetName", char*, int room, Device)                                                   \
    F(device_attribute, "cuDeviceGetAttribute", int*, int attribute, Device)                                     \
    F(device_place, "cuDeviceGetPCIBusId", char*, int room, Device)                                              \
    F(device_memory, "cuDeviceTotalMem_v2", std::size_t*, Device)                                                \
    F(memory_info, "cuMemGetInfo_v2", std::size_t* free, std::size_t* total)                                     \
    F(make_context, "cuCtxCreate_v2", Context*, unsigned flags, Device)                                          \
    F(set_context, "cuCtxSetCurrent", Context)                                                                   \
    F(primary_context, "cuDevicePrimaryCtxRetain", Context*, Device)                                             \
    F(push_context, "cuCtxPushCurrent_v2", Context)                                                              \
    F(pop_context, "cuCtxPopCurrent_v2", Context*)                                                               \
    F(make_stream, "cuStreamCreate", Stream*, unsigned flags)                                                    \
    F(synchronize, "cuStreamSynchronize", Stream)                                                                \
    F(finish, "cuCtxSynchronize", void)                                                                          \
    F(make_event, "cuEventCreate", Event*, unsigned flags)                                                       \
    F(destroy_event, "cuEventDestroy_v2", Event)                                                                 \
    F(record, "cuEventRecord", Event, Stream)                                                                    \
    F(elapsed, "cuEventElapsedTime", float* milliseconds, Event, Event)                                          \
    F(load_module, "cuModuleLoadData", Module*, const void* image)                                               \
    F(function, "cuModuleGetFunction", Function*, Module, const char* name)                                      \
    F(function_attribute, "cuFuncGetAttribute", int*, int attribute, Function)                                   \
    F(launch, "cuLaunchKernel", Function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,       \
      unsigned bz, unsigned shared, Stream, void** arguments, void** extra)                                      \
    F(launch_with, "cuLaunchKernelEx", const LaunchConfig*, Function, void** arguments, void** extra)            \
    F(set_function_attribute, "cuFuncSetAttribute", Function, int attribute, int value)                          \
    F(blocks_at_once, "cuOccupancyMaxActiveBlocksPerMultiprocessor", int*, Function, int threads,                \
      std::size_t dynamic_shared)                                                                                \
    F(encode_map, "cuTensorMapEncodeTiled", void* map, int type, std::uint32_t rank, void* at,                   \
      const std::uint64_t* shape, const std::uint64_t* strides, const std::uint32_t* box,                        \
      const std::uint32_t* element_strides, int interleave, int swizzle, int l2, int fill)                       \
    F(begin_capture, "cuStreamBeginCapture_v2", Stream, int mode)                                                \
    F(end_capture, "cuStreamEndCapture", Stream, Graph*)                                                         \
    F(make_runnable, "cuGraphInstantiateWithFlags", GraphRun*, Graph, unsigned long long flags)                  \
    F(update_graph, "cuGraphExecUpdate_v2", GraphRun, Graph, UpdateResult*)                                      \
    F(upload_graph, "cuGraphUpload", GraphRun, Stream)                                                           \
    F(launch_graph, "cuGraphLaunch", GraphRun, Stream)                                                           \
    F(destroy_graph, "cuGraphDestroy", Graph)                                                                    \
    F(destroy_runnable, "cuGraphExecDestroy", GraphRun)                                                          \
    F(allocate, "cuMemAlloc_v2", Address*, std::size_t)                                                          \
    F(free, "cuMemFree_v2", Address)                                                                             \
    F(to_device, "cuMemcpyHtoD_v2", Address, const void*, std::size_t)                                           \
    F(to_host, "cuMemcpyDtoH_v2", void*, Address, std::size_t)                                                   \
    F(copy, "cuMemcpyDtoDAsync_v2", Address to, Address from, std::size_t, Stream)                               \
    F(set_words, "cuMemsetD32Async", Address, unsigned word, std::size_t words, Stream)                          \
    F(granularity, "cuMemGetAllocationGranularity", std::size_t*, const AllocationProperties*, int option)       \
    F(create_memory, "cuMemCreate", Memory*, std::size_t, const AllocationProperties*, unsigned long long flags) \
    F(release_memory, "cuMemRelease", Memory)                                                                    \
    F(reserve_addresses, "cuMemAddressReserve", Address*, std::size_t, std::size_t alignment, Address wanted,    \
      unsigned long long flags)                                                                                  \
    F(free_addresses, "cuMemAddressFree", Address, std::size_t)                                                  \
    F(map, "cuMemMap", Address, std::size_t, std::size_t offset, Memory, unsigned long long flags)               \
    F(unmap, "cuMemUnmap", Address, std::size_t)                                                                 \
    F(set_access, "cuMemSetAccess", Address, std::size_t, const AccessDescription*, std::size_t n)               \
    F(export_memory, "cuMemExportToShareableHandle", void* handle, Memory, int type, unsigned long long flags)   \
    F(import_memory, "cuMemImportFromShareableHandle", Memory*, void* handle, int type)

// The driver's functions. Those that return to a caller who cannot go on are called through check().
struct Driver {
#define HONE_CUDA_POINTER(name, symbol, ...) Result (*name)(__VA_ARGS__);
    HONE_CUDA_FUNCTIONS(HONE_CUDA_POINTER)
#undef HONE_CUDA_POINTER

    // Opens libcuda.so.1 and initialises it, once a process. Throws Error saying what is missing.
    static const Driver& get();
    // Throws Error "call: CUDA_ERROR_NAME" unless the result is success.
    void check(Result, const char* call) const;
    std::string name(Result) const;
};

// Memory of a device behind a descriptor that other processes can map.
struct Mapped {
    Address at = 0;
    std::size_t bytes = 0;  // whole granules
    Memory memory = 0;
    int file = -1;  // owned; -1 if nobody else may have it
};
Mapped create_shared(const Driver&, Device, std::size_t bytes, bool exported);
// Maps a descriptor's memory for reading, or for reading and writing.
Address map_file(const Driver&, Device, int file, std::size_t bytes, bool writable);
void destroy(const Driver&, Mapped&);

// Kernels without work (PTX, compiled by the driver): one that ends at once, and one that ends after
// HONE_NULL_CALL_SECONDS of the device's clock.
Function load_empty(const Driver&);
Function load_pause(const Driver&);

}  // namespace hone::cuda
