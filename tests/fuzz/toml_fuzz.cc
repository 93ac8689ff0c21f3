// A configuration file is read, or refused in one line that names its place, whatever its bytes.

#include <cstddef>
#include <cstdint>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

#include "infra/config/toml_file.h"
#include "tests/fuzz/require.h"

using tilth::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const int file = memfd_create("tilth.toml", 0);
  static const auto path = "/proc/self/fd/" + std::to_string(file);
  require(ftruncate(file, 0) == 0);
  require(pwrite(file, bytes, size, 0) == static_cast<ssize_t>(size));
  const auto values = tilth::read_toml(path);
  if (values) return 0;
  require(values.error().code == tilth::ErrorCode::kDamaged);
  require(values.error().message.find('\n') == std::string::npos);
  require(values.error().message.find(", line ") != std::string::npos);
  return 0;
}
