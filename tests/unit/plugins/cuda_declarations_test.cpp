// devices/cuda/driver.hpp repeats declarations of the CUDA driver: compared with the toolkit's header where there is
// one.
#if __has_include(<cuda.h>)
#include <cuda.h>
#include <gtest/gtest.h>
#include <cstddef>
#include "cuda/driver.hpp"

namespace {

namespace own = hone::cuda;

static_assert(sizeof(own::AllocationProperties) == sizeof(CUmemAllocationProp));
static_assert(offsetof(own::AllocationProperties, handle_types) == offsetof(CUmemAllocationProp, requestedHandleTypes));
static_assert(offsetof(own::AllocationProperties, location) == offsetof(CUmemAllocationProp, location));
static_assert(offsetof(own::AllocationProperties, windows) == offsetof(CUmemAllocationProp, win32HandleMetaData));
static_assert(offsetof(own::AllocationProperties, compression) == offsetof(CUmemAllocationProp, allocFlags));
static_assert(sizeof(own::AccessDescription) == sizeof(CUmemAccessDesc) &&
              offsetof(own::AccessDescription, flags) == offsetof(CUmemAccessDesc, flags));
static_assert(sizeof(own::Memory) == sizeof(CUmemGenericAllocationHandle) &&
              sizeof(own::Address) == sizeof(CUdeviceptr));
static_assert(sizeof(own::LaunchConfig) == sizeof(CUlaunchConfig) &&
              offsetof(own::LaunchConfig, shared) == offsetof(CUlaunchConfig, sharedMemBytes));
static_assert(offsetof(own::LaunchConfig, stream) == offsetof(CUlaunchConfig, hStream));
static_assert(offsetof(own::LaunchConfig, attributes) == offsetof(CUlaunchConfig, attrs));
static_assert(offsetof(own::LaunchConfig, n_attributes) == offsetof(CUlaunchConfig, numAttrs));
static_assert(sizeof(own::LaunchAttribute) == sizeof(CUlaunchAttribute) &&
              offsetof(own::LaunchAttribute, value) == offsetof(CUlaunchAttribute, value));
static_assert(sizeof(own::UpdateResult) == sizeof(CUgraphExecUpdateResultInfo));
static_assert(own::tensor_map_bytes == sizeof(CUtensorMap) && own::tensor_map_alignment == alignof(CUtensorMap));
static_assert(sizeof(own::Context) == sizeof(CUcontext) && sizeof(own::Stream) == sizeof(CUstream));

TEST(CudaDeclarations, ConstantsAreThoseOfTheToolkit) {
    EXPECT_EQ(own::out_of_memory, CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_EQ(own::handle_is_file, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    EXPECT_EQ(own::access_read, CU_MEM_ACCESS_FLAGS_PROT_READ);
    EXPECT_EQ(own::access_read_write, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    EXPECT_EQ(own::schedule_spin, CU_CTX_SCHED_SPIN);
    EXPECT_EQ(own::AllocationProperties{}.type, CU_MEM_ALLOCATION_TYPE_PINNED);
    EXPECT_EQ(own::Location{}.type, CU_MEM_LOCATION_TYPE_DEVICE);
    EXPECT_EQ(own::cooperative_launch, CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
    EXPECT_EQ(own::cluster_size, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
    EXPECT_EQ(own::dependent_launch, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
    EXPECT_EQ(own::stream_without_default, CU_STREAM_NON_BLOCKING);
    EXPECT_EQ(own::capture_this_thread, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    EXPECT_EQ(own::capture_relaxed, CU_STREAM_CAPTURE_MODE_RELAXED);
    EXPECT_EQ(own::attribute::l2_bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
    EXPECT_EQ(own::attribute::block_shared_bytes, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    EXPECT_EQ(own::attribute::most_dynamic_shared_bytes, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
    EXPECT_EQ(own::attribute::wide_cluster, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
    EXPECT_EQ(own::attribute::multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    EXPECT_EQ(own::attribute::memory_kilohertz, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
    EXPECT_EQ(own::attribute::memory_bus_bits, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
    EXPECT_EQ(own::attribute::major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    EXPECT_EQ(own::attribute::minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    EXPECT_EQ(own::attribute::shared_bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
    EXPECT_EQ(own::attribute::local_bytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
    EXPECT_EQ(own::attribute::registers, CU_FUNC_ATTRIBUTE_NUM_REGS);
    EXPECT_EQ(own::attribute::threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
}

}  // namespace
#endif

#if __has_include(<cuda.h>) && __has_include(<cupti.h>)
#include <cupti.h>
#include "verifier_cuda/runner/records.hpp"

static_assert(hone::cuda::cupti_copy == CUPTI_ACTIVITY_KIND_MEMCPY &&
              hone::cuda::cupti_set == CUPTI_ACTIVITY_KIND_MEMSET &&
              hone::cuda::cupti_kernel == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
#define HONE_SAME_PLACES(theirs)                                                         \
    static_assert(offsetof(hone::cuda::CuptiRecord, start) == offsetof(theirs, start) && \
                  offsetof(hone::cuda::CuptiRecord, end) == offsetof(theirs, end))
HONE_SAME_PLACES(CUpti_ActivityKernel10);
HONE_SAME_PLACES(CUpti_ActivityMemcpy6);
HONE_SAME_PLACES(CUpti_ActivityMemset4);
#endif
