/* hone/abi.h: the whole boundary between hone and a part, as C headers. hone/part.h has the rules that all share;
 * hone/plugin.hpp is the same boundary for authors who write C++. */
#ifndef HONE_ABI_H
#define HONE_ABI_H
#include "hone/call.h"
#include "hone/checks.h"
#include "hone/ext/device_data.h"
#include "hone/ext/learning.h"
#include "hone/ext/models.h"
#include "hone/ext/prepack.h"
#include "hone/ext/probe.h"
#include "hone/ext/rules.h"
#include "hone/ext/timing.h"
#include "hone/host.h"
#include "hone/part.h"
#include "hone/policy.h"
#include "hone/prompt.h"
#include "hone/reference.h"
#include "hone/shaper.h"
#include "hone/timer.h"
#include "hone/verifier.h"
#endif
