// scan_wal returns for any bytes; and of a log that it is given whole, cut short or with a damaged
// byte, it finds what the log's writer stored.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <boost/crc.hpp>

#include "infra/embedded/wal_scan.h"
#include "tests/fuzz/require.h"

namespace {

using tilth::fuzz::require;

constexpr std::size_t kBlock = 32768, kHeader = 7, kLeastWrite = 12;
enum Type : std::uint8_t { kFull = 1, kFirst = 2, kMiddle = 3, kLast = 4 };

std::uint32_t masked_crc(const std::string& bytes) {
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc32c;
  crc32c.process_bytes(bytes.data(), bytes.size());
  const std::uint32_t crc = crc32c.checksum();
  return ((crc >> 15) | (crc << 17)) + 0xA282EAD8U;
}

// Writes as LevelDB's log_writer does.
void append(std::string& log, const std::string& write) {
  bool first = true;
  for (std::size_t at = 0; first || at < write.size();) {
    auto room = kBlock - log.size() % kBlock;
    if (room < kHeader) log.append(room, '\0'), room = kBlock;
    const auto size = std::min(write.size() - at, room - kHeader);
    const bool last = at + size == write.size();
    const auto type = first && last ? kFull : first ? kFirst : last ? kLast : kMiddle;
    std::string fragment(1, static_cast<char>(type));
    fragment.append(write, at, size);
    const auto crc = masked_crc(fragment);
    const auto length = static_cast<std::uint16_t>(size);
    log.append(reinterpret_cast<const char*>(&crc), sizeof crc);
    log.append(reinterpret_cast<const char*>(&length), sizeof length);
    log += fragment;
    at += size;
    first = false;
  }
}

struct Scanned {
  tilth::WalScan scan;
  std::vector<std::string> writes;
};

Scanned scanned(const std::string& log) {
  Scanned all;
  all.scan = tilth::scan_wal(log, [&](std::string_view write) { all.writes.emplace_back(write); });
  require(all.scan.whole <= log.size());
  if (const auto again = all.scan.intact_again)
    require(*again >= all.scan.whole && *again < log.size());
  return all;
}

bool begin_with(const std::vector<std::string>& all, const std::vector<std::string>& some) {
  return some.size() <= all.size() && std::equal(some.begin(), some.end(), all.begin());
}

}  // namespace

// The input: where to cut, where to damage, by what; then the sizes of the writes, two bytes each.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  scanned(std::string(reinterpret_cast<const char*>(bytes), size));
  if (size < 9) return 0;
  std::uint32_t cut = 0, hit = 0;
  std::memcpy(&cut, bytes, sizeof cut);
  std::memcpy(&hit, bytes + 4, sizeof hit);
  const auto flips = static_cast<char>(bytes[8] == 0 ? 1 : bytes[8]);

  std::string log;
  std::vector<std::string> writes;
  std::vector<std::size_t> ends;
  for (std::size_t at = 9; at + 1 < size && log.size() < kBlock + 4096; at += 2) {
    const std::size_t length = kLeastWrite + ((bytes[at] | bytes[at + 1] << 8) & 0x3FFF);
    writes.emplace_back(length, static_cast<char>(bytes[at]));
    append(log, writes.back());
    ends.push_back(log.size());
  }
  if (writes.empty()) return 0;
  const auto intact = scanned(log);
  require(intact.writes == writes && intact.scan.whole == log.size() && !intact.scan.intact_again);

  const auto end = cut % log.size();
  const auto torn = scanned(log.substr(0, end));
  const auto kept = std::upper_bound(ends.begin(), ends.end(), end) - ends.begin();
  require(torn.writes.size() == static_cast<std::size_t>(kept) && begin_with(writes, torn.writes));
  require(!torn.scan.intact_again);

  const auto at = hit % log.size();
  log[at] = static_cast<char>(log[at] ^ flips);
  const auto damaged = scanned(log);
  require(begin_with(writes, damaged.writes));
  const auto before = std::upper_bound(ends.begin(), ends.end(), at) - ends.begin();
  require(damaged.writes.size() >= static_cast<std::size_t>(before));
  // What was acknowledged after the damage is seen, so that a start refuses instead of losing it.
  const bool others_follow = static_cast<std::size_t>(before) + 1 < writes.size();
  const bool all_read = damaged.writes.size() == writes.size();  // it hit the filler of a block
  if (others_follow && !all_read) require(damaged.scan.intact_again.has_value());
  return 0;
}
