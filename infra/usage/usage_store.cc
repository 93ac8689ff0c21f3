#include "infra/usage/usage_store.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>

#include "infra/rocksdb/reopening_database.h"
#include "infra/rocksdb/rocks_options.h"

namespace tilth {
namespace {

namespace fs = std::filesystem;

// The key of a window's entry: kCounted, the window's kind, its last instant, its first instant,
// the subject. Its value: each instant with its count. The key of a use: kUse, the subject. A
// subject is a user's id or an address; for a key, its user's id, a zero byte and its own id.
//
// Two entries of one window may have the same instant: then the larger count is the newer one. An
// entry replaces another only if it has all its instants.
constexpr char kCounted = 'c';
constexpr char kUse = 'u';

constexpr std::array kKinds = {RatedBy::kUser, RatedBy::kKey, RatedBy::kAddress};

// How a window's kind is stored.
constexpr char letter_of(RatedBy by) {
  switch (by) {
    case RatedBy::kUser:
      return 'u';
    case RatedBy::kKey:
      return 'k';
    case RatedBy::kAddress:
      return 'a';
  }
  return 0;
}

constexpr std::size_t kErasedAtOnce = 2'000;     // entries, by a keep() that has nothing to store
constexpr std::size_t kErasedInABatch = 10'000;  // at start

std::string big_endian(std::uint64_t number) {
  std::string bytes(8, '\0');
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

// Nothing is counted before 1970.
std::string instant_bytes(Timestamp at) {
  const auto millis = at.at.time_since_epoch().count();
  return big_endian(static_cast<std::uint64_t>(std::max<std::int64_t>(millis, 0)));
}

Timestamp read_instant(std::string_view bytes) {
  return {Timestamp{}.at +
          std::chrono::milliseconds(static_cast<std::int64_t>(read_big_endian(bytes)))};
}

std::string whose(const RateLimiter::Change& change) {
  return change.by == RatedBy::kKey ? change.user_id + '\0' + change.subject : change.subject;
}

std::string counted_key(RatedBy by, Timestamp last, Timestamp first, std::string_view whose) {
  return std::string{kCounted, letter_of(by)}
      .append(instant_bytes(last))
      .append(instant_bytes(first))
      .append(whose);
}

using Instants = std::vector<std::pair<Timestamp, std::uint32_t>>;
constexpr std::size_t kInstantBytes = 12;

std::string instants_bytes(std::span<const Instants::value_type> instants) {
  std::string bytes;
  bytes.reserve(instants.size() * kInstantBytes);
  for (const auto& [at, count] : instants) {
    bytes.append(instant_bytes(at)).append(big_endian(count).substr(4));
  }
  return bytes;
}

Instants read_instants(std::string_view bytes) {
  Instants instants;
  for (; bytes.size() >= kInstantBytes; bytes.remove_prefix(kInstantBytes)) {
    instants.emplace_back(read_instant(bytes.substr(0, 8)),
                          static_cast<std::uint32_t>(read_big_endian(bytes.substr(8, 4))));
  }
  return instants;
}

// The parts of a window entry's key; nullopt for another key.
struct Entry {
  RatedBy by;
  Timestamp last;
  std::string_view whose;
};

std::optional<Entry> read_counted_key(std::string_view key) {
  constexpr std::size_t kHead = 18;
  if (key.size() < kHead || key[0] != kCounted) return std::nullopt;
  for (const auto by : kKinds) {
    if (letter_of(by) == key[1])
      return Entry{by, read_instant(key.substr(2, 8)), key.substr(kHead)};
  }
  return std::nullopt;
}

void name_subject(std::string_view whose, RateLimiter::Change& change) {
  const auto zero = whose.find('\0');
  if (change.by == RatedBy::kKey && zero != whose.npos) {
    change.user_id = whose.substr(0, zero);
    whose.remove_prefix(zero + 1);
  }
  change.subject = whose;
}

std::string use_bytes(const RateLimiter::KeyUse& use) {
  auto bytes = big_endian(use.count);
  if (use.last) bytes.append(instant_bytes(*use.last));
  return bytes;
}

RateLimiter::KeyUse read_use(std::string_view bytes) {
  RateLimiter::KeyUse use{.count = read_big_endian(bytes.substr(0, 8))};
  if (bytes.size() >= 16) use.last = read_instant(bytes.substr(8, 8));
  return use;
}

// Counts at or before this time have left the window.
Timestamp last_left(RatedBy by, Timestamp now) { return {now.at - RateLimiter::window_of(by)}; }

bool lies_in_window(Timestamp at, RatedBy by, Timestamp now) {
  return at > last_left(by, now) && at.at <= now.at + RateLimiter::window_of(by);
}

rocksdb::Slice slice(std::string_view bytes) { return {bytes.data(), bytes.size()}; }
std::string_view view(const rocksdb::Slice& bytes) { return {bytes.data(), bytes.size()}; }

// Files that cannot be read for another reason, such as their owner, are not damaged.
ErrorCode code_of(const rocksdb::Status& status) {
  const bool damaged = status.IsCorruption() || status.IsPathNotFound();
  return damaged ? ErrorCode::kDamaged : ErrorCode::kUnavailable;
}

Error unreadable(const rocksdb::Status& status) {
  return {code_of(status), "The usage store cannot be read: " + status.ToString() + "."};
}
Error unwritable(const rocksdb::Status& status) {
  return {ErrorCode::kUnavailable, "The usage store cannot be written: " + status.ToString() + "."};
}

}  // namespace

struct UsageStore::Database : ReopeningDatabase {
  using ReopeningDatabase::ReopeningDatabase;

