// hone/shared_memory.hpp: memory of a bench that jails see too, by the host's service `share` (hone/host.h). Benches
// only.
#pragma once
#include <algorithm>
#include <utility>
#include <vector>
#include "hone/memory.hpp"
#include "hone/plugin.hpp"

namespace hone {

// One piece, given back at the end. Throws what Host::check does.
class SharedMemory {
public:
    SharedMemory(const Host& host, uint64_t bytes, bool writable) : host_(host.raw()) {
        host.check(host_->share(host_->ctx, std::max<uint64_t>(bytes, 1), writable, &region_), "no memory to share");
    }
    SharedMemory(SharedMemory&& other) noexcept : host_(other.host_), region_(std::exchange(other.region_, {})) {}
    SharedMemory& operator=(SharedMemory&& other) noexcept {
        std::swap(host_, other.host_);
        std::swap(region_, other.region_);
        return *this;
    }
    ~SharedMemory() {
        if (region_.at) host_->unshare(host_->ctx, &region_);
    }
    const hone_region& region() const { return region_; }
    uint64_t at() const { return reinterpret_cast<uint64_t>(region_.at); }

private:
    const hone_host* host_;
    hone_region region_{};
};

// The memory of a verifier whose candidates are processes of this machine: what they may see is shared with their
// jails. Base: HostVerifierPart, or a class derived from it.
template <class Base> class OnSharedHost : public Base {
public:
    explicit OnSharedHost(Host host) : host_(host) {}
    uint64_t reserve(uint64_t bytes, int32_t writable) override {
        if (writable == 2) return Base::reserve(bytes, writable);
        return shared_.emplace_back(host_, bytes, writable != 0).at();
    }
    void release(uint64_t at) override {
        const auto found = std::find_if(shared_.begin(), shared_.end(),
                                        [at](const SharedMemory& memory) { return memory.at() == at; });
        if (found == shared_.end()) return Base::release(at);
        shared_.erase(found);
    }

protected:
    const Host& host() const { return host_; }
    // Each with the address in this process at which tensors of it begin.
    std::vector<hone_region> shared() const {
        std::vector<hone_region> regions;
        for (const SharedMemory& memory : shared_) regions.push_back(memory.region());
        return regions;
    }

private:
    Host host_;
    std::vector<SharedMemory> shared_;
};

}  // namespace hone
