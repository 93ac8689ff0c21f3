// A price report row, as responses show it. An owner's reports of all farms are one list.

#pragma once

#include <array>
#include <string_view>

#include "events/market/price_report.h"
#include "projections/land/record.h"
#include "projections/rows/goes_with.h"

namespace tilth {

struct PriceReport : Entry<PriceReport, OnFarm, PriceReportDetails> {
  static constexpr std::string_view kTable = "price_report";
  static constexpr std::array<std::string_view, 2> kSorts{"createdAt", "observedOn"};
  static constexpr std::array<std::string_view, 2> kFilters{"farmId", "cropName"};
  static constexpr std::size_t kFarmFilter = 0, kTime = 1;
  static constexpr std::array kGoesWith{goes_with<Farm, kFarmFilter>()};

  using Created = PriceReported;
  using Removed = PriceReportRemoved;
  using Time = Date;
  using ParentPath = WholeStream;
  using Path = EntryPath<PriceReport>;
  static constexpr std::string_view kPathId = "id";

  Uuid parent() const { return {}; }
  void index_to(RowIndex& index) const {
    index.filter(where.farm_id), index.filter(details.crop_name);
    index.sort(created_at), index.sort_and_cut(details.observed_on);
  }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("id", id));
    where.serialize(ar);
    details.serialize(ar);
    ar(member("createdAt", created_at));
  }
};

}  // namespace tilth
