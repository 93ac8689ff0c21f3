// An overhead row, as responses show it.

#pragma once

#include <array>
#include <string_view>

#include "events/finance/overhead.h"
#include "projections/land/record.h"
#include "projections/rows/goes_with.h"

namespace tilth {

struct Overhead : Entry<Overhead, OnFarm, OverheadDetails> {
  static constexpr std::string_view kTable = "overhead";
  static constexpr std::array<std::string_view, 2> kSorts{"transactionDate", "createdAt"};
  static constexpr std::array<std::string_view, 1> kFilters{"category"};
  static constexpr std::size_t kTime = 0;
  static constexpr std::array kGoesWith{goes_with<Farm>()};

  using Created = OverheadRecorded;
  using Removed = OverheadRemoved;
  using Category = OverheadCategory;
  using Time = Date;
  using ParentPath = FarmPath;
  using Path = EntryPath<Overhead>;
  static constexpr std::string_view kPathId = "overheadId";

  void index_to(RowIndex& index) const {
    index.filter(details.cost.category);
    index.sort_and_cut(details.cost.transaction_date), index.sort(created_at);
  }
};

}  // namespace tilth
