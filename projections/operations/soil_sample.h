// A soil sample row, as responses show it, and which sample sets a field's soilPh.

#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "events/operations/soil_sample.h"
#include "projections/land/record.h"
#include "projections/rows/goes_with.h"

namespace tilth {

struct SoilSample : Entry<SoilSample, OnField, SoilSampleDetails> {
  static constexpr std::string_view kTable = "soil_sample";
  static constexpr std::array<std::string_view, 2> kSorts{"sampledAt", "createdAt"};
  static constexpr std::array<std::string_view, 1> kFilters{"has ph"};  // requests do not use it
  static constexpr std::size_t kTime = 0;
  static constexpr std::array kGoesWith{goes_with<Field>()};

  using Created = SoilSampleRecorded;
  using Removed = SoilSampleRemoved;
  using Time = Timestamp;
  using ParentPath = FieldPath;
  using Path = EntryPath<SoilSample>;
  static constexpr std::string_view kPathId = "opId";

  void index_to(RowIndex& index) const {
    index.filter(details.ph ? std::optional(kHasPh) : std::nullopt);
    index.sort_and_cut(details.sampled_at), index.sort(created_at);
  }

  // Of a field's samples with a ph, the one that was taken last; if there are several, the one
  // recorded last: ids increase with the time of their creation.
  static std::optional<SoilSample> newest_with_ph(const Rows& rows, const FieldId& field_id) {
    const auto newest =
        rows.list<SoilSample>(field_id.uuid, {.filters = {{0, std::string(kHasPh)}}, .limit = 1});
    return newest.rows.empty() ? std::nullopt : std::optional(newest.rows.front());
  }

 private:
  static constexpr std::string_view kHasPh = "y";
};

}  // namespace tilth
