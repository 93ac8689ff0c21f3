#include "infra/embedded/record_page.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "infra/embedded/record_bytes.h"
#include "infra/embedded/record_key.h"
#include "infra/embedded/record_seal.h"

namespace tilth {
namespace {

constexpr std::size_t kPageBytes = 4 << 20;

Error damaged(std::int64_t offset, const std::string& what) {
  return {ErrorCode::kDamaged, "The record at partition 0, offset " + std::to_string(offset) +
                                   " cannot be read: " + what + "."};
}

// Whether the iterator is at the record of this offset. Errors: as read_page().
Status is_there(const rocksdb::Iterator& at, std::int64_t offset) {
  // Read only when an iterator is at no record: its status costs as much as the next record does.
  if (!at.Valid()) {
    const auto status = at.status();
    if (status.ok()) return damaged(offset, "it is missing");
    if (status.IsCorruption()) return damaged(offset, status.ToString());
    return Error{ErrorCode::kUnavailable,
                 "Offset " + std::to_string(offset) + " cannot be read: " + status.ToString()};
  }
  if (at.key() != rocksdb::Slice(RecordKey(offset).bytes())) {
    return damaged(offset, "it is missing");
  }
  return kDone;
}

Status read_record(const rocksdb::Iterator& at, std::int64_t offset, OwnerKeys* keys,
                   Record& record) {
  if (const auto there = is_there(at, offset); !there) return there;
  const std::string_view bytes(at.value().data(), at.value().size());
  auto decoded = decode_stored(offset, bytes, keys, record);
  if (decoded || decoded.error().code != ErrorCode::kDamaged) return decoded;
  return damaged(offset, decoded.error().message);
}

}  // namespace

Result<std::vector<LoggedRecord>> read_page(rocksdb::Iterator& at, std::int64_t offset,
                                            std::int64_t end, std::size_t limit, OwnerKeys* keys) {
  std::vector<LoggedRecord> found;
  if (end > offset) found.reserve(std::min(limit, static_cast<std::size_t>(end - offset)));
  std::size_t bytes = 0;
  for (at.Seek(RecordKey(offset).bytes()); offset < end && found.size() < limit; at.Next()) {
    auto record = std::make_shared<Record>();
    if (const auto read = read_record(at, offset, keys, *record); !read) {
      if (found.empty()) return read.error();
      break;
    }
    found.push_back({{0, offset++}, std::move(record)});
    if ((bytes += at.value().size()) >= kPageBytes) break;
  }
  return found;
}

Result<std::int64_t> read_stored(rocksdb::Iterator& at, std::int64_t offset, std::int64_t end,
                                 const TakeStored& take) {
  for (at.Seek(RecordKey(offset).bytes()); offset < end; at.Next(), ++offset) {
    Record record;
    if (const auto read = read_record(at, offset, nullptr, record); !read) return read.error();
    const auto taken = take(record, {at.value().data(), at.value().size()});
    if (!taken) return taken.error();
    if (!*taken) break;
  }
  return offset;
}

}  // namespace tilth
