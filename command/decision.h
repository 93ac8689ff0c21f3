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

// What a decision must not find out for itself: decide() reads no clock and no random.
struct Context {
  Timestamp now = {};
  Uuid new_id = {};  // fresh, for the one thing that the command makes
  // The entity tags of If-Match, one of which must be that of what is changed; "*" is any.
  std::optional<std::vector<std::string>> if_match = {};
  std::optional<std::int64_t> farm_limit = {};  // of the caller's plan; null: unlimited

  // kPreconditionFailed unless If-Match holds for `row` (RFC 9110, 13.1.1).
  template <class Row>
  Status permits(const Row& row) const {
    if (!if_match) return kDone;
    return permits_tag(entity_tag(render_json(row, now)));
  }

 private:
  Status permits_tag(const std::string& tag) const;
};

// The ids of what one command makes besides its first: those that follow `first`.
Uuid following(Uuid first, std::size_t steps);

// One command, one event. Neither event nor error: it changes nothing. Neither does
// RequestAnswered, which names the row that is shown then.
using Decision = Result<std::optional<Event>>;
using Decide = std::function<Decision(const Rows&, const Context&)>;

// A command to be carried out, and on whose behalf.
struct CommandRequest {
  std::string stream;      // whose rows it is decided on
  std::string actor;       // ce_actor: the key, "operator" or "clock"
  std::string request_id;  // ce_correlationid
  std::optional<Idempotency> idempotency = {};
  Decide decide;  // empty: a part of what fell due by itself is to happen, and nothing else
  // The row that the answer shows when nothing is changed.
  std::string shown_table = {};
  Uuid shown_id = {};
  // For Context.
  std::optional<std::vector<std::string>> if_match = {};
  std::optional<std::int64_t> farm_limit = {};
};

// What a command came to.
struct CommandResult {
  std::optional<Event> event = {};        // none on a replay, and when nothing changed
  std::optional<RowBytes> row = {};       // what is shown
  Timestamp at = {};                      // as it was then
  std::optional<Position> position = {};  // from which on reads see it
  bool replayed = false;
  std::optional<RequestRefused> refusal = {};  // of a replay
};

// Port: carries commands out, those of one stream one after another, and keeps no thread waiting.
class Commands {
 public:
  using OnDone = std::function<void(const Result<CommandResult>&)>;

  virtual ~Commands() = default;

  // Returns at once; call it from any thread. `done` runs once, when the verdict has been read, on
  // the thread that reads: it must not wait. Errors are those of decide(), on the present state and
  // with nothing appended (but a RequestRefused where there is an Idempotency-Key), and
  //
  //   kConflict     the Idempotency-Key was used for another request, or its request still runs
  //                 (then with retry_after_seconds).
  //   kUnavailable  the log did not answer in time, and what came of it is not known; or it was not
  //                 begun. The message says which.
  virtual void carry_out(CommandRequest request, OnDone done) = 0;
};

template <class Command>
Decide deciding(Command command) {
  return [command = std::move(command)](const Rows& rows, const Context& context) {
    return decide(rows, command, context);
  };
}

}  // namespace tilth
