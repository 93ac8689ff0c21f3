// What may be asked of an entry: to write it down, and to take it away again. `at` comes from the
// path, the described members from the body.

#pragma once

#include "command/decision.h"
#include "projections/entry.h"

namespace tilth {

template <class Row>
struct RecordEntry {
  typename Row::ParentPath at;
  typename Row::Details details;

  template <class Archive>
  void serialize(Archive& ar) {
    details.serialize(ar);
  }
  void check(Issues& issues) const {
    if constexpr (requires { details.check(issues); }) details.check(issues);
  }
};

template <class Row>
struct RemoveEntry {
  EntryPath<Row> at;
};

// Row::Recorded, as it was said. kNotFound: what it is to be recorded on is not there.
template <class Row>
Decision decide(const Rows& rows, const RecordEntry<Row>& command, const Context& context) {
  const auto on = find(rows, command.at);
  if (!on) return there_is_no<typename decltype(on)::value_type>();
  return typename Row::Recorded{{{context.new_id}, where(*on), command.details, context.now}};
}

// Row::Removed. kNotFound: no such entry, or it was removed before. kPreconditionFailed.
template <class Row>
Decision decide(const Rows& rows, const RemoveEntry<Row>& command, const Context& context) {
  const auto entry = find(rows, command.at);
  if (!entry) return there_is_no<Row>();
  if (const auto held = context.permits(*entry); !held) return held.error();
  return typename Row::Removed{{entry->id, context.now}};
}

}  // namespace tilth
