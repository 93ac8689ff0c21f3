// Creates, updates and deletes records: the commands and decisions that all kinds of records share.
// `at` comes from the path, the described members from the body.

#pragma once

#include "command/decision.h"
#include "projections/land/record.h"

namespace tilth {

// Further rules for a kind of record: specialize it where a Row's commands are, with any of
//
//   // Checks a request; the issues of members that are invalid only together.
//   static void check(const Details& or Changes&, Issues&);
//   // Completes the details of a new record. kNotFound, kPlanLimitExceeded, kConflict.
//   static Status complete(const Rows&, const ParentPath&, Details&, const Id<Row>&, const
//   Context&);
//   // Whether what the changes refer to exists. kNotFound.
//   static Status references(const Rows&, const Row& before, const Changes&);
//   // kConflict: the changes break a rule about other records.
//   static Status conflicts(const Rows&, const Row& before, const Changes&);
template <class Row>
struct RecordRules {};

template <class Row>
struct Create {
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
struct Update {
  typename Row::Path at;
  typename Row::Changes changes;

  template <class Archive>
  void serialize(Archive& ar) {
    changes.serialize(ar);
  }
  void check(Issues& issues) const {
    if constexpr (requires { RecordRules<Row>::check(changes, issues); }) {
      RecordRules<Row>::check(changes, issues);
    }
  }
};

template <class Row>
struct Delete {
  typename Row::Path at;
};

// Row::Created. kNotFound: its parent record does not exist. And the errors of its rules.
template <class Row>
Decision decide(const Rows& rows, const Create<Row>& command, const Context& context) {
  using OwnRules = RecordRules<Row>;
  const auto parent = find(rows, command.at);
  if (!parent) return there_is_no<typename decltype(parent)::value_type>();
  const Id<Row> id{context.new_id};
  auto details = command.details;
  if constexpr (requires { OwnRules::complete(rows, command.at, details, id, context); }) {
    const auto complete = OwnRules::complete(rows, command.at, details, id, context);
    if (!complete) return complete.error();
  }
  return typename Row::Created{{id, where(*parent), std::move(details), context.now}};
}

// Row::Amended with the members that the request carried, even if they are equal already; nothing
// if it carried none. kNotFound: no such record. kPreconditionFailed. And the errors of its rules.
template <class Row>
Decision decide(const Rows& rows, const Update<Row>& command, const Context& context) {
  using OwnRules = RecordRules<Row>;
  const auto row = find(rows, command.at);
  if (!row) return there_is_no<Row>();
  const auto& changes = command.changes;
  if constexpr (requires { OwnRules::references(rows, *row, changes); }) {
    if (const auto exist = OwnRules::references(rows, *row, changes); !exist) return exist.error();
  }
  if (const auto held = context.permits(*row); !held) return held.error();
  if (!carries_any(changes)) return std::nullopt;
  if constexpr (requires { OwnRules::conflicts(rows, *row, changes); }) {
    if (const auto free = OwnRules::conflicts(rows, *row, changes); !free) return free.error();
  }
  return typename Row::Amended{{row->id, changes, context.now}};
}

// Row::Removed. kNotFound: no such record, or it is removed already. kPreconditionFailed.
template <class Row>
Decision decide(const Rows& rows, const Delete<Row>& command, const Context& context) {
  const auto row = find(rows, command.at);
  if (!row) return there_is_no<Row>();
  if (const auto held = context.permits(*row); !held) return held.error();
  return typename Row::Removed{{row->id, context.now}};
}

}  // namespace tilth
