#include "infra/metrics/heap.h"

#include <cstddef>
#include <cstdint>
#include <optional>

// The program may be linked without jemalloc, then there is no such function.
extern "C" int mallctl(const char* name, void* old, std::size_t* old_size, void* value,
                       std::size_t value_size) __attribute__((weak));

namespace tilth {
namespace {

std::optional<double> counted(const char* name) {
  std::size_t bytes = 0, size = sizeof bytes;
  if (::mallctl(name, &bytes, &size, nullptr, 0) != 0) return std::nullopt;
  return static_cast<double>(bytes);
}

}  // namespace

void tell_heap(Samples& to) {
  if (::mallctl == nullptr) return;
  std::uint64_t epoch = 1;  // counts are as of the last time that this was set
  ::mallctl("epoch", nullptr, nullptr, &epoch, sizeof epoch);
  if (const auto bytes = counted("stats.allocated")) {
    to.gauge("tilth_heap_allocated_bytes", "Memory that the program has allocated.", {}, *bytes);
  }
  if (const auto bytes = counted("stats.resident")) {
    to.gauge("tilth_heap_resident_bytes",
             "Memory that the allocator holds for the program, with what it has free.", {}, *bytes);
  }
}

}  // namespace tilth
