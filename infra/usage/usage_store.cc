#include "infra/usage/usage_store.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <rocksdb/write_batch.h>

#include "events/values/big_endian.h"
#include "infra/rocksdb/reopening_database.h"
#include "infra/rocksdb/rocks_options.h"
#include "infra/rocksdb/slices.h"

namespace tilth {
namespace {

namespace fs = std::filesystem;

// The key of a window's entry: kCounted, the window's kind, its last instant, its first instant,
// the subject. Its value: each instant with its count. The key of a use: kUse, the subject. A
// subject is a user's id or an address; for a key, its user's id, a zero byte and its own id. The
// key of a use elsewhere: kUseElsewhere, the subject, a zero byte, the node.
//
// Two entries of one window may have the same instant: then the larger count is the newer one. An
// entry replaces another only if it has all its instants.
constexpr char kCounted = 'c';
constexpr char kUse = 'u';
constexpr char kUseElsewhere = 'e';

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
    bytes.append(instant_bytes(at)).append(big_endian(count));
  }
  return bytes;
}

Instants read_instants(std::string_view bytes) {
  Instants instants;
  for (; bytes.size() >= kInstantBytes; bytes.remove_prefix(kInstantBytes)) {
    instants.emplace_back(read_instant(bytes.substr(0, 8)),
                          read_big_endian<std::uint32_t>(bytes.substr(8, 4)));
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

// Null for another key.
std::optional<RateLimiter::UseElsewhere> read_elsewhere_key(std::string_view key) {
  const auto user_ends = key.find('\0'), key_ends = key.rfind('\0');
  if (user_ends == key.npos || user_ends == key_ends) return std::nullopt;
  return RateLimiter::UseElsewhere{
      .node = std::string(key.substr(key_ends + 1)),
      .user_id = std::string(key.substr(1, user_ends - 1)),
      .key_id = std::string(key.substr(user_ends + 1, key_ends - user_ends - 1))};
}

// Counts at or before this time have left the window.
Timestamp last_left(RatedBy by, Timestamp now) { return {now.at - RateLimiter::window_of(by)}; }

bool lies_in_window(Timestamp at, RatedBy by, Timestamp now) {
  return at > last_left(by, now) && at.at <= now.at + RateLimiter::window_of(by);
}

}  // namespace

struct UsageStore::Database : ReopeningDatabase {
  using ReopeningDatabase::ReopeningDatabase;

  // Visits every entry whose key begins with the letter.
  Status visit_all(char letter, const Each& each) const {
    const std::string begin(1, letter);
    return visit(begin, end_of_prefix(begin), each);
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
      auto until = last;
      const auto visited =
          visit(counted_key(by, begin, {}, {}), end, [&](std::string_view key, std::string_view) {
            if (at_most == 0) {
              if (const auto entry = read_counted_key(key)) until = entry->last;
              return false;
            }
            batch.Delete(slice(key));
            --at_most;
            return true;
          });
      if (!visited) return visited.error();
      begin = until;
    }
    return from;
  }
};

Result<std::unique_ptr<UsageStore>> UsageStore::open(const fs::path& directory,
                                                     const RocksMemory& memory, rocksdb::Env* env) {
  auto options = shared_options(memory);
  if (env != nullptr) options.env = env;
  options.write_buffer_size = 2 << 20;
  options.target_file_size_base = 4 << 20;
  options.max_total_wal_size = 8 << 20;
  auto database = std::make_unique<Database>("The usage store", std::move(options), directory);
  if (const auto opened = database->open(); !opened) return opened.error();
  return std::unique_ptr<UsageStore>(new UsageStore(std::move(database)));
}

UsageStore::UsageStore(std::unique_ptr<Database> database) : database_(std::move(database)) {}

UsageStore::~UsageStore() = default;

Status UsageStore::restore(RateLimiter& limiter, Timestamp now) {
  rocksdb::WriteBatch erased;
  Status written = kDone;
  const auto counted =
      database_->visit_all(kCounted, [&](std::string_view key, std::string_view value) {
        const auto entry = read_counted_key(key);
        if (!entry) return true;
        RateLimiter::Change change;
        change.counted = read_instants(value);
        std::erase_if(change.counted, [&](const auto& instant) {
          return !lies_in_window(instant.first, entry->by, now);
        });
        if (change.counted.empty()) {
          erased.Delete(slice(key));
          if (static_cast<std::size_t>(erased.Count()) < kErasedInABatch) return true;
          written = database_->write(erased);
          return static_cast<bool>(written);
        }
        change.by = entry->by;
        name_subject(entry->whose, change);
        limiter.restore(change);
        return true;
      });
  if (!written) return written.error();
  if (!counted) return counted.error();
  const auto used = database_->visit_all(kUse, [&](std::string_view key, std::string_view value) {
    RateLimiter::Change change;
    change.by = RatedBy::kKey;
    name_subject(key.substr(1), change);
    change.use = read_use(value);
    limiter.restore(change);
    return true;
  });
  if (!used) return used.error();
  const auto elsewhere =
      database_->visit_all(kUseElsewhere, [&](std::string_view key, std::string_view value) {
        if (auto total = read_elsewhere_key(key)) {
          total->use = read_use(value);
          limiter.apply(*total);
        }
        return true;
      });
  if (!elsewhere) return elsewhere.error();
  for (const auto by : kKinds) swept_until_[by] = last_left(by, now);
  return database_->write(erased);
}

Status UsageStore::keep(const std::vector<RateLimiter::Change>& changes, Timestamp now) {
  if (const auto ready = database_->recover(); !ready) return ready.error();
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
    if (const auto written = database_->write(batch); !written) return written.error();
  }
  swept_until_ = *swept;
  return kDone;
}

Status UsageStore::keep(const std::vector<RateLimiter::UseElsewhere>& totals) {
  rocksdb::WriteBatch batch;
  for (const auto& [node, user_id, key_id, use, _] : totals) {
    const auto whose = user_id + '\0' + key_id + '\0' + node;
    if (std::count(whose.begin(), whose.end(), '\0') > 2) continue;  // a node may send anything
    batch.Put(kUseElsewhere + whose, use_bytes(use));
  }
  return database_->write(batch);
}

Status UsageStore::keep_entry(std::string_view key, std::string_view value) {
  rocksdb::WriteBatch batch;
  batch.Put(slice(key), slice(value));
  return database_->write(batch);
}

Status UsageStore::forget_entry(std::string_view key) {
  rocksdb::WriteBatch batch;
  batch.Delete(slice(key));
  return database_->write(batch);
}

Status UsageStore::read_entries(char letter, const EachEntry& each) const {
  return database_->visit_all(letter, [&](std::string_view key, std::string_view value) {
    each(key, value);
    return true;
  });
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
  return database_->write(batch);
}

Result<std::optional<std::string>> UsageStore::find_entry(std::string_view key) const {
  return database_->find(key);
}

Status UsageStore::read_between(std::string_view begin, std::string_view end,
                                const NextEntry& each) const {
  return database_->visit(begin, end, each);
}

Status UsageStore::compact() { return database_->compact({}, {}); }

Status UsageStore::copy_to(const fs::path& directory) const {
  return database_->copy_to(directory);
}

}  // namespace tilth
