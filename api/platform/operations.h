// Runs commands on the command loop and queries on the rows of a projection, as of now or of an
// earlier time.

#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/guards/key_guard.h"
#include "api/platform/expensive_queries.h"
#include "api/platform/fair_executor.h"
#include "api/platform/fair_places.h"
#include "api/platform/joint_queries.h"
#include "api/platform/row_faults.h"
#include "api/platform/streamed_responses.h"
#include "api/routing/call.h"
#include "api/routing/operation.h"
#include "api/routing/route.h"
#include "api/usage/byte_quota.h"
#include "command/loop/cells.h"
#include "events/values/time.h"

namespace tilth {

class AsOf;
class Forwarding;
class OwnHistory;
class RowMeter;

// Operation: a query begins on the calling thread, which usually owns sockets, and may read there
// what takes a few milliseconds. A query that wants more begins again on the executor, and so do
// later ones like it; one that is known to be long begins there. Large bodies, and all but small
// ones with a geometry, are checked there, too.
//
// Threads: carry_out() from any. Stop the executor before this is destroyed.
class Operations {
 public:
  struct Settings {
    PlanLookup plan;
    // The roles of this node.
    bool commands = true;
    bool queries = true;
  };
  // Borrowed; must outlive the operations.
  struct Parts {
    Cells& registry;
    Commands& changes;  // carries out the commands: the registry, or a port in front of it
    const RowFaults& row_faults;
    const Clock& clock;
    FairExecutor& executor;      // for what is expensive
    StreamedResponses& streams;  // for responses sent in pieces
    OwnHistory* own_history = nullptr;
    AsOf* as_of = nullptr;
    std::map<std::string_view, Cells*> others = {};  // the other projections of routes
    ByteQuota* bytes = nullptr;                      // null: not limited
    Forwarding* forwarding = nullptr;                // null: all owners' rows are here
  };

  Operations(Settings settings, Parts parts);

  // Sends the response, now or later. Errors in the order that the contract fixes: 400 for the
  // headers, INVALID_ID, VALIDATION_ERROR, and then what depends on stored state.
  void carry_out(const Route& route, const Operation& operation, Call call);

  // The same, but the whole body is read on the calling thread, so that the changes of several
  // calls are decided in their order. Not from a server's thread.
  void carry_out_here(const Route& route, const Operation& operation, Call call);

 private:
  static constexpr std::chrono::seconds kTimeout{2};  // for Tilth-Min-Position

  // A request that is ready to run.
  struct Work {
    Call call;
    const Route* route;
    const Operation* operation;
    Result<Intent> intent;
    std::optional<Idempotency> idempotency;
    std::optional<Timestamp> as_of;  // null: now

    const std::string& owner() const { return call.user_id(); }
    std::string stream() const {  // whose rows it reads
      return operation->stream.empty() ? owner() : std::string(operation->stream);
    }
    bool mutates() const { return route->method != "GET"; }
  };

  void read(const Route& route, const Operation& operation, Call call);
  void begin(Work work);
  void command(Work work);
  Decide within_quota(const std::string& owner, const PlanLimits& limits, Decide decide) const;
  void query(Work work);
  void query_registry(Work work);
  void query_other(Work work, const std::vector<Position>& since);
  void query_when_aged(Work work, CommandLoop& loop, const std::string& stream, Timestamp now);
  void query_past(Work work);
  void answer_from(const Work& work, const RowView& view, Timestamp now);
  void answer_from(const Work& work, const RowView& view, Timestamp now, RowMeter& meter);
  void answer_later(const Work& work, const RowView& view, Timestamp now, std::uint64_t hash);
  std::size_t answer_under(WorkToken& token, const Work& work, const RowView& view, Timestamp now);
  void send_piece_by_piece(const Work& work, RowView view, QueryResult answer);

  const Settings settings_;
  const Parts parts_;
  ExpensiveQueries expensive_;
  FairPlaces long_answers_;
  const std::shared_ptr<FairPlaces> waits_;  // for Tilth-Min-Position
  JointQueries joint_;
};

}  // namespace tilth
