#include "infra/usage/rocks_request_log.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>

#include "infra/rocksdb/reopening_database.h"
#include "infra/rocksdb/rocks_options.h"

namespace tilth {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLookedAtOnce = 200;     // entries, by a keep()
constexpr std::size_t kMostWaiting = 100'000;  // requests; about 30 MB
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
void encode(const LoggedRequest& request, std::string& bytes) {
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
}

// Takes the first request from the bytes. Null for bytes of another form, which another version has
// written.
std::optional<LoggedRequest> decode(std::string_view& bytes) {
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

Timestamp oldest_kept(Timestamp now) { return {now.at - RequestLog::kKept}; }

// An entry begins with the time of its newest request.
std::string time_bytes(Timestamp time) {
  const auto millis = time.at.time_since_epoch().count();
  return big_endian(static_cast<std::uint64_t>(std::max<std::int64_t>(millis, 0)));
}

Error unreadable(const rocksdb::Status& status) {
  const bool damaged = status.IsCorruption() || status.IsPathNotFound();
  return {damaged ? ErrorCode::kDamaged : ErrorCode::kUnavailable,
          "The request log cannot be read: " + status.ToString() + "."};
}

Error unwritable(const rocksdb::Status& status) {
  return {ErrorCode::kUnavailable, "The request log cannot be written: " + status.ToString() + "."};
}

}  // namespace

struct RocksRequestLog::Database : ReopeningDatabase {
  using ReopeningDatabase::ReopeningDatabase;

  // Destroyed before the database that it reads.
  struct Reader {
    std::shared_ptr<rocksdb::DB> db;
    std::unique_ptr<rocksdb::Iterator> at;
  };

  // Without an iterator: the database is closed.
  Reader reader() const {
    rocksdb::ReadOptions options;
    options.fill_cache = false;
    Reader reader{read(), nullptr};
    if (reader.db) reader.at.reset(reader.db->NewIterator(options));
    return reader;
  }

