// Randomness for ids, tokens and keys, from the operating system.

#pragma once

#include <cstddef>
#include <cstdint>

namespace tilth {

// Fills `bytes` with `count` unpredictable bytes. Threads: any.
void fill_random(std::uint8_t* bytes, std::size_t count);

}  // namespace tilth
