#include "infra/embedded/wal_scan.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <map>
#include <string>

#include <boost/crc.hpp>
#include <rocksdb/write_batch.h>

#include "infra/embedded/record_key.h"
#include "infra/system/whole_file.h"

namespace tilth {
namespace {

// The format, which RocksDB shares with LevelDB: blocks of 32 KiB with fragments of writes, each
// preceded by its masked CRC32C, its length and its type. The rest of a block is filler if it is
// shorter than a header.
constexpr std::size_t kBlock = 32768;
constexpr std::size_t kHeader = 7;
constexpr std::size_t kBatchHeader = 12;
enum Type : std::uint8_t { kFull = 1, kFirst = 2, kMiddle = 3, kLast = 4 };

struct Fragment {
  std::uint8_t type;
  std::string_view payload;

  bool begins_write() const { return type == kFull || type == kFirst; }
  bool ends_write() const { return type == kFull || type == kLast; }
};

std::uint32_t masked_crc(std::string_view type_and_payload) {
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc32c;
  crc32c.process_bytes(type_and_payload.data(), type_and_payload.size());
  const std::uint32_t crc = crc32c.checksum();
  return ((crc >> 15) | (crc << 17)) + 0xA282EAD8U;
}

// The intact fragment that begins at `at`, if there is one.
std::optional<Fragment> fragment_at(std::string_view wal, std::size_t at) {
  const std::size_t room = std::min(kBlock - at % kBlock, wal.size() - at);
  if (room < kHeader) return std::nullopt;
  const auto type = static_cast<std::uint8_t>(wal[at + 6]);
  std::uint32_t crc = 0;
  std::uint16_t size = 0;
  std::memcpy(&crc, wal.data() + at, sizeof crc);
  std::memcpy(&size, wal.data() + at + 4, sizeof size);
  if (type < kFull || type > kLast || size > room - kHeader) return std::nullopt;
  if (crc != masked_crc(wal.substr(at + 6, size + 1U))) return std::nullopt;
  return Fragment{type, wal.substr(at + kHeader, size)};
}

// A write that does not fit into its block begins with what fits, which may be no byte at all.
bool begins_batch(const Fragment& fragment, std::size_t at) {
  const auto size = fragment.payload.size();
  if (fragment.type == kFirst) return (at + kHeader + size) % kBlock == 0;
  return fragment.type == kFull && size >= kBatchHeader;
}

std::optional<std::size_t> next_beginning(std::string_view wal, std::size_t at) {
  for (; at < wal.size(); ++at) {
    const auto fragment = fragment_at(wal, at);
    if (fragment && begins_batch(*fragment, at)) return at;
  }
  return std::nullopt;
}

// The offsets of the records in a write.
class Offsets final : public rocksdb::WriteBatch::Handler {
 public:
  rocksdb::Status PutCF(std::uint32_t family, const rocksdb::Slice& key,
                        const rocksdb::Slice&) override {
    const auto offset = offset_of({key.data(), key.size()});
    if (family != 0 || !offset) return rocksdb::Status::OK();
    if (!first) first = offset;
    last = offset;
    return rocksdb::Status::OK();
  }

  std::optional<std::int64_t> first;
  std::optional<std::int64_t> last;
};

std::map<std::uint64_t, std::filesystem::path> wals(const std::filesystem::path& directory) {
  std::map<std::uint64_t, std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    const std::string name = entry.path().stem().string();
    const bool numbered = name.find_first_not_of("0123456789") == std::string::npos;
    if (entry.path().extension() != ".log" || !numbered || entry.file_size() == 0) continue;
    found.emplace(std::stoull(name), entry.path());
  }
  return found;
}

}  // namespace

WalScan scan_wal(std::string_view wal, const std::function<void(std::string_view)>& on_write) {
  WalScan scan;
  std::string write;
  bool within = false;
  for (std::size_t at = 0; at < wal.size();) {
    const std::size_t room = kBlock - at % kBlock;
    if (room < kHeader && room <= wal.size() - at) {
      at += room;
      if (!within) scan.whole = at;
      continue;
    }
    const auto fragment = fragment_at(wal, at);
    if (!fragment || fragment->begins_write() == within) {
      scan.intact_again = next_beginning(wal, fragment ? at : at + 1);
      break;
    }
    at += kHeader + fragment->payload.size();
    if (fragment->begins_write()) write.clear();
    write += fragment->payload;
    within = !fragment->ends_write();
    if (within) continue;
    on_write(write);
    scan.whole = at;
  }
  return scan;
}

Result<WalFindings> scan_wals(const std::filesystem::path& directory) try {
  WalFindings findings;
  std::filesystem::path previous;
  std::size_t previous_whole = 0;
  for (const auto& [number, file] : wals(directory)) {
    // Not mapped: what the disk cannot read would end the process by a signal.
    const auto content = read_whole_file(file);
    if (!content) return content.error();
    const std::string_view wal = *content ? std::string_view(**content) : std::string_view();
    const auto scan = scan_wal(wal, [&](std::string_view write) {
      Offsets offsets;
      // An invalid write batch fails when RocksDB opens the log.
      rocksdb::WriteBatch(std::string(write)).Iterate(&offsets).PermitUncheckedError();
      if (!offsets.first) return;
      if (findings.last && *offsets.first > *findings.last + 1) {
        findings.gaps.push_back({previous, previous_whole, *findings.last + 1, *offsets.first - 1});
      }
      findings.last = std::max(findings.last, offsets.last);
    });
    if (scan.intact_again) {
      return Error{ErrorCode::kDamaged,
                   "The event log is damaged: " + file.string() + " is unreadable from byte " +
                       std::to_string(scan.whole) + " to byte " +
                       std::to_string(*scan.intact_again) +
                       ", with acknowledged records after that; nothing was changed."};
    }
    if (scan.whole < wal.size()) {
      const auto last = wal.substr(scan.whole).find_last_not_of('\0');
      findings.tails.push_back({file, scan.whole, last == wal.npos ? 0 : last + 1, findings.last});
    }
    previous = file;
    previous_whole = scan.whole;
  }
  return findings;
} catch (const std::exception& error) {
  return Error{ErrorCode::kUnavailable,
               "The event log in " + directory.string() + " cannot be read: " + error.what() + "."};
}

}  // namespace tilth
