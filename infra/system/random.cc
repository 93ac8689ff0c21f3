#include "infra/system/random.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <sys/random.h>

namespace tilth {
namespace {

void ask_the_system(std::uint8_t* bytes, std::size_t count) {
  while (count > 0) {
    const auto got = getrandom(bytes, count, 0);
    if (got < 0 && errno != EINTR) std::abort();  // a machine without randomness makes no ids
    if (got < 0) continue;
    bytes += got;
    count -= static_cast<std::size_t>(got);
  }
}

// Random bytes that a thread has fetched ahead: every request has an id, and a system call for each
// is expensive. Used bytes are wiped, so that no key can be read here later.
struct Ahead {
  std::array<std::uint8_t, 1'024> bytes;
  std::size_t used = sizeof bytes;
};

}  // namespace

void fill_random(std::uint8_t* bytes, std::size_t count) {
  thread_local Ahead ahead;
  if (count > ahead.bytes.size()) return ask_the_system(bytes, count);
  if (count > ahead.bytes.size() - ahead.used) {
    ask_the_system(ahead.bytes.data(), ahead.bytes.size());
    ahead.used = 0;
  }
  auto* from = ahead.bytes.data() + ahead.used;
  std::memcpy(bytes, from, count);
  explicit_bzero(from, count);
  ahead.used += count;
}

RisingRandom::RisingRandom() {
  std::uint64_t begin = 0;
  fill_random(first_.data(), first_.size());
  fill_random(reinterpret_cast<std::uint8_t*>(&begin), sizeof begin);
  last_ = begin >> 3;  // room to rise
}

void RisingRandom::fill(std::uint8_t* bytes, std::size_t count) {
  constexpr std::size_t kOfUuid = 10;
  constexpr std::uint64_t kRoom = 1 << 24;  // for the ids that one command makes in a row
  if (count != kOfUuid) return fill_random(bytes, count);
  std::uint32_t step = 0;
  fill_random(reinterpret_cast<std::uint8_t*>(&step), sizeof step);
  const auto number = last_.fetch_add(kRoom + step) + kRoom + step;
  bytes = std::copy(first_.begin(), first_.end(), bytes);
  for (int shift = 56; shift >= 0; shift -= 8) {
    *bytes++ = static_cast<std::uint8_t>(number >> shift);
  }
}

}  // namespace tilth
