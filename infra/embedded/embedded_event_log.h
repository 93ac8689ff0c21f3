// An event log inside the service's own process: no broker, one directory, nothing lost.

#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "events/log/event_log.h"
#include "infra/embedded/head_cache.h"
#include "infra/embedded/record_store.h"
#include "infra/embedded/record_tail.h"

namespace tilth {

struct EmbeddedEventLogOptions {
  RecordStoreOptions store = {};
  std::size_t tail_bytes = 8 << 20;     // of the newest records, kept in memory for readers
  std::size_t cached_streams = 16'384;  // whose versions are kept in memory
  // Called on the log's thread for each written group, with its size and how long the write took.
  std::function<void(std::size_t records, std::chrono::nanoseconds took)> on_group =
      [](std::size_t, std::chrono::nanoseconds) {};
  // Between tries to reopen the store.
  std::function<std::chrono::steady_clock::time_point()> steady = std::chrono::steady_clock::now;
  // If there is one, the log has no thread: after this was called, the caller must turn the log.
  // Called on any thread.
  std::function<void()> wake = {};
};

// Operation: one partition. Records that are appended while the last group is being synced form the
// next group: the log checks their expected versions, leaves out the stale ones, and stores the
// rest in one write with one sync. Then it wakes waiting readers, and then it completes the group's
// appends. Everything is kept from offset 0 on, without gaps.
//
// A record that cannot be sealed, since its owner's key cannot be read, completes with kUnavailable
// alone.
//
// When a write fails, its whole group completes with kUnavailable, and so do later appends until
// the log has reopened its store. Appends trigger that, with increasing pauses between tries, and
// so does end(), so that a node without new changes recovers, too. Readers continue meanwhile.
//
// Concurrency: one thread of its own, or the one that turns it, writes and runs all completions.
// Readers at the tail are served from memory, lagging ones from disk, in parallel.
//
// Crash: see RecordStore.
class EmbeddedEventLog final : public EventLog {
 public:
  using Options = EmbeddedEventLogOptions;

  // Fails as RecordStore::open() does.
  static Result<std::unique_ptr<EmbeddedEventLog>> open(const std::filesystem::path& directory,
                                                        Options options = {});
  // What waits is stored first, or, if the log has no thread, never completes.
  ~EmbeddedEventLog() override;

  // Carries out what waits. For a log that has no thread of its own. Threads: one.
  void turn();

  using Wanted = RecordTail::Wanted;

  // The same log, for readers that want some streams only. next() leaves out newer records of other
  // streams; so that its caller knows how far it has read, the last one on a page may be one of
  // them. Such records alone end a wait only when the caller would be some milliseconds behind. The
  // log must outlive it. Threads: any; `wanted` is called on any.
  std::unique_ptr<EventLog> only(Wanted wanted);

  void append(Record record, OnAppended done) override;
  Result<std::unique_ptr<LogReader>> read(const std::vector<Position>& from) override {
    return read(from, {});
  }
  void end(int partition, OnEnd done) override;
  bool is_sequential() const override { return true; }
  int partitions() const override { return 1; }
  int virtual_partitions() const override { return 12; }
  std::string trouble() const override;

  // Makes these tables the history of an empty log. Waits for the writer: do not call it from one
  // of the log's completions. As RecordStore::adopt(). Threads: any.
  Status adopt(const RecordTables& tables);

  bool is_sealed() const { return store_->is_sealed(); }

  // As RecordStore::encode(), for tables to adopt(), which makes new keys of owners durable.
  // Threads: any.
  Status encode(std::int64_t offset, const Record& record, std::string& bytes) const {
    return store_->encode(offset, record, NewKeys::kUntilSync, bytes);
  }

  // Drops the records in memory, which hold what is sealed on disk: an owner was erased. Threads:
  // any.
  void forget_recent() { tail_.forget(); }

  // Moves the oldest records to files, while the log is in use. As RecordStore::archive(). Threads:
  // any; calls wait for one another.
  Result<std::int64_t> archive(const ArchiveOrder& order);
  const LogArchive& archived() const { return store_->archived(); }

  // As LogArchive::look(). Threads: any.
  Status look_at_archive() { return store_->look_at_archive(); }

  // For backups, while the log is in use. As RecordStore::copy_to(). Threads: any.
  Status copy_to(const std::filesystem::path& directory) { return store_->copy_to(directory); }

 private:
  class Reader;
  class Part;

  struct Append {
    LoggedRecord logged;
    OnAppended done;
  };
  struct Adoption {
    const RecordTables* tables;
    std::function<void(const Status&)> done;
  };
  struct Work {
    std::vector<Append> appends;
    std::vector<OnEnd> ends;
    std::vector<Adoption> adoptions;
    bool empty() const { return appends.empty() && ends.empty() && adoptions.empty(); }
  };

  EmbeddedEventLog(std::unique_ptr<RecordStore> store, Options options);

  Result<std::unique_ptr<LogReader>> read(const std::vector<Position>& from, Wanted wanted);
  void run();
  void notify_writer();
  void carry_out(Work work);
  void write_group(std::span<Append> group);
  Status take_in(const RecordTables& tables);
  std::vector<Result<Position>> store_group(std::span<Append> group);
  Result<StreamHead> head(const std::string& stream);
  Status recover();
  void refuse_unencoded(const Error& error);
  void refuse_because(std::string why);
  void fail(const Error& error);

  const Options options_;
  const std::unique_ptr<RecordStore> store_;
  RecordTail tail_;

  std::mutex archiving_;
  mutable std::mutex mutex_;  // guards the three that follow
  Work waiting_;
  bool closing_ = false;
  std::string refuses_because_;
  std::condition_variable arrived_;

  // Used only on the writer's thread.
  HeadCache heads_;
  bool broken_ = false;
  std::string trouble_;    // the last reported reason why nothing can be written
  std::string unencoded_;  // the last reported reason why one record could not be
  std::chrono::milliseconds retry_after_{0};
  std::chrono::steady_clock::time_point retry_at_{};

  std::thread writer_;  // none if the caller turns the log
};

}  // namespace tilth
