// base/host.hpp: the machine that a result was made on.
#pragma once
#include "base/json.hpp"

namespace hone {

std::string cpu_model();  // "Intel(R) Xeon(R) ..."; empty where the kernel does not say
// {system, release (of the kernel), machine, node, cores, cpu, built_with (the compiler of this program)}
Json describe_host();

}  // namespace hone
