// Records every request of an operator that changes something, before it is answered.

#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string_view>
#include <utility>

#include "api/routing/call.h"
#include "api/routing/route.h"
#include "command/loop/command_loop.h"
#include "events/access/audit.h"
#include "events/values/ids.h"
#include "events/values/result.h"

namespace tilth {

// An entry goes to the log of the service as an event, and to the lines that it logs. It is not
// recorded together with the change: the change has happened by then, and its response is never
// withheld or altered. An entry that the log does not take is kept in memory and appended with the
// next one; it does not survive the process, the logged line does.
//
// Threads: any.
class AuditTrail {
 public:
  // Borrowed; must outlive the trail and everything that waits for it.
  struct Parts {
    CommandLoop& access;
    const IdSource& ids;
    std::function<bool()> ready;  // until then the log takes no entries
    // Logs an entry; with why it is not in the log, if so.
    std::function<void(const AuditRecorded& entry, std::string_view not_stored)> log_entry;
  };

  explicit AuditTrail(Parts parts) : parts_(std::move(parts)) {}

  // From now on the response to this call is recorded before it is sent. Three are only logged: an
  // import of a history, which an event would make differ from the one it came from, the comparison
  // of rows with the log, which changes nothing, and a move of the test clock, which no service has
  // that is relied on.
  void begin(const Route& route, const Call& call);

  // Appends the entries that wait. record() does so, too, once the log has taken the earliest one.
  void append_waiting();

  std::uint64_t recorded() const { return recorded_; }
  // Entries that wait for the log, and those that were given up since too many did.
  std::uint64_t waiting() const;
  std::uint64_t lost() const { return lost_; }

 private:
  static constexpr std::size_t kMostWaiting = 1'000;

  void record(AuditRecorded entry, const std::function<void()>& done);
  // While the log takes none, only this one is tried again. kDone if none waits.
  void append_earliest(std::function<void(const Status& taken)> then);
  void append(AuditRecorded entry, const std::function<void()>& done);
  using OnSubmitted = std::function<void(AuditRecorded entry, const Status& taken)>;
  void submit(AuditRecorded entry, OnSubmitted done);
  void put_back(AuditRecorded entry);
  void keep(AuditRecorded entry, std::string_view why);

  const Parts parts_;
  std::atomic<std::uint64_t> recorded_ = 0, lost_ = 0;
  mutable std::mutex mutex_;
  std::deque<AuditRecorded> waiting_;
};

}  // namespace tilth
