// An owner's own history: the events of their stream as JSON lines, or as server-sent events that
// go on.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "api/http/exchange.h"
#include "api/keys/access_lease.h"
#include "api/keys/key_digest.h"
#include "api/keys/key_ring.h"
#include "api/platform/streams.h"
#include "api/routing/route.h"
#include "api/v1/history/stream_bell.h"
#include "events/log/event_log.h"
#include "projections/history/stream_index.h"

namespace tilth {

// What of it is asked for (docs/api.md, "Your history").
struct HistoryQuery {
  std::optional<std::string> type;        // a name, or the beginning of one and *
  std::optional<Timestamp> since, until;  // inclusive, exclusive
  std::optional<std::string> after;       // the mark of the last event that is known
  std::optional<std::uint64_t> limit;

  bool wants(const Record& record) const;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("type", type), member("since", since), member("until", until),
       member("after", after));
  }
};

// Operation: each answer has a thread of its own, which reads as much as its client takes, and
// waits for the stream's bell where it follows. There are not many of one owner, nor in all.
//
// Threads: answer() from any. Destroying it waits for the answers: close their clients first.
class OwnHistory {
 public:
  // All of it outlives this.
  struct Parts {
    EventLog& log;
    StreamIndex& index;
    StreamBell& bell;  // rung for each accepted record, once it is in the log
    const Clock& clock;
    const KeyDigest& digest;
    const KeyRing& keys;
    AccessLease* lease = nullptr;
  };

  explicit OwnHistory(Parts parts) : parts_(parts) {}

  void answer(const std::shared_ptr<Exchange>& exchange, const std::string& owner,
              std::shared_ptr<const HistoryQuery> question);

 private:
  class Reading;
  friend class Reading;

  bool begin(const std::string& owner);
  void end(const std::string& owner);

  const Parts parts_;
  std::mutex mutex_;  // guards what follows
  std::map<std::string, int> running_;
  StreamThreads threads_;  // last: it waits for those that run
};

std::vector<Route> own_history_routes();

}  // namespace tilth
