// A fertigation row, as responses show it: one feeding of a block.

#pragma once

#include <array>
#include <string_view>

#include "events/operations/fertigation.h"
#include "projections/land/record.h"
#include "projections/rows/goes_with.h"

namespace tilth {

struct Fertigation : Entry<Fertigation, OnBlock, FertigationDetails> {
  static constexpr std::string_view kTable = "fertigation";
  static constexpr std::array<std::string_view, 2> kSorts{"appliedAt", "createdAt"};
  static constexpr std::array<std::string_view, 0> kFilters{};
  static constexpr std::size_t kTime = 0;
  static constexpr std::array kGoesWith{goes_with<Block>()};

  using Created = FertigationRecorded;
  using Removed = FertigationRemoved;
  using Time = Timestamp;
  using ParentPath = BlockPath;
  using Path = EntryPath<Fertigation>;
  static constexpr std::string_view kPathId = "opId";

  void index_to(RowIndex& index) const {
    index.sort_and_cut(details.applied_at), index.sort(created_at);
  }
};

}  // namespace tilth
