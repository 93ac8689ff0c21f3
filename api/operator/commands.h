// Commands and queries of the operators' routes: on users and keys, and on data of all owners.

#pragma once

#include <functional>
#include <string_view>

#include "api/operator/operator_parts.h"
#include "api/routing/resource_route.h"
#include "projections/access/user.h"

namespace tilth {

inline constexpr int kMostStreams = 32;  // at once, for all operators

// The row in the response when nothing changed.
struct ShownRow {
  std::string_view table = {};
  Uuid id = {};
};

// A stream that operators write to, what runs its commands, and what has its rows.
struct OperatorStream {
  Commands& commands;
  const Projector& projector;
  std::string_view name;
  bool written_here = true;            // this node has the command role
  OperatorParts::RunDue run_due = {};  // waits for the effects of a change elsewhere
  std::function<bool()> ready = {};    // whether the service is; null: it always is
};
OperatorStream access_stream(const OperatorParts& parts);     // users and keys
OperatorStream reference_stream(const OperatorParts& parts);  // data that all owners read

// Runs a command on that stream and sends the response that `show` makes of the result, once this
// node has read the event, or, with a lease, once no node still relies on the earlier state.
void carry_out(OperatorStream on, Call call, Decide decide, ShownRow shown,
               std::function<HttpResponse(const CommandResult&)> show,
               AccessLease* lease = nullptr);

// Whether its rows have all that was acknowledged. kUnavailable: at a start, they have not caught
// up with the log yet, or their projection is halted before an event that it would have folded.
Status has_whole_rows(const OperatorStream& of);

// Runs `question` on the newest rows of that stream, if they are whole, and sends the response.
void answer_from(OperatorStream of, const Call& call,
                 const std::function<Result<HttpResponse>(const Rows&)>& question);

// Runs slow work on a thread of its own; sends 503 if too much runs already.
void run_aside(const OperatorParts& parts, const Call& call, std::function<void()> work);

// kInvalid with these issues.
Error invalid(Issues issues);

}  // namespace tilth
