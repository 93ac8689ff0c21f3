// How operators' routes ask and change what is known: of users and keys, and for all owners.

#pragma once

#include <functional>
#include <string_view>

#include "api/operator/operator_parts.h"
#include "api/routing/resource_route.h"
#include "projections/access/user.h"

namespace tilth {

inline constexpr int kMostStreams = 32;  // at once, of all operators

// The row that an answer shows when nothing was changed.
struct ShownRow {
  std::string_view table = {};
  Uuid id = {};
};

// A stream that operators write to, and the loop that carries its commands out.
struct OperatorStream {
  CommandLoop& loop;
  std::string_view name;
  bool written_here = true;           // this node has the role command
  OperatorParts::Settle settle = {};  // what a change there leads to elsewhere
};
OperatorStream access_stream(const OperatorParts& parts);     // users and keys
OperatorStream reference_stream(const OperatorParts& parts);  // what all owners read

// Carries a command out on that stream, and answers what `show` makes of it: once this node has
// read what was done, or, with a lease, once no node can believe what was so before.
void carry_out(OperatorStream on, Call call, Decide decide, ShownRow shown,
               std::function<HttpResponse(const CommandResult&)> show,
               AccessLease* lease = nullptr);

// Answers from the newest rows of that stream.
void answer_from(OperatorStream of, const Call& call,
                 const std::function<Result<HttpResponse>(const Rows&)>& question);

// Runs what takes long on a thread of its own; answers 503 instead when too much runs already.
void run_aside(const OperatorParts& parts, const Call& call, std::function<void()> work);

// kInvalid with these issues.
Error invalid(Issues issues);

}  // namespace tilth
