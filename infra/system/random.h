// Randomness for ids, tokens and keys, from the operating system.

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tilth {

// Fills `bytes` with `count` unpredictable bytes. Threads: any.
void fill_random(std::uint8_t* bytes, std::size_t count);

// The same, except that the bytes that IdSource requests for a UUID increase by a random step each
// time. So the UUIDs that one node makes within a millisecond sort in order (RFC 9562, 6.2,
// "monotonic random"). Threads: any.
class RisingRandom {
 public:
  RisingRandom();
  void fill(std::uint8_t* bytes, std::size_t count);

 private:
  std::array<std::uint8_t, 2> first_;
  std::atomic<std::uint64_t> last_;  // a UUID has its low 62 bits
};

}  // namespace tilth
