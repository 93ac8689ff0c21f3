#include "tests/simulation/repeatable_random.h"

#include <algorithm>
#include <array>
#include <span>

#include <dlfcn.h>
#include <sys/random.h>

#include "infra/system/random.h"

namespace tilth::testing {
namespace {

thread_local RepeatableRandom* here = nullptr;

// Bytes that the thread has fetched ahead are of the former source.
void drop_fetched() {
  std::array<std::uint8_t, 1'024> bytes;
  fill_random(bytes.data(), bytes.size());
}

}  // namespace

RepeatableRandom::RepeatableRandom(std::uint64_t seed) : chance_(seed) {
  drop_fetched();
  here = this;
}

RepeatableRandom::~RepeatableRandom() {
  here = nullptr;
  drop_fetched();
}

bool RepeatableRandom::is_here() { return here != nullptr; }

void RepeatableRandom::fill(void* bytes, std::size_t count) {
  std::ranges::generate(std::span(static_cast<std::uint8_t*>(bytes), count),
                        [] { return static_cast<std::uint8_t>(here->chance_()); });
}

}  // namespace tilth::testing

// Stands before that of the C library.
extern "C" ssize_t getrandom(void* bytes, std::size_t count, unsigned int flags) {
  using tilth::testing::RepeatableRandom;
  if (RepeatableRandom::is_here()) {
    RepeatableRandom::fill(bytes, count);
    return static_cast<ssize_t>(count);
  }
  static const auto kNext = reinterpret_cast<decltype(&getrandom)>(::dlsym(RTLD_NEXT, "getrandom"));
  return kNext(bytes, count, flags);
}
