// Host memory that is shared with a jail, given back at the end.
#pragma once
#include <algorithm>
#include "hone/plugin.hpp"

namespace hone::cuda {

struct Region {
    Region(const Host& from, std::uint64_t bytes, bool writable) : host(from.raw()) {
        from.check(host->share(host->ctx, std::max<std::uint64_t>(bytes, 1), writable, &region),
                   "verifier.cuda: no shared memory");
    }
    ~Region() { host->unshare(host->ctx, &region); }
    Region(const Region&) = delete;
    const hone_host* host;
    hone_region region{};
};

}  // namespace hone::cuda