  // Adds the deletion of what is too old among the next entries, and returns the last of these;
  // empty: the end is reached.
  static std::string age(rocksdb::Iterator& at, rocksdb::WriteBatch& batch,
                         const std::string& after, Timestamp now) {
    const auto oldest = time_bytes(oldest_kept(now));
    std::size_t looked = 0;
    std::string last;
    for (at.Seek(after); at.Valid() && looked < kLookedAtOnce; at.Next(), ++looked) {
      if (view(at.value()) < oldest) batch.Delete(at.key());
      last = at.key().ToString();
    }
    return at.Valid() ? last : std::string();
  }
};

namespace {

// The number of the owner's newest request; 0: there is none.
std::uint64_t newest_number(rocksdb::Iterator& at, const std::string& prefix) {
  at.SeekForPrev(prefix + std::string(kNumberBytes, '\xFF'));
  if (!at.Valid() || !view(at.key()).starts_with(prefix)) return 0;
  return read_big_endian(view(at.key()).substr(prefix.size()));
}

// Adds the owner's requests, and the deletion of those that are no longer among the last thousand.
void add(rocksdb::Iterator& at, rocksdb::WriteBatch& batch, const std::string& owner,
         const std::deque<LoggedRequest>& requests) {
  constexpr std::uint64_t kMost = RequestLog::kMostOfOwner;
  const auto prefix = prefix_of(owner);
  const auto before = newest_number(at, prefix);
  const auto after = before + requests.size();
  auto bytes = time_bytes(requests.back().time);
  for (const auto& request : requests) encode(request, bytes);
  batch.Put(prefix + big_endian(after), bytes);
  if (after <= kMost) return;
  // Those before were erased before.
  const auto end = prefix + big_endian(after - kMost + 1);
  for (at.Seek(prefix + big_endian(before > kMost ? before - kMost : 0));
       at.Valid() && view(at.key()) < end; at.Next()) {
    batch.Delete(at.key());
  }
}

}  // namespace

Result<std::unique_ptr<RocksRequestLog>> RocksRequestLog::open(const fs::path& directory,
                                                               const RocksMemory& memory,
                                                               OnNoted on_noted,
                                                               rocksdb::Env* env) {
  std::error_code failed;
  fs::create_directories(directory, failed);
  if (failed) {
    return Error{ErrorCode::kUnavailable,
                 "The request log's folder cannot be made: " + failed.message() + "."};
  }
  auto options = shared_options(memory);
  if (env != nullptr) options.env = env;
  options.write_buffer_size = 2 << 20;
  options.target_file_size_base = 4 << 20;
  options.max_total_wal_size = 8 << 20;
  auto database = std::make_unique<Database>(std::move(options), directory.string());
  if (const auto status = database->open(); !status.ok()) return unreadable(status);
  return std::unique_ptr<RocksRequestLog>(
      new RocksRequestLog(std::move(database), std::move(on_noted)));
}

RocksRequestLog::RocksRequestLog(std::unique_ptr<Database> database, OnNoted on_noted)
    : database_(std::move(database)), on_noted_(std::move(on_noted)) {}

RocksRequestLog::~RocksRequestLog() { collect_locked(); }

void RocksRequestLog::note(const std::string& owner, LoggedRequest request) {
  if (request.path.size() > kLongestPath) request.path.resize(kLongestPath);
  if (waiting_.fetch_add(1, std::memory_order_relaxed) >= kMostWaiting) {
    waiting_.fetch_sub(1, std::memory_order_relaxed);
    return;
  }
  auto* noted = new Noted{owner, std::move(request), noted_.load(std::memory_order_relaxed)};
  while (!noted_.compare_exchange_weak(noted->next, noted, std::memory_order_release,
                                       std::memory_order_relaxed)) {
  }
}

void RocksRequestLog::collect() {
  const std::lock_guard storing(storing_);
  collect_locked();
}

void RocksRequestLog::collect_locked() {
  Noted* oldest = nullptr;
  for (auto* newest = noted_.exchange(nullptr, std::memory_order_acquire); newest != nullptr;) {
    auto* const before = std::exchange(newest->next, oldest);
    oldest = std::exchange(newest, before);
  }
  while (oldest != nullptr) {
    const std::unique_ptr<Noted> noted(oldest);
    oldest = noted->next;
    waiting_.fetch_sub(1, std::memory_order_relaxed);
    on_noted_(noted->owner, noted->request);
    if (collected_requests_ >= kMostWaiting) continue;
    auto& requests = collected_[noted->owner];
    if (requests.size() == kMostOfOwner) {
      requests.pop_front();
      --collected_requests_;
    }
    requests.push_back(std::move(noted->request));
    ++collected_requests_;
  }
}

Status RocksRequestLog::keep(Timestamp now) {
  const std::lock_guard storing(storing_);
  collect_locked();
  rocksdb::WriteBatch batch;
  auto looked_until = looked_until_;
  if (const auto ready = database_->recover(); !ready.ok()) return unwritable(ready);
  {
    const auto reader = database_->reader();
    if (!reader.at) return unwritable(rocksdb::Status::IOError("It could not be opened again"));
    looked_until = Database::age(*reader.at, batch, looked_until_, now);
    for (const auto& [owner, requests] : collected_) add(*reader.at, batch, owner, requests);
    if (!reader.at->status().ok()) return unreadable(reader.at->status());
  }
  if (batch.Count() > 0) {
    if (const auto written = database_->write(batch); !written.ok()) return unwritable(written);
  }
  looked_until_ = std::move(looked_until);
  collected_.clear();
  collected_requests_ = 0;
  return kDone;
}

Result<std::vector<LoggedRequest>> RocksRequestLog::find(const std::string& owner,
                                                         const Filter& filter, Timestamp now) {
  std::vector<LoggedRequest> found;
  std::size_t seen = 0;
  const auto see = [&](LoggedRequest& request) {
    if (seen++ >= kMostOfOwner || request.time < oldest_kept(now)) return;
    if (filter.matches(request)) found.push_back(std::move(request));
  };
  Database::Reader reader;
  {
    const std::lock_guard storing(storing_);
    collect_locked();
    if (const auto its = collected_.find(owner); its != collected_.end()) {
      auto requests = its->second;
      std::for_each(requests.rbegin(), requests.rend(), see);
    }
    reader = database_->reader();  // of what was stored by now
  }
  const auto& at = reader.at;
  if (!at) return found;  // the disk is full: the rest is shown later
  const auto prefix = prefix_of(owner);
  for (at->SeekForPrev(prefix + std::string(kNumberBytes, '\xFF'));
       at->Valid() && view(at->key()).starts_with(prefix) && seen < kMostOfOwner; at->Prev()) {
    auto bytes = view(at->value());
    bytes.remove_prefix(std::min(bytes.size(), kNumberBytes));
    std::vector<LoggedRequest> entry;
    while (auto request = decode(bytes)) entry.push_back(std::move(*request));
    std::for_each(entry.rbegin(), entry.rend(), see);
  }
  if (!at->status().ok()) return unreadable(at->status());
  return found;
}

}  // namespace tilth
