// How much memory the program's allocator has handed out.

#pragma once

#include "infra/metrics/metrics.h"

namespace tilth {

// Reports it as jemalloc counts it, or as glibc does of a program that runs without jemalloc, as
// one with sanitizers. Threads: any.
void report_heap(Samples& to);

}  // namespace tilth
