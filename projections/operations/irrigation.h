// An irrigation row, as responses show it: one watering of a field.

#pragma once

#include <array>
#include <string_view>

#include "events/operations/irrigation.h"
#include "projections/land/record.h"
#include "projections/rows/goes_with.h"

namespace tilth {

struct Irrigation : Entry<Irrigation, OnField, IrrigationDetails> {
  static constexpr std::string_view kTable = "irrigation";
  static constexpr std::array<std::string_view, 2> kSorts{"startedAt", "createdAt"};
  static constexpr std::array<std::string_view, 0> kFilters{};
  static constexpr std::size_t kTime = 0;
  static constexpr std::array kGoesWith{goes_with<Field>()};

  using Created = IrrigationRecorded;
  using Removed = IrrigationRemoved;
  using Time = Timestamp;
  using ParentPath = FieldPath;
  using Path = EntryPath<Irrigation>;
  static constexpr std::string_view kPathId = "opId";

  void index_to(RowIndex& index) const {
    index.sort_and_cut(details.started_at), index.sort(created_at);
  }
};

}  // namespace tilth
