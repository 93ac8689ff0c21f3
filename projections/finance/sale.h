// A sale row, as responses show it.

#pragma once

#include <array>
#include <string_view>

#include "events/finance/sale.h"
#include "projections/land/record.h"
#include "projections/rows/goes_with.h"

namespace tilth {

struct Sale : Entry<Sale, OnCrop, SaleDetails> {
  static constexpr std::string_view kTable = "sale";
  static constexpr std::array<std::string_view, 2> kSorts{"saleDate", "createdAt"};
  static constexpr std::array<std::string_view, 0> kFilters{};
  static constexpr std::size_t kTime = 0;
  static constexpr std::array kGoesWith{goes_with<Crop>()};

  using Created = SaleRecorded;
  using Removed = SaleRemoved;
  using Time = Date;
  using ParentPath = CropPath;
  using Path = EntryPath<Sale>;
  static constexpr std::string_view kPathId = "saleId";

  Decimal total_amount;

  void index_to(RowIndex& index) const {
    index.sort_and_cut(details.sale_date), index.sort(created_at);
  }

  template <class Archive>
  void serialize(Archive& ar) {
    Entry::serialize(ar);
    ar(member("totalAmount", total_amount));
  }
};

}  // namespace tilth
