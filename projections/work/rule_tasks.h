// How many tasks an owner's recurring tasks have made today, which is limited.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "projections/rows/rows.h"

namespace tilth {

// One row of each owner with recurring tasks.
struct RuleTasks {
  static constexpr std::string_view kTable = "rule_tasks";
  static constexpr std::array<std::string_view, 1> kSorts{"day"};
  static constexpr std::array<std::string_view, 0> kFilters{};

  Id<RuleTasks> id;
  Timestamp day;  // its beginning, in UTC
  std::int64_t made = 0;

  Uuid parent() const { return {}; }
  void index_to(RowIndex& index) const { index.sort(day); }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("id", id), member("day", day), member("made", made));
  }
};

// How many tasks the owner's rules have made on the UTC day of `now`.
std::int64_t rule_tasks_made(const Rows& rows, Timestamp now);

// For evolve(): rules made so many more tasks at that time.
void count_rule_tasks(MutableRows& rows, std::size_t made, Timestamp at);

}  // namespace tilth
