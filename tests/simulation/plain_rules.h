// Rules about a stream and its rows, said again in the plainest way: they share no code with what
// they judge, so that a mistake which every node makes alike is noticed, too.

#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "command/decision.h"
#include "events/log/event_log.h"
#include "projections/rows/rows.h"

namespace tilth::testing {

// Follows one stream. Each function returns what does not hold; empty: nothing.
class PlainRules {
 public:
  // Whether `record`, the next of the stream in log order, counts.
  bool counts(const Record& record) const;

  // `record` counts and has that event; it was asked for by `request`, or by no one. `before`: the
  // rows right before it.
  std::string take(const Record& record, const Event& event, const CommandRequest* request,
                   const Rows& before);

  // Whether a farm with that name cannot be registered.
  bool refuses_farm(const std::string& name, std::optional<std::int64_t> limit) const;

  // Of the rows after the last event.
  std::string check(const Rows& rows) const;

  std::uint64_t version() const { return version_; }
  // The ids of what was removed: of farms, and of the fields, crops, blocks, plants and sales on
  // them.
  const std::set<std::string>& removed_farms() const { return removed_farms_; }
  const std::set<std::string>& removed_parts() const { return removed_parts_; }

 private:
  // Of a block: what it goes with, and the tags of its plants, by plant.
  struct Block {
    std::string field, crop;
    std::map<std::string, std::string> tags = {};
  };

  std::string take_farm(const Event& event, const CommandRequest* request);
  std::string take_plant(const Event& event);
  std::string take_tag(const std::string& plant, const std::optional<std::string>& tag);
  void remove_part(const std::string& id);  // a field, crop or block, with its blocks

  std::uint64_t version_ = 0;
  std::string last_id_;
  std::map<std::string, std::string> farms_;     // by id, the names of those that are there
  std::map<std::string, Block> blocks_;          // by id
  std::map<std::string, std::string> block_of_;  // by plant
  std::set<std::string> removed_farms_, removed_parts_;
};

// Of lists as of then: exactly the open tasks with a dueDate up to it are listed as overdue. What
// does not hold; empty: nothing.
std::string wrong_among_overdue(const Rows& rows, Timestamp listed_at);

// What is left of something that was removed, among the rows of a stream. `removed`: see above.
std::optional<std::string> leftover(std::string_view key, std::string_view value,
                                    const PlainRules& rules);

}  // namespace tilth::testing
