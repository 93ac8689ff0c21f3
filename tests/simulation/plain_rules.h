// Rules about a stream and its rows, said again in the plainest way: they share no code with what
// they judge, so that a mistake which every node makes alike is noticed, too.

#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "command/decision.h"
#include "events/log/event_log.h"
#include "projections/rows/row_batch.h"
#include "projections/rows/rows.h"
#include "tests/simulation/attempt.h"
#include "tests/simulation/plain_library.h"
#include "tests/simulation/plain_occurrences.h"
#include "tests/simulation/plain_records.h"
#include "tests/simulation/plain_request.h"

namespace tilth::testing {

// Follows one stream. Each function returns what does not hold; empty: nothing.
class PlainRules {
 public:
  // See PlainOccurrences.
  explicit PlainRules(std::int64_t rule_tasks_a_day = kRuleTasksADay)
      : occurrences_(rule_tasks_a_day) {}

  // Whether `record`, the next of the stream in log order, counts.
  bool counts(const Record& record) const;

  // `record` counts and has that event; it was asked for by `attempt`, or by no one. `before`: the
  // rows right before it. `library`: see PlainState.
  std::string take(const Record& record, const Event& event, const Attempt* attempt,
                   const Rows& before, const PlainLibrary& library);

  std::uint64_t version() const { return version_; }
  const PlainRecords& records() const { return records_; }
  const PlainOccurrences& occurrences() const { return occurrences_; }
  // As they were before each erasure of the owner. What was offered stays on the market.
  const std::vector<PlainRecords>& erased() const { return erased_; }
  // The ids of what was removed: of farms, and of the fields, crops, blocks, plants and sales on
  // them.
  const std::set<std::string>& removed_farms() const { return removed_farms_; }
  const std::set<std::string>& removed_parts() const { return removed_parts_; }

 private:
  void note_removed(const Event& event);
  std::string take_plainly(const Record& record, const PlainRequest& request,
                           const PlainState& state);
  std::string check_names() const;
  void remove_part(const std::string& id);  // a field, crop or block, with its blocks

  PlainRecords records_;
  std::vector<PlainRecords> erased_;
  PlainOccurrences occurrences_;
  std::uint64_t version_ = 0;
  std::string last_id_;
  std::set<std::string> removed_farms_, removed_parts_;
};

// On what a request is decided. `before`: the owner's rows, which `records` are to be those of.
PlainState state_of(const PlainRequest& asked, const CommandRequest& request,
                    const PlainRecords& records, const Rows& before, Timestamp now,
                    const PlainLibrary& library);

// Ages the rows of a stream, so that lists show what has fallen due by then.
void age_up_to(Timestamp now, const std::string& stream, RowBatch& rows);

// Of lists as of then: exactly the open tasks with a dueDate up to it are listed as overdue. What
// does not hold; empty: nothing.
std::string wrong_among_overdue(const Rows& rows, Timestamp listed_at);

// What is left of something that was removed, among the rows of a stream. `removed`: see above.
std::optional<std::string> leftover(std::string_view key, std::string_view value,
                                    const PlainRules& rules);

}  // namespace tilth::testing
