// Carries out batches: lists of requests that are sent as one.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "api/guards/guards.h"
#include "api/platform/executor.h"
#include "api/platform/fair_places.h"
#include "api/platform/row_faults.h"
#include "api/platform/single_requests.h"
#include "api/routing/call.h"
#include "command/loop/cells.h"

namespace tilth {

// Operation: each request of a batch is carried out as a single one, in the batch's order. The next
// change begins while the log stores those before it; a read, and what needs the id that another
// request answers, waits for that. If the batch stops on errors, a change is decided only once all
// before it have been, and none was refused. All that computes runs on the executor.
//
// Limits: of batches, of changes that a batch has begun at once, and of the bytes that its requests
// answer together: what comes after those is not begun, and answered 413 in its place.
//
// With an Idempotency-Key, an event in the owner's stream ties the key to the batch before its
// first request, and each change has a key that follows from it. The same batch, sent again,
// replays what was done and carries out the rest; reads are read again.
//
// Threads: any. Crash: what was not acknowledged may or may not have happened. Stop the executor
// and the command loop before this is destroyed.
class Batches {
 public:
  // Borrowed; must outlive the batches.
  struct Parts {
    Cells& registry;
    Commands& changes;  // carries out the commands: the registry, or a port in front of it
    const Guards& guards;
    const RowFaults& row_faults;
    Executor& executor;
    bool commands = true;  // whether this node has that role
  };

  static constexpr std::size_t kMostBody = std::size_t{8} << 20;
  static constexpr std::size_t kMostAnswered = std::size_t{16} << 20;  // bytes of a batch's answers

  explicit Batches(Parts parts);

  // Sends the response, later. `singles` must outlive the batches.
  void carry_out(Call call, const SingleRequests& singles);

  // For metrics: requests within batches, since the start, and batches now.
  struct Counts {
    std::uint64_t succeeded = 0, failed = 0, not_attempted = 0, batches = 0, running = 0;
  };
  Counts counts() const;

 private:
  class Batch;
  friend class Batch;

  // Keeps a second request with the same Idempotency-Key from running meanwhile. Null: one runs.
  std::shared_ptr<void> occupy(const std::string& owner, const std::string& key);

  const Parts parts_;
  FairPlaces places_;
  std::mutex mutex_;
  std::set<std::string> running_keys_;  // owner and Idempotency-Key; guarded by the mutex
  std::atomic<std::uint64_t> succeeded_ = 0, failed_ = 0, not_attempted_ = 0, batches_ = 0;
  std::atomic<std::uint64_t> running_ = 0;
};

}  // namespace tilth
