// How much memory the program's allocator has handed out.

#pragma once

#include "infra/metrics/metrics.h"

namespace tilth {

// Reports it as jemalloc counts it, or nothing of a program that runs without jemalloc. Threads:
// any.
void tell_heap(Samples& to);

}  // namespace tilth
