// A call of a device with memory of its own, repeated on the host.
#include "judge/call/staged_call.hpp"
#include <gtest/gtest.h>

namespace hone {
namespace {

// A device whose addresses mean nothing to the host.
struct FarMemory : HostMemory {
    static constexpr std::uint64_t far = 1ull << 62;
    std::uint64_t reserve(std::uint64_t bytes, std::int32_t writable) override {
        return HostMemory::reserve(bytes, writable) + far;
    }
    void release(std::uint64_t at) override { HostMemory::release(at - far); }
    void write(std::uint64_t at, const void* from, std::uint64_t bytes) override {
        HostMemory::write(at - far, from, bytes);
    }
    void read(std::uint64_t at, void* to, std::uint64_t bytes) override { HostMemory::read(at - far, to, bytes); }
};

TEST(StagedCall, ReadsInputsAndWritesOutputsBack) {
    FarMemory memory;
    const std::int64_t shape[] = {2, 3};
    const float given[] = {1, 2, 3, 4, 5, 6};
    const hone_tensor in{memory.reserve(sizeof given, 0), HONE_F32, 2, shape},
        out{memory.reserve(6 * sizeof(double), 1), HONE_F64, 2, shape};
    memory.write(in.at, given, sizeof given);
    hone_call call{};
    call.in = &in, call.out = &out, call.n_in = call.n_out = 1;
    call.scratch = FarMemory::far, call.scratch_bytes = 8;
    StagedCall staged(call, memory);
    ASSERT_EQ(staged.call().n_in, 1u);
    EXPECT_EQ(staged.call().scratch_bytes, 0u) << "an address of the device";
    const hone_tensor &here = staged.call().in[0], &there = staged.call().out[0];
    for (int i = 0; i < 6; ++i) EXPECT_EQ(on_host::at<float>(here.at)[i], given[i]);
    EXPECT_EQ(there.dtype, HONE_F64);
    for (int i = 0; i < 6; ++i) on_host::at<double>(there.at)[i] = 10 * given[i];
    double before[6], after[6];
    memory.set(out.at - FarMemory::far, sizeof before, 0);
    memory.read(out.at, before, sizeof before);
    EXPECT_EQ(before[5], 0) << "nothing is written before it is asked for";
    staged.write_outputs();
    memory.read(out.at, after, sizeof after);
    for (int i = 0; i < 6; ++i) EXPECT_EQ(after[i], 10 * given[i]);
    memory.release(in.at), memory.release(out.at);
}

}  // namespace
}  // namespace hone
