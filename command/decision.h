// The shape of every decision: rows and a command in; one event, nothing, or a refusal out.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "events/log/event.h"
#include "events/log/event_log.h"
#include "events/values/result.h"
#include "projections/fold/projector.h"
#include "projections/rows/rendered_row.h"

namespace tilth {

// An owner's rules make at most so many tasks on one UTC day: a request of a few bytes can make
// 141.
inline constexpr std::int64_t kRuleTasksADay = 10'000;

// What a decision must not obtain itself: decide() reads no clock and no random source.
struct Context {
  Timestamp now = {};
  Uuid new_id = {};  // fresh, for the record that the command creates
  // The entity tags of If-Match, one of which must match the row that is changed; "*" matches any.
  std::optional<std::vector<std::string>> if_match = {};
  std::optional<std::int64_t> farm_limit = {};  // of the caller's plan; null: unlimited
  std::int64_t rule_tasks_a_day = kRuleTasksADay;

  // kPreconditionFailed unless If-Match holds for `row` (RFC 9110, 13.1.1).
  template <class Row>
  Status permits(const Row& row) const {
    if (!if_match) return kDone;
    return permits_tag(entity_tag(render_json(row, now)));
  }

 private:
  Status permits_tag(const std::string& tag) const;
};

// The ids of further records that one command creates: those that follow `first`.
Uuid following(Uuid first, std::size_t steps);

// One command, one event. Neither event nor error means no change. RequestAnswered is no change
// either; it names the row to show.
using Decision = Result<std::optional<Event>>;
using Decide = std::function<Decision(const Rows&, const Context&)>;

class CommandTimes;

// A command to run, and the actor it runs for.
struct CommandRequest {
  std::string stream;            // whose rows it is decided on
  std::string actor;             // ce_actor: the key, "operator" or "clock"
  std::string request_id;        // ce_correlationid
  std::string traceparent = {};  // ce_traceparent; empty: none
  std::optional<Idempotency> idempotency = {};
  Decide decide;  // empty: run a part of what fell due, and nothing else
  // The row in the response when nothing changes.
  std::string shown_table = {};
  Uuid shown_id = {};
  // For Context.
  std::optional<std::vector<std::string>> if_match = {};
  std::optional<std::int64_t> farm_limit = {};
  // Notes when its parts were done; null: no one wants to know.
  std::shared_ptr<CommandTimes> times = {};
};

// The result of a command.
struct CommandResult {
  std::optional<Event> event = {};        // none on a replay, or if nothing changed
  std::optional<RowBytes> row = {};       // the row to show
  Timestamp at = {};                      // the time of that row's state
  std::optional<Position> position = {};  // reads from there on include it
  bool replayed = false;
  std::optional<RequestRefused> refusal = {};  // of a replay
};

// Port: runs commands, those of one stream one after another, without blocking a thread.
class Commands {
 public:
  using OnDone = std::function<void(const Result<CommandResult>&)>;

  virtual ~Commands() = default;

  // Returns at once; call it from any thread. `done` runs once, when the verdict has been read, on
  // the thread that reads: it must not block. Errors are those of decide(), on the current state
  // and with nothing appended (except a RequestRefused if there is an Idempotency-Key), and
  //
  //   kConflict     the Idempotency-Key was used for another request, or its request still runs
  //                 (then with retry_after_seconds).
  //   kUnavailable  the log did not respond in time, and the outcome is unknown; or the command did
  //                 not start. The message says which.
  virtual void carry_out(CommandRequest request, OnDone done) = 0;
};

template <class Command>
Decide deciding(Command command) {
  return [command = std::move(command)](const Rows& rows, const Context& context) {
    return decide(rows, command, context);
  };
}

}  // namespace tilth
