#include "infra/metrics/heap.h"

#include <cstddef>
#include <cstdint>
#include <optional>

#include <malloc.h>

// The program may be linked without jemalloc, then there is no such function.
extern "C" int mallctl(const char* name, void* old, std::size_t* old_size, void* value,
                       std::size_t value_size) __attribute__((weak));

namespace tilth {
namespace {

struct Heap {
  std::optional<std::size_t> allocated, resident;
};

std::optional<std::size_t> counted(const char* name) {
  std::size_t bytes = 0, size = sizeof bytes;
  if (::mallctl(name, &bytes, &size, nullptr, 0) != 0) return std::nullopt;
  return bytes;
}

Heap of_jemalloc() {
  std::uint64_t epoch = 1;  // counts are as of the last time that this was set
  ::mallctl("epoch", nullptr, nullptr, &epoch, sizeof epoch);
  return {counted("stats.allocated"), counted("stats.resident")};
}

Heap of_glibc() {
  const auto counts = ::mallinfo2();
  return {counts.uordblks + counts.hblkhd, counts.arena + counts.hblkhd};
}

}  // namespace

void report_heap(Samples& to) {
  const auto heap = ::mallctl == nullptr ? of_glibc() : of_jemalloc();
  if (heap.allocated) {
    to.gauge("tilth_heap_allocated_bytes", "Memory that the program has allocated.", {},
             static_cast<double>(*heap.allocated));
  }
  if (heap.resident) {
    to.gauge("tilth_heap_resident_bytes",
             "Memory that the allocator holds for the program, with what it has free.", {},
             static_cast<double>(*heap.resident));
  }
}

}  // namespace tilth
