// Keeps the request log over restarts.

#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "api/usage/request_log.h"
#include "infra/rocksdb/rocks_memory.h"

namespace rocksdb {
class Env;
}

namespace tilth {

// Operation: note() leaves a request on a list that needs no lock. keep_now_and_then() takes it
// from there each time, and at each tenth call, or once much has come, stores what has come as one
// entry for each owner: of one who asks a lot, only the last thousand requests are ever written. An
// entry's key is its owner and a number that counts the owner's requests up, so the newest are
// found from the end; each entry that is stored erases those before the last thousand. Storing also
// looks at some entries in turn, and erases what is too old.
//
// Threads: note(), find() and collect() from any; keep(), keep_now_and_then() and forget() too, of
// which each waits for the others. None of the first three waits for one that stores.
//
// Crash: what was noted since the last keep() is lost; a power failure may lose some seconds more.
class RocksRequestLog final : public RequestLog {
 public:
  // Called once for each request that was noted, soon after, by one thread at a time.
  using OnNoted = std::function<void(const std::string& owner, const LoggedRequest& request)>;

  // Whether that owner was erased: then no request of theirs is stored any more. Threads: any.
  using IsErased = std::function<bool(const std::string& owner)>;

  // Opens or creates the database. `env`, if any, must outlive it. kUnavailable, kDamaged: as
  // UsageStore::open().
  static Result<std::unique_ptr<RocksRequestLog>> open(const std::filesystem::path& directory,
                                                       const RocksMemory& memory, OnNoted on_noted,
                                                       IsErased is_erased,
                                                       rocksdb::Env* env = nullptr);
  ~RocksRequestLog() override;

  void note(const std::string& owner, LoggedRequest request) override;
  Result<std::vector<LoggedRequest>> find(const std::string& owner, const Filter& filter,
                                          Timestamp now) override;

  // Removes all requests of that owner that were noted by now, from the files too. Those that are
  // still under way are noted later, and not stored if the owner was erased before. kUnavailable.
  Status forget(const std::string& owner);

  // Takes from the list what was noted by now.
  void collect();

  // Stores what was noted by now. kUnavailable: it could not be written. The next call writes it
  // again, as far as memory holds it: what is noted once that is full is dropped.
  Status keep(Timestamp now);

  // For its owner to call about every half second, until it stops and calls keep().
  Status keep_now_and_then(Timestamp now);

 private:
  struct Database;
  struct Noted {
    std::string owner;
    LoggedRequest request;
    Noted* next;
  };

  RocksRequestLog(std::unique_ptr<Database> database, OnNoted on_noted, IsErased is_erased);
  // What an owner has asked for, and is not stored yet: the oldest first.
  using Requests = std::deque<LoggedRequest>;
  struct BeingStored {
    Requests requests;
    std::uint64_t number = 0;  // in its key; 0: not known yet
  };

  void collect_locked();
  void begin_storing();
  Status store(Timestamp now);
  void end_storing(bool stored);

  const std::unique_ptr<Database> database_;
  const OnNoted on_noted_;
  const IsErased is_erased_;
  std::atomic<Noted*> noted_ = nullptr;   // the newest first
  std::atomic<std::size_t> waiting_ = 0;  // requests on that list

  std::mutex storing_;        // guards what follows, and all changes in the database
  std::string looked_until_;  // by the aging

  // Guards what follows. Taken after storing_, and not held while files are read.
  std::mutex mutex_;
  std::unordered_map<std::string, Requests> collected_;
  std::unordered_map<std::string, BeingStored> being_stored_;
  std::size_t held_ = 0;          // requests in the two
  std::uint64_t numberings_ = 0;  // how often numbers were given to what is being stored
  int calls_ = 0;                 // of keep_now_and_then() since it has stored something
};

}  // namespace tilth
