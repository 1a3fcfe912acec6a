// The bench's side of the device: a context of its own, the judge's memory in it, and the kernels with which it makes
// inputs and looks at answers (hone/inputs.h, hone/checks.h). Candidates never run here. One thread; calls make the
// context current, since libraries that use the CUDA runtime change it as they please.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include "cuda/bench/bench.hpp"
#include "cuda/compile/toolchain.hpp"
#include "hone/plugin.hpp"

namespace hone::cuda {

class Workbench : public VerifierPart {
public:
    explicit Workbench(int device_index) : index_(device_index) {}
    // Private memory (writable 2) that was released is kept for the next of its size: the driver takes milliseconds to
    // make and clear some, and disturbs whoever times meanwhile.
    std::uint64_t reserve(std::uint64_t bytes, std::int32_t writable) override;
    void release(std::uint64_t at) override;
    void write(std::uint64_t at, const void* from, std::uint64_t bytes) override;
    void read(std::uint64_t at, void* to, std::uint64_t bytes) override;
    void set(std::uint64_t at, std::uint64_t bytes, std::uint32_t word) override;
    void fill(const hone_tensor&, std::uint64_t key, std::uint32_t number, std::int32_t law, float scale,
              float shift) override;
    void gather(const hone_tensor&, const std::int64_t* index, std::uint32_t n, double* to) override;

    void copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) override;
    void differ(std::uint64_t a, std::uint64_t b, std::uint64_t bytes, std::uint64_t count) override;
    void strays(std::uint64_t at, std::uint64_t bytes, std::uint32_t word, std::uint64_t count) override;
    void widen(const hone_tensor& from, std::uint64_t to) override;
    void moments(const hone_tensor& answer, std::uint64_t truth, std::uint64_t moments) override;
    void local_scale(std::uint64_t truth, std::uint64_t n, std::uint64_t row, double usual, double roundoff,
                     std::uint64_t local_scale) override;
    void compare(const hone_tensor& got, const hone_comparison& with, std::uint64_t errors) override;

protected:
    // A context apart from torch's: the reference is then as far from the clock as a candidate is, one switch of
    // contexts away. Throws Error where there is no device; nothing is then open.
    void open_context();
    void load_kernels(const Host&, Toolchain&);
    Bench here() { return {driver_, device_, context_, empty_, &*nvml_}; }
    bool is_open() const { return driver_ != nullptr; }
    void enter() const;
    void tell_device(Out) const;
    void tell_arithmetic(int processors, Out) const;
    std::string native_arch() const;  // such as "sm_90a"

    int index_;
    const Driver* driver_ = nullptr;
    Device device_ = 0;
    Context context_ = nullptr;
    Function empty_ = nullptr;  // a kernel that does nothing
    std::vector<Reserved> reserved_;
    std::optional<Nvml> nvml_;

private:
    std::string no_room(const std::string& error, std::uint64_t bytes) const;
    bool reuse(std::uint64_t bytes);  // true: as the last of reserved_
    void keep(const Reserved&);
    void drop_oldest();
    // Launches with about one thread an item, and at most as many blocks as partial results have room.
    template <class... Arguments> void run(Function, std::uint64_t items, Arguments... arguments);
    Address scratch(std::size_t bytes);  // of the bench's own kernels, until the next call
    Function fill_ = nullptr, gather_ = nullptr, differ_ = nullptr, strays_ = nullptr, widen_ = nullptr,
             moments_ = nullptr, scale_of_neighbours_ = nullptr, scale_of_rows_ = nullptr, compare_ = nullptr;
    std::vector<Reserved> kept_;  // released, oldest first
    Address scratch_at_ = 0;
    std::size_t scratch_bytes_ = 0;
};

}  // namespace hone::cuda
