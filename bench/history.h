// Synthetic histories for benchmarks: events are appended to a log and folded as the service would
// do it, with many appends in flight.

#pragma once

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

#include "api/keys/key_digest.h"
#include "events/access/user.h"
#include "events/log/catalogue.h"
#include "events/log/log_end.h"
#include "infra/bulk/bulk_fold.h"
#include "infra/embedded/embedded_event_log.h"
#include "infra/node/data_directory.h"
#include "infra/rocksdb/rocks_store.h"
#include "infra/system/clock.h"
#include "infra/system/random.h"
#include "projections/fold/projector.h"

namespace tilth::bench {

inline constexpr std::size_t kInFlight = 8'192;
inline constexpr std::size_t kCacheBytes = 32 << 20, kWriteBytes = 24 << 20;

template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(*result);
}

// Appends the events of one stream after another, with many appends in flight.
class History {
 public:
  History(EventLog& log, const std::string& node) : log_(log), node_(node) {}

  // Further events belong to `stream`, which is at `version`.
  void begin(const std::string& stream, std::uint64_t version = 0) {
    stream_ = stream, version_ = version;
  }
  std::uint64_t version() const { return version_; }

  // Adds a user of the plan `bench` with a key for all scopes: two events of the access stream,
  // which is at `version`.
  std::pair<std::string, std::string> add_user(const std::string& key_secret,
                                               std::uint64_t version = 0) {
    const auto user = ids_.nanoid("user_"), key = "svc_live_" + ids_.hex(24);
    KeyDetails details;
    details.name = "Bench", details.scopes = {"all"};
    begin(std::string(kAccessStream), version);
    append(UserRegistered{
        user, "bench" + std::to_string(version) + "@example.com", {}, "bench", {}, now()});
    append(ApiKeyMinted{ids_.nanoid("key_"), user, details, key.substr(0, 12),
                        KeyDigest(key_secret).of(key), now()});
    return {user, key};
  }

  void append(Event event) {
    auto encoded = encode(event);
    {
      std::unique_lock lock(mutex_);
      room_.wait(lock, [this] { return in_flight_ < kInFlight; });
      ++in_flight_;
    }
    const auto id = ids_.uuid(clock_.now()).text();
    log_.append({.stream = stream_,
                 .envelope = {.id = id,
                              .type = std::move(encoded.type),
                              .schema_version = encoded.version,
                              .source = node_,
                              .time = clock_.now(),
                              .stream_version = version_++,
                              .correlation_id = id,
                              .causation_id = id,
                              .actor = "bench"},
                 .json = std::move(encoded.json)},
                [this](const Result<Position>& end) {
                  const std::lock_guard lock(mutex_);
                  failed_ += !end;
                  --in_flight_;
                  room_.notify_one();
                });
  }

  void finish() {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [this] { return in_flight_ == 0; });
    if (failed_ > 0) throw std::runtime_error("The log did not take every event.");
  }

  Timestamp now() const { return clock_.now(); }
  Uuid uuid() const { return ids_.uuid(clock_.now()); }
  const IdSource& ids() const { return ids_; }

 private:
  EventLog& log_;
  const std::string node_;
  const SystemClock clock_;
  const IdSource ids_{fill_random};
  std::string stream_;
  std::uint64_t version_ = 0;
  std::mutex mutex_;
  std::condition_variable room_;
  std::size_t in_flight_ = 0;
  std::size_t failed_ = 0;
};

// Follows `log` until `events` of its events are folded; returns events per second.
inline double fold(EventLog& log, const std::filesystem::path& views, Projection projection,
                   std::uint64_t events) {
  const RocksMemory memory(kCacheBytes, kWriteBytes);
  const auto name = projection.name, fingerprint = projection.fingerprint;
  const auto store = must(RocksStore::open(views, name, 1, fingerprint, memory));
  Projector projector(log, *store, std::move(projection),
                      [](const auto&, bool, const auto&, const auto&) {});
  if (const auto opened = projector.open(); !opened) {
    throw std::runtime_error(opened.error().message);
  }
  const auto began = std::chrono::steady_clock::now();
  while (projector.progress().folded < events && must(projector.follow(std::chrono::seconds(5)))) {
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  return static_cast<double>(projector.progress().folded) / took.count();
}

// As fold(), but in bulk, up to the end of the log.
inline double fold_in_bulk(EventLog& log, const std::filesystem::path& views,
                           const Projection& projection) {
  const RocksMemory memory(kCacheBytes, kWriteBytes);
  const auto store =
      must(RocksStore::open(views, projection.name, 1, projection.fingerprint, memory));
  BulkFold fold(log, {{projection, *store}}, must(ends_of(log)));
  const auto began = std::chrono::steady_clock::now();
  if (const auto done = fold.run([] { return true; }).front(); !done) {
    throw std::runtime_error(done.error().message);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  return static_cast<double>(fold.progress().folded) / took.count();
}

}  // namespace tilth::bench
