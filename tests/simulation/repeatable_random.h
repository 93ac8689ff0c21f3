// Random bytes of the operating system that a seed repeats: what is sealed decides how large files
// are, and with that the course of a world.

#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

namespace tilth::testing {

// Operation: while it lives, getrandom() on the thread that made it takes bytes from the seed. One
// at a time on a thread.
class RepeatableRandom {
 public:
  explicit RepeatableRandom(std::uint64_t seed);
  RepeatableRandom(const RepeatableRandom&) = delete;
  RepeatableRandom& operator=(const RepeatableRandom&) = delete;
  ~RepeatableRandom();

  // Of the calls: whether this thread has one, and if so, its bytes.
  static bool is_here();
  static void fill(void* bytes, std::size_t count);

 private:
  std::mt19937_64 chance_;
};

}  // namespace tilth::testing
