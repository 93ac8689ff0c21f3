// An owner's own history: the events of their stream as JSON lines, or as a continuous stream of
// server-sent events.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/http/exchange.h"
#include "api/keys/access_lease.h"
#include "api/keys/key_digest.h"
#include "api/keys/key_ring.h"
#include "api/platform/fair_executor.h"
#include "api/platform/fair_places.h"
#include "api/platform/streamed_responses.h"
#include "api/routing/route.h"
#include "api/v1/history/stream_bell.h"
#include "events/log/event_log.h"
#include "projections/history/stream_index.h"

namespace tilth {

// The request's filter (docs/api.md, "Your history").
struct HistoryQuery {
  std::optional<std::string> type;        // a name, or the beginning of one and *
  std::optional<Timestamp> since, until;  // inclusive, exclusive
  std::optional<std::string> after;       // the mark of the last event received
  std::optional<std::uint64_t> limit;

  bool wants(const Record& record) const;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("type", type), member("since", since), member("until", until),
       member("after", after));
  }
};

// Operation: a response reads at its client's pace, on the executor, and has no thread of its own.
// One that follows the stream waits for the bell. Their number is limited, per owner and in total.
//
// Threads: answer() from any. Its responses, which are among the streams, end before it is
// destroyed.
class OwnHistory {
 public:
  // Borrowed; must outlive this.
  struct Parts {
    EventLog& log;
    StreamIndex& index;
    StreamBell& bell;  // rung for each accepted record once it is in the log
    const Clock& clock;
    const KeyDigest& digest;
    const KeyRing& keys;
    FairExecutor& executor;
    StreamedResponses& streams;
    AccessLease* lease = nullptr;
  };

  explicit OwnHistory(Parts parts);

  void answer(const std::shared_ptr<Exchange>& exchange, const std::string& owner,
              std::shared_ptr<const HistoryQuery> question);

 private:
  class Reading;

  const Parts parts_;
  FairPlaces places_;
};

std::vector<Route> own_history_routes();

}  // namespace tilth
