// judge/services.hpp: the bench's services to verifiers (hone_host.build, share, unshare, jail) on top of build.hpp, shared_memory.hpp, jail.hpp.
#pragma once
#include <set>
#include <string>
#include "parts/handle.hpp"

namespace hone {

// Offers the services to every part made afterwards in this process; they live until it ends. without: defences switched off by a test
// (judge/defences.hpp); it may be set again between candidates, while no jail is open.
void offer_bench_services(const std::set<std::string>& without);

}  // namespace hone
