#include "infra/usage/rocks_request_log.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include <rocksdb/write_batch.h>

#include "events/values/big_endian.h"
#include "infra/rocksdb/reopening_database.h"
#include "infra/rocksdb/rocks_options.h"
#include "infra/rocksdb/slices.h"

namespace tilth {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLookedAtOnce = 200;     // entries, by a keep()
constexpr std::size_t kMostWaiting = 100'000;  // requests; about 30 MB
constexpr std::size_t kMuch = kMostWaiting / 5;
constexpr int kCallsUntilKept = 10;
constexpr std::size_t kTimeBytes = 8;

// The keys of an owner's requests begin with it.
std::string prefix_of(std::string_view owner) { return std::string(owner) + '\0'; }

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
  // Earlier versions wrote the digit alone.
  bytes.append(request.replayed ? "1" : "0");
  if (request.traceparent) bytes.append(*request.traceparent);
  bytes.push_back('\0');
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
  const auto last = text();
  request.replayed = last.starts_with('1');
  if (last.size() > 1) request.traceparent = last.substr(1);
  return whole ? std::optional(std::move(request)) : std::nullopt;
}

Timestamp oldest_kept(Timestamp now) { return {now.at - RequestLog::kKept}; }

}  // namespace

struct RocksRequestLog::Database : ReopeningDatabase {
  using ReopeningDatabase::ReopeningDatabase;

  // An entry begins with the time of its newest request. Adds the deletion of what is too old among
  // the next entries, and returns the last of these; empty: the end is reached.
  Result<std::string> age(rocksdb::WriteBatch& batch, const std::string& from,
                          Timestamp now) const {
    const auto oldest = oldest_kept(now).sort_key();
    std::size_t looked = 0;
    std::string last;
    const auto visited = visit(from, {}, [&](std::string_view key, std::string_view entry) {
      if (entry < oldest) batch.Delete(slice(key));
      last = key;
      return ++looked < kLookedAtOnce;
    });
    if (!visited) return visited.error();
    return looked < kLookedAtOnce ? std::string() : last;
  }

  // The number of the owner's newest request; 0: there is none.
  Result<std::uint64_t> newest_number(const std::string& prefix) const {
    std::uint64_t number = 0;
    const auto visited =
        visit_backwards(prefix, end_of_prefix(prefix), [&](std::string_view key, std::string_view) {
          number = read_big_endian(key.substr(prefix.size()));
          return false;
        });
    if (!visited) return visited.error();
    return number;
  }

  // Adds the owner's requests, and the deletion of those that are no longer among the last
  // thousand. Returns the number in the key of what it adds.
  Result<std::uint64_t> add(rocksdb::WriteBatch& batch, const std::string& owner,
                            const std::deque<LoggedRequest>& requests) const {
    constexpr std::uint64_t kMost = RequestLog::kMostOfOwner;
    const auto prefix = prefix_of(owner);
    const auto before = newest_number(prefix);
    if (!before) return before.error();
    const auto after = *before + requests.size();
    auto bytes = requests.back().time.sort_key();
    for (const auto& request : requests) encode(request, bytes);
    batch.Put(prefix + big_endian(after), bytes);
    if (after <= kMost) return after;
    // Those before were erased before.
    const auto begin = prefix + big_endian(*before > kMost ? *before - kMost : 0);
    const auto end = prefix + big_endian(after - kMost + 1);
    const auto visited = visit(begin, end, [&](std::string_view key, std::string_view) {
      batch.Delete(slice(key));
      return true;
    });
    if (!visited) return visited.error();
    return after;
  }
};

Result<std::unique_ptr<RocksRequestLog>> RocksRequestLog::open(const fs::path& directory,
                                                               const RocksMemory& memory,
                                                               OnNoted on_noted, IsErased is_erased,
                                                               rocksdb::Env* env) {
  auto options = shared_options(memory);
  if (env != nullptr) options.env = env;
  options.write_buffer_size = 2 << 20;
  options.target_file_size_base = 4 << 20;
  options.max_total_wal_size = 8 << 20;
  auto database = std::make_unique<Database>("The request log", std::move(options), directory);
  if (const auto opened = database->open(); !opened) return opened.error();
  return std::unique_ptr<RocksRequestLog>(
      new RocksRequestLog(std::move(database), std::move(on_noted), std::move(is_erased)));
}

RocksRequestLog::RocksRequestLog(std::unique_ptr<Database> database, OnNoted on_noted,
                                 IsErased is_erased)
    : database_(std::move(database)),
      on_noted_(std::move(on_noted)),
      is_erased_(std::move(is_erased)) {}

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
  const std::lock_guard lock(mutex_);
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
    if (held_ >= kMostWaiting) continue;
    auto& requests = collected_[noted->owner];
    if (requests.size() == kMostOfOwner) {
      requests.pop_front();
      --held_;
    }
    requests.push_back(std::move(noted->request));
    ++held_;
  }
}

