// What a response as of an earlier time is made from, judged by a plain fold of the log.

#pragma once

#include <map>
#include <memory>
#include <string>

#include "events/values/time.h"
#include "projections/rows/row_batch.h"
#include "tests/simulation/simulated_log.h"

namespace tilth::testing {

// Folds the past of owners as the service does, with an index of where their records are.
class PlainPast {
 public:
  // All of it, as it is now. Folds `log`, which holds the same and must outlive it; null: a copy.
  PlainPast(const SimulatedTopic& topic, EventLog* log);
  ~PlainPast();
  PlainPast(const PlainPast&) = delete;
  PlainPast& operator=(const PlainPast&) = delete;

  // When the record of a stream in the middle of those that count happened. Earliest: there is
  // none.
  Timestamp middle_of(const std::string& stream) const;

  // Of the rows of an owner as of `at`. Empty: they are those that its events up to then lead to,
  // with the reference data of then, and what was overdue is listed as such.
  // `now`: the rows of each stream after its last event.
  std::string wrong_at(const std::string& owner, Timestamp at,
                       const std::map<std::string, RowBatch>& now);

 private:
  struct History;
  void fold_until(const std::string& stream, Timestamp at, RowBatch& rows) const;

  const std::unique_ptr<History> history_;
};

}  // namespace tilth::testing
