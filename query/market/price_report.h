// Queries on price reports: by farm, by crop and by period.

#pragma once

#include <optional>
#include <string>

#include "projections/market/price_report.h"
#include "query/land/entries.h"

namespace tilth {

struct ListPriceReports : ListEntries<PriceReport> {
  std::optional<FarmId> farm_id;
  std::optional<std::string> crop_name;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("farmId", farm_id), member("cropName", crop_name));
    ListEntries::serialize(ar);
  }
  ListFilters filters() const { return ListFilters().add(farm_id).add(crop_name); }
};

}  // namespace tilth
