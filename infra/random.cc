#include "infra/random.h"

#include <cerrno>
#include <cstdlib>

#include <sys/random.h>

namespace tilth {

void fill_random(std::uint8_t* bytes, std::size_t count) {
  while (count > 0) {
    const auto got = getrandom(bytes, count, 0);
    if (got < 0 && errno != EINTR) std::abort();  // a machine without randomness makes no ids
    if (got < 0) continue;
    bytes += got;
    count -= static_cast<std::size_t>(got);
  }
}

}  // namespace tilth
