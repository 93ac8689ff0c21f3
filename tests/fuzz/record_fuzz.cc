// Feeds arbitrary bytes to the embedded log's record decoder, once as they are and once with their
// correct checksum, since none would pass without it.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include <xxhash.h>

#include "infra/embedded/record_bytes.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* input, std::size_t size) {
  constexpr std::int64_t kOffset = 5;
  std::string bytes(reinterpret_cast<const char*>(input), size);
  static_cast<void>(tilth::decode_record(kOffset, bytes));
  if (size < sizeof(XXH64_hash_t)) return 0;
  const XXH64_hash_t sum = XXH3_64bits_withSeed(bytes.data() + sizeof sum, size - sizeof sum,
                                                static_cast<XXH64_hash_t>(kOffset));
  std::memcpy(bytes.data(), &sum, sizeof sum);
  std::string sealed;
  const auto record = tilth::decode_record(kOffset, bytes, &sealed);
  if (!record) return 0;
  std::string again;
  if (tilth::is_of_sealed_log(bytes)) {
    tilth::encode_record(kOffset, *record, {record->json, sealed}, again);
  } else {
    tilth::encode_record(kOffset, *record, again);
  }
  if (again != bytes) std::abort();  // a record has exactly one encoding
  return 0;
}