Status RocksRequestLog::keep(Timestamp now) {
  const std::lock_guard storing(storing_);
  begin_storing();
  const auto stored = store(now);
  end_storing(bool(stored));
  return stored;
}

void RocksRequestLog::begin_storing() {
  const std::lock_guard lock(mutex_);
  collect_locked();
  for (auto& [owner, requests] : collected_) being_stored_[owner].requests = std::move(requests);
  collected_.clear();
}

// Only this thread changes being_stored_ until end_storing(), so it may read it without the lock.
Status RocksRequestLog::store(Timestamp now) {
  if (const auto ready = database_->recover(); !ready) return ready.error();
  rocksdb::WriteBatch batch;
  auto looked_until = database_->age(batch, looked_until_, now);
  if (!looked_until) return looked_until.error();
  std::vector<std::pair<BeingStored*, std::uint64_t>> numbers;
  for (auto& [owner, its] : being_stored_) {
    if (is_erased_(owner)) continue;
    const auto number = database_->add(batch, owner, its.requests);
    if (!number) return number.error();
    numbers.emplace_back(&its, *number);
  }
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [its, number] : numbers) its->number = number;
    ++numberings_;
  }
  if (batch.Count() > 0) {
    if (const auto written = database_->write(batch); !written) return written.error();
  }
  looked_until_ = std::move(*looked_until);
  return kDone;
}

// What could not be stored is collected again, as far as it is among the last thousand.
void RocksRequestLog::end_storing(bool stored) {
  const std::lock_guard lock(mutex_);
  for (auto& [owner, its] : being_stored_) {
    held_ -= its.requests.size();
    if (stored) continue;
    auto& later = collected_[owner];
    const auto kept = std::min(its.requests.size(), kMostOfOwner - later.size());
    later.insert(later.begin(), std::make_move_iterator(its.requests.end() - std::ptrdiff_t(kept)),
                 std::make_move_iterator(its.requests.end()));
    held_ += kept;
  }
  being_stored_.clear();
  if (stored) calls_ = 0;  // else the next call tries again
}

Status RocksRequestLog::keep_now_and_then(Timestamp now) {
  {
    const std::lock_guard lock(mutex_);
    collect_locked();
    if (++calls_ < kCallsUntilKept && held_ < kMuch) return kDone;
  }
  return keep(now);
}

Status RocksRequestLog::forget(const std::string& owner) {
  const std::lock_guard storing(storing_);
  {
    const std::lock_guard lock(mutex_);
    collect_locked();
    if (const auto its = collected_.find(owner); its != collected_.end()) {
      held_ -= its->second.size();
      collected_.erase(its);
    }
  }
  const auto prefix = prefix_of(owner);
  rocksdb::WriteBatch batch;
  const auto visited =
      database_->visit(prefix, end_of_prefix(prefix), [&](std::string_view key, std::string_view) {
        batch.Delete(slice(key));
        return true;
      });
  if (!visited) return visited;
  if (const auto written = database_->write(batch); !written) return written;
  return database_->compact(prefix, end_of_prefix(prefix));
}

// What is being stored is shown from memory, and passed over in the database. What was given its
// number since it was read from memory is not known as such, so all is read again.
Result<std::vector<LoggedRequest>> RocksRequestLog::find(const std::string& owner,
                                                         const Filter& filter, Timestamp now) {
  for (;;) {
    std::vector<LoggedRequest> found;
    std::size_t seen = 0;
    const auto see = [&](LoggedRequest& request) {
      if (seen++ >= kMostOfOwner || request.time < oldest_kept(now)) return;
      if (filter.matches(request)) found.push_back(std::move(request));
    };
    const auto see_all = [&](auto requests) {
      std::for_each(requests.rbegin(), requests.rend(), see);
    };
    std::uint64_t numberings = 0, being_stored = 0;
    {
      const std::lock_guard lock(mutex_);
      collect_locked();
      if (const auto its = collected_.find(owner); its != collected_.end()) see_all(its->second);
      if (const auto its = being_stored_.find(owner); its != being_stored_.end()) {
        see_all(its->second.requests);
        being_stored = its->second.number;
      }
      numberings = numberings_;
    }
    const auto prefix = prefix_of(owner);
    const auto read = database_->visit_backwards(
        prefix, end_of_prefix(prefix), [&](std::string_view key, std::string_view bytes) {
          if (read_big_endian(key.substr(prefix.size())) == being_stored) return true;
          bytes.remove_prefix(std::min(bytes.size(), kTimeBytes));
          std::vector<LoggedRequest> entry;
          while (auto request = decode(bytes)) entry.push_back(std::move(*request));
          see_all(std::move(entry));
          return seen < kMostOfOwner;
        });
    // While the disk is full, the rest is shown later.
    if (!read && read.error().code != ErrorCode::kUnavailable) return read.error();
    const std::lock_guard lock(mutex_);
    if (numberings == numberings_) return found;
  }
}

}  // namespace tilth
