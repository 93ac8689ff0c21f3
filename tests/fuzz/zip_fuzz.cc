// unzipped() returns for any bytes and keeps to its limit; what was packed comes out again, and
// never anything else.

#include <cstddef>
#include <cstdint>
#include <string>

#include <zlib.h>

#include "infra/system/zip_file.h"
#include "tests/fuzz/require.h"

namespace {

using tilth::fuzz::require;

constexpr std::size_t kMost = 1 << 16;

std::string little_endian(std::uint32_t number, std::size_t size) {
  std::string bytes;
  for (std::size_t i = 0; i < size; ++i) bytes.push_back(static_cast<char>(number >> 8 * i));
  return bytes;
}

// An archive of one file whose bytes are stored as they are.
std::string stored(const std::string& text) {
  const auto crc = crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size());
  const auto size = static_cast<std::uint32_t>(text.size());
  return "PK\3\4" + little_endian(20, 2) + std::string(8, '\0') +
         little_endian(static_cast<std::uint32_t>(crc), 4) + little_endian(size, 4) +
         little_endian(size, 4) + little_endian(1, 2) + little_endian(0, 2) + "f" + text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  for (const auto& packed : {text, "PK\3\4" + text}) {
    if (const auto whole = tilth::unzipped(packed, kMost)) require(whole->size() <= kMost);
  }

  auto archive = stored(text);
  const auto back = tilth::unzipped(archive, kMost);
  require(text.size() > kMost ? !back : back && *back == text);
  if (text.empty() || text.size() > kMost) return 0;
  const auto hit = archive.size() - 1 - bytes[0] % text.size();
  archive[hit] = static_cast<char>(archive[hit] ^ (bytes[size - 1] | 1));
  require(!tilth::unzipped(archive, kMost));
  return 0;
}
