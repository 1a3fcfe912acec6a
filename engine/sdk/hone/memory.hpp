// hone/memory.hpp: the memory of a device, in which inputs, answers and truths lie and are compared. A verifier is one.
// The judge knows nothing of a tensor but what these functions tell, so calls on hosts and on devices take one path.
#pragma once
#include <cstdint>
#include <new>
#include "hone/abi.h"
#include "hone/checks.h"
#include "hone/checks_on_host.hpp"

namespace hone {

class Memory {
public:
    virtual ~Memory() = default;

    // Memory of a call. writable 0: the candidate may only read there; 1: it may write; 2: never mapped for it.
    virtual uint64_t reserve(uint64_t bytes, int32_t writable) = 0;
    virtual void release(uint64_t at) = 0;
    virtual void write(uint64_t at, const void* from, uint64_t bytes) = 0;
    virtual void read(uint64_t at, void* to, uint64_t bytes) = 0;  // waits for what was queued

    // Repeats a word over memory; at and bytes are multiples of 4.
    virtual void set(uint64_t at, uint64_t bytes, uint32_t word) { (void)at, (void)bytes, (void)word; }
    // Element i becomes hone_input(key, number, i, n, {law, scale, shift}, half) of hone/inputs.h, or hone_input_f64,
    // bit for bit.
    virtual void fill(const hone_tensor& tensor, uint64_t key, uint32_t number, int32_t law, float scale, float shift) {
        (void)tensor, (void)key, (void)number, (void)law, (void)scale, (void)shift;
    }
    // Reads n elements at these positions.
    virtual void gather(const hone_tensor& tensor, const int64_t* index, uint32_t n, double* to) {
        (void)tensor, (void)index, (void)n, (void)to;
    }

    // hone_checks of hone/checks.h, which has their contract.
    virtual void copy(uint64_t to, uint64_t from, uint64_t bytes) = 0;
    virtual void differ(uint64_t a, uint64_t b, uint64_t bytes, uint64_t count) = 0;
    virtual void strays(uint64_t at, uint64_t bytes, uint32_t word, uint64_t count) = 0;
    virtual void widen(const hone_tensor& from, uint64_t to) = 0;
    virtual void moments(const hone_tensor& answer, uint64_t truth, uint64_t moments) = 0;
    virtual void local_scale(uint64_t truth, uint64_t n, uint64_t row, double usual, double roundoff,
                             uint64_t local_scale) = 0;
    virtual void compare(const hone_tensor& got, const hone_comparison& with, uint64_t errors) = 0;
};

// All of it where the device shares this process's memory. Base: Memory, or a class derived from it.
template <class Base> class OnHost : public Base {
public:
    uint64_t reserve(uint64_t bytes, int32_t) override {
        // not by an aligned allocation: glibc seldom finds room for one in what another one gave back, and sets of
        // inputs come and go
        char* const block = static_cast<char*>(::operator new(bytes + alignment));
        const uint64_t at = reinterpret_cast<uint64_t>(block) / alignment * alignment + alignment;
        on_host::at<char>(at)[-1] = static_cast<char>(on_host::at<char>(at) - block);
        return at;
    }
    void release(uint64_t at) override { ::operator delete(on_host::at<char>(at) - on_host::at<char>(at)[-1]); }
    void write(uint64_t at, const void* from, uint64_t bytes) override {
        std::memcpy(on_host::at<void>(at), from, bytes);
    }
    void read(uint64_t at, void* to, uint64_t bytes) override { std::memcpy(to, on_host::at<void>(at), bytes); }
    void set(uint64_t at, uint64_t bytes, uint32_t word) override {
        std::fill_n(on_host::at<uint32_t>(at), bytes / sizeof word, word);
    }
    void fill(const hone_tensor& to, uint64_t key, uint32_t number, int32_t law, float scale, float shift) override {
        on_host::fill(to, key, number, {law, scale, shift});
    }
    void gather(const hone_tensor& from, const int64_t* index, uint32_t n, double* to) override {
        on_host::gather(from, index, n, to);
    }
    void copy(uint64_t to, uint64_t from, uint64_t bytes) override {
        std::memcpy(on_host::at<void>(to), on_host::at<void>(from), bytes);
    }
    void differ(uint64_t a, uint64_t b, uint64_t bytes, uint64_t count) override {
        *on_host::at<uint64_t>(count) += on_host::differing(on_host::at<void>(a), on_host::at<void>(b), bytes);
    }
    void strays(uint64_t at, uint64_t bytes, uint32_t word, uint64_t count) override {
        *on_host::at<uint64_t>(count) += on_host::strays(on_host::at<uint32_t>(at), bytes / sizeof word, word);
    }
    void widen(const hone_tensor& from, uint64_t to) override { on_host::widen(from, on_host::at<double>(to)); }
    void moments(const hone_tensor& answer, uint64_t truth, uint64_t moments) override {
        *on_host::at<hone_moments>(moments) = on_host::moments(answer, on_host::at<double>(truth));
    }
    void local_scale(uint64_t truth, uint64_t n, uint64_t row, double usual, double roundoff,
                     uint64_t local_scale) override {
        on_host::local_scale(on_host::at<double>(truth), n, row, usual, roundoff, on_host::at<double>(local_scale));
    }
    void compare(const hone_tensor& got, const hone_comparison& with, uint64_t errors) override {
        *on_host::at<hone_errors>(errors) = on_host::compare(got, with);
    }

private:
    static constexpr uint64_t alignment = 64;
};

using HostMemory = OnHost<Memory>;

}  // namespace hone