  // Destroyed before the database that it reads.
  struct Reader {
    std::shared_ptr<rocksdb::DB> db;
    std::unique_ptr<rocksdb::Iterator> at;

    rocksdb::Iterator* operator->() const { return at.get(); }
  };

  // `end`, if any, must outlive the iterator. kUnavailable: the database is closed.
  Result<Reader> iterator(const rocksdb::Slice* end = nullptr) const {
    rocksdb::ReadOptions options;
    options.fill_cache = false;
    options.iterate_upper_bound = end;
    Reader reader{read(), nullptr};
    if (!reader.db) return unreadable(rocksdb::Status::IOError("It could not be opened again"));
    reader.at.reset(reader.db->NewIterator(options));
    return reader;
  }

  Status keep(rocksdb::WriteBatch& batch) {
    const auto written = write(batch);
    if (!written.ok()) return unwritable(written);
    batch.Clear();
    return kDone;
  }

  // Adds the deletion of up to `at_most` entries that have left their window to `batch`, and
  // returns how far it got.
  Result<SweptUntil> sweep(rocksdb::WriteBatch& batch, SweptUntil from, std::size_t at_most,
                           Timestamp now) const {
    for (const auto by : kKinds) {
      const auto last = last_left(by, now);
      auto& begin = from[by];
      begin = std::min(begin, last);  // the clock may have been set back
      const auto end = counted_key(by, {last.at + std::chrono::milliseconds(1)}, {}, {});
      const rocksdb::Slice bound(end);
      const auto reader = iterator(&bound);
      if (!reader) return reader.error();
      const auto& at = *reader;
      for (at->Seek(counted_key(by, begin, {}, {})); at->Valid() && at_most > 0; at->Next()) {
        batch.Delete(at->key());
        --at_most;
      }
      if (!at->status().ok()) return unreadable(at->status());
      const auto entry = at->Valid() ? read_counted_key(view(at->key())) : std::nullopt;
      begin = entry ? entry->last : last;
    }
    return from;
  }
};

Result<std::unique_ptr<UsageStore>> UsageStore::open(const fs::path& directory,
                                                     const RocksMemory& memory, rocksdb::Env* env) {
  std::error_code failed;
  fs::create_directories(directory, failed);
  if (failed) {
    return Error{ErrorCode::kUnavailable,
                 "The usage store's folder cannot be made: " + failed.message() + "."};
  }
  auto options = shared_options(memory);
  if (env != nullptr) options.env = env;
  options.write_buffer_size = 2 << 20;
  options.target_file_size_base = 4 << 20;
  options.max_total_wal_size = 8 << 20;
  auto database = std::make_unique<Database>(std::move(options), directory.string());
  if (const auto status = database->open(); !status.ok()) {
    return Error{code_of(status), "The usage store cannot be opened: " + status.ToString() + "."};
  }
  return std::unique_ptr<UsageStore>(new UsageStore(std::move(database)));
}

UsageStore::UsageStore(std::unique_ptr<Database> database) : database_(std::move(database)) {}

UsageStore::~UsageStore() = default;

Status UsageStore::restore(RateLimiter& limiter, Timestamp now) {
  rocksdb::WriteBatch erased;
  const auto reader = database_->iterator();
  if (!reader) return reader.error();
  const auto& at = *reader;
  for (const char letter : {kCounted, kUse}) {
    for (at->Seek(std::string(1, letter)); at->Valid() && view(at->key()).starts_with(letter);
         at->Next()) {
      const auto key = view(at->key());
      const auto value = view(at->value());
      RateLimiter::Change change;
      if (const auto entry = read_counted_key(key)) {
        change.counted = read_instants(value);
        std::erase_if(change.counted, [&](const auto& instant) {
          return !lies_in_window(instant.first, entry->by, now);
        });
        if (change.counted.empty()) {
          erased.Delete(at->key());
          if (static_cast<std::size_t>(erased.Count()) < kErasedInABatch) continue;
          if (const auto written = database_->keep(erased); !written) return written.error();
          continue;
        }
        change.by = entry->by;
        name_subject(entry->whose, change);
      } else if (key.starts_with(kUse)) {
        change.by = RatedBy::kKey;
        name_subject(key.substr(1), change);
        change.use = read_use(value);
      } else {
        continue;
      }
      limiter.restore(change);
    }
  }
  if (!at->status().ok()) return unreadable(at->status());
  for (const auto by : kKinds) swept_until_[by] = last_left(by, now);
  return database_->keep(erased);
}

Status UsageStore::keep(const std::vector<RateLimiter::Change>& changes, Timestamp now) {
  if (const auto ready = database_->recover(); !ready.ok()) return unwritable(ready);
  rocksdb::WriteBatch batch;
  std::size_t entries = 0;
  for (const auto& change : changes) {
    const auto subject = whose(change);
    const auto& counted = change.counted;
    if (!counted.empty() && counted.back().first > last_left(change.by, now)) {
      batch.Put(counted_key(change.by, counted.back().first, counted.front().first, subject),
                instants_bytes(counted));
      ++entries;
    }
    if (change.use) batch.Put(kUse + subject, use_bytes(*change.use));
  }
  // Twice what is added, so that it never falls behind.
  const auto swept = database_->sweep(batch, swept_until_, kErasedAtOnce + 2 * entries, now);
  if (!swept) return swept.error();
  if (batch.Count() > 0) {
    if (const auto written = database_->keep(batch); !written) return written.error();
  }
  swept_until_ = *swept;
  return kDone;
}

Status UsageStore::keep_entry(std::string_view key, std::string_view value) {
  rocksdb::WriteBatch batch;
  batch.Put(slice(key), slice(value));
  return database_->keep(batch);
}

Status UsageStore::forget_entry(std::string_view key) {
  rocksdb::WriteBatch batch;
  batch.Delete(slice(key));
  return database_->keep(batch);
}

Status UsageStore::read_entries(char letter, const EachEntry& each) const {
  const auto reader = database_->iterator();
  if (!reader) return reader.error();
  const auto& at = *reader;
  const std::string begin(1, letter);
  for (at->Seek(begin); at->Valid() && view(at->key()).starts_with(letter); at->Next()) {
    each(view(at->key()), view(at->value()));
  }
  if (!at->status().ok()) return unreadable(at->status());
  return kDone;
}

Status UsageStore::change_entries(const Changes& changes) {
  if (changes.empty()) return kDone;
  rocksdb::WriteBatch batch;
  for (const auto& [key, value] : changes) {
    if (value) {
      batch.Put(slice(key), slice(*value));
    } else {
      batch.Delete(slice(key));
    }
  }
  return database_->keep(batch);
}

Result<std::optional<std::string>> UsageStore::find_entry(std::string_view key) const {
  const auto db = database_->read();
  if (!db) return unreadable(rocksdb::Status::IOError("It could not be opened again"));
  std::string value;
  const auto found = db->Get({}, slice(key), &value);
  if (found.IsNotFound()) return std::optional<std::string>();
  if (!found.ok()) return unreadable(found);
  return std::optional(std::move(value));
}

Status UsageStore::read_between(std::string_view begin, std::string_view end,
                                const NextEntry& each) const {
  const auto bound = slice(end);
  const auto reader = database_->iterator(&bound);
  if (!reader) return reader.error();
  const auto& at = *reader;
  for (at->Seek(slice(begin)); at->Valid(); at->Next()) {
    if (!each(view(at->key()), view(at->value()))) break;
  }
  if (!at->status().ok()) return unreadable(at->status());
  return kDone;
}

Status UsageStore::copy_to(const fs::path& directory) const {
  const auto db = database_->read();
  if (!db) return unwritable(rocksdb::Status::IOError("It could not be opened again"));
  return copy_database(*db, directory, "The usage store");
}

}  // namespace tilth
