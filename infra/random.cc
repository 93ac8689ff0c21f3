#include "infra/random.h"

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

// Bytes that a thread has asked for ahead: every request has an id, and a system call for each is
// dear. What was given out is wiped, so that no key can be read here later.
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

}  // namespace tilth
