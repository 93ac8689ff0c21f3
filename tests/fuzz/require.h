// What a fuzzer finds is a call of require() that fails.

#pragma once

#include <cstdlib>

namespace tilth::fuzz {

inline void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace tilth::fuzz
