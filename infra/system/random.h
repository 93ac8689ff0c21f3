// Randomness for ids, tokens and keys, from the operating system.

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tilth {

// Fills `bytes` with `count` unpredictable bytes. Threads: any.
void fill_random(std::uint8_t* bytes, std::size_t count);

// The same, but what IdSource asks for to make a UUID rises by a random step each time. So of what
// one node makes within a millisecond the later sorts later (RFC 9562, 6.2, "monotonic random").
// Threads: any.
class RisingRandom {
 public:
  RisingRandom();
  void fill(std::uint8_t* bytes, std::size_t count);

 private:
  std::array<std::uint8_t, 2> first_;
  std::atomic<std::uint64_t> last_;  // of its low 62 bits, which a UUID shows
};

}  // namespace tilth
