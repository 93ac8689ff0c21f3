#include "infra/usage/rocks_request_log.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>

#include "infra/rocksdb/rocks_options.h"

namespace tilth {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLookedAtOnce = 500;  // entries, by a keep()
constexpr std::size_t kNumberBytes = 8;

std::string big_endian(std::uint64_t number) {
  std::string bytes(kNumberBytes, '\0');
  for (auto byte = bytes.rbegin(); byte != bytes.rend(); ++byte, number >>= 8) {
    *byte = static_cast<char>(number & 0xFF);
  }
  return bytes;
}

std::uint64_t read_big_endian(std::string_view bytes) {
  std::uint64_t number = 0;
  for (const char byte : bytes) number = number << 8 | static_cast<std::uint8_t>(byte);
  return number;
}

// The keys of an owner's requests begin with it.
std::string prefix_of(std::string_view owner) { return std::string(owner) + '\0'; }

std::string_view view(const rocksdb::Slice& bytes) { return {bytes.data(), bytes.size()}; }

// Texts and decimal numbers, each ended by a zero byte, which none of them contains.
std::string encoded(const LoggedRequest& request) {
  std::string bytes;
  const auto add = [&](std::string_view text) { bytes.append(text).push_back('\0'); };
  add(std::to_string(request.time.at.time_since_epoch().count()));
  add(request.method);
  add(request.path);
  add(std::to_string(request.status));
  add(std::to_string(request.duration_ms));
  add(request.request_id);
  add(request.key_id);
  add(request.address);
  add(request.replayed ? "1" : "0");
  return bytes;
}

// Null for bytes of another form, which another version has written.
std::optional<LoggedRequest> decoded(std::string_view bytes) {
  bool whole = true;
  const auto text = [&] {
    const auto end = bytes.find('\0');
    whole = whole && end != bytes.npos;
    if (!whole) return std::string_view();
    const auto found = bytes.substr(0, end);
    bytes.remove_prefix(end + 1);
    return found;
  };
  const auto number = [&] {
    const auto digits = text();
    std::int64_t value = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    whole = whole && read.ec == std::errc{};
    return value;
  };
  LoggedRequest request;
  request.time = {Timestamp{}.at + std::chrono::milliseconds(number())};
  request.method = text();
  request.path = text();
  request.status = number();
  request.duration_ms = number();
  request.request_id = text();
  request.key_id = text();
  request.address = text();
  request.replayed = text() == "1";
  return whole ? std::optional(std::move(request)) : std::nullopt;
}

bool is_too_old(const LoggedRequest& request, Timestamp now) {
  return request.time.at < now.at - RequestLog::kKept;
}

Error unreadable(const rocksdb::Status& status) {
  const bool damaged = status.IsCorruption() || status.IsPathNotFound();
  return {damaged ? ErrorCode::kDamaged : ErrorCode::kUnavailable,
          "The request log cannot be read: " + status.ToString() + "."};
}

}  // namespace

struct RocksRequestLog::Database {
  std::unique_ptr<rocksdb::DB> db;

  std::unique_ptr<rocksdb::Iterator> iterator() const {
    rocksdb::ReadOptions options;
    options.fill_cache = false;
    return std::unique_ptr<rocksdb::Iterator>(db->NewIterator(options));
  }

  // The number of the owner's newest request; 0: there is none.
  std::uint64_t newest(const std::string& prefix) const {
    const auto at = iterator();
    at->SeekForPrev(prefix + std::string(kNumberBytes, '\xFF'));
    if (!at->Valid() || !view(at->key()).starts_with(prefix)) return 0;
    return read_big_endian(view(at->key()).substr(prefix.size()));
  }

  // Adds the deletion of what is too old among the next entries, and returns the last of these;
  // empty: the end is reached.
  std::string age(rocksdb::WriteBatch& batch, const std::string& after, Timestamp now) const {
    const auto at = iterator();
    std::size_t looked = 0;
    std::string last;
    for (at->Seek(after); at->Valid() && looked < kLookedAtOnce; at->Next(), ++looked) {
      const auto request = decoded(view(at->value()));
      if (!request || is_too_old(*request, now)) batch.Delete(at->key());
      last = at->key().ToString();
    }
    return at->Valid() ? last : std::string();
  }
};

Result<std::unique_ptr<RocksRequestLog>> RocksRequestLog::open(const fs::path& directory,
                                                               const RocksMemory& memory) {
  std::error_code failed;
  fs::create_directories(directory, failed);
  if (failed) {
    return Error{ErrorCode::kUnavailable,
                 "The request log's folder cannot be made: " + failed.message() + "."};
  }
  auto options = shared_options(memory);
  options.write_buffer_size = 2 << 20;
  options.target_file_size_base = 4 << 20;
  options.max_total_wal_size = 8 << 20;
  rocksdb::DB* opened = nullptr;
  const auto status = rocksdb::DB::Open(options, directory.string(), &opened);
  if (!status.ok()) return unreadable(status);
  auto database = std::make_unique<Database>(Database{std::unique_ptr<rocksdb::DB>(opened)});
  return std::unique_ptr<RocksRequestLog>(new RocksRequestLog(std::move(database)));
}

RocksRequestLog::RocksRequestLog(std::unique_ptr<Database> database)
    : database_(std::move(database)) {}

RocksRequestLog::~RocksRequestLog() = default;

void RocksRequestLog::note(const std::string& owner, LoggedRequest request) {
  if (request.path.size() > kLongestPath) request.path.resize(kLongestPath);
  const std::lock_guard lock(noting_);
  auto& noted = noted_[owner];
  if (noted.size() == kMostOfOwner) noted.pop_front();
  noted.push_back(std::move(request));
}

Status RocksRequestLog::keep(Timestamp now) {
  const std::lock_guard storing(storing_);
  Noted noted;
  {
    const std::lock_guard lock(noting_);
    noted.swap(noted_);
  }
  rocksdb::WriteBatch batch;
  looked_until_ = database_->age(batch, looked_until_, now);
  for (const auto& [owner, requests] : noted) {
    const auto prefix = prefix_of(owner);
    auto number = database_->newest(prefix);
    for (const auto& request : requests) {
      ++number;
      batch.Put(prefix + big_endian(number), encoded(request));
      if (number > kMostOfOwner) batch.Delete(prefix + big_endian(number - kMostOfOwner));
    }
  }
  if (batch.Count() == 0) return kDone;
  auto written = database_->db->Write({}, &batch);
  // After a full disk RocksDB resumes only on request.
  if (!written.ok() && database_->db->Resume().ok()) written = database_->db->Write({}, &batch);
  if (written.ok()) return kDone;
  return Error{ErrorCode::kUnavailable,
               "The request log cannot be written: " + written.ToString() + "."};
}

Result<std::vector<LoggedRequest>> RocksRequestLog::find(const std::string& owner,
                                                         const Filter& filter, Timestamp now) {
  if (const auto kept = keep(now); !kept) return kept.error();
  const auto prefix = prefix_of(owner);
  std::vector<LoggedRequest> found;
  std::size_t seen = 0;
  const auto at = database_->iterator();
  for (at->SeekForPrev(prefix + std::string(kNumberBytes, '\xFF'));
       at->Valid() && view(at->key()).starts_with(prefix) && seen < kMostOfOwner;
       at->Prev(), ++seen) {
    auto request = decoded(view(at->value()));
    if (!request || is_too_old(*request, now)) continue;
    if (filter.matches(*request)) found.push_back(std::move(*request));
  }
  if (!at->status().ok()) return unreadable(at->status());
  return found;
}

}  // namespace tilth
