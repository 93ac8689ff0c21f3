// An expense row, as responses show it.

#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "events/finance/expense.h"
#include "projections/land/record.h"
#include "projections/rows/goes_with.h"

namespace tilth {

struct Expense : Entry<Expense, OnFarm, ExpenseDetails> {
  static constexpr std::string_view kTable = "expense";
  static constexpr std::array<std::string_view, 2> kSorts{"transactionDate", "createdAt"};
  static constexpr std::array<std::string_view, 3> kFilters{"category", "cropId", "growsOn"};
  static constexpr std::size_t kCropFilter = 1, kFieldFilter = 2, kTime = 0;
  static constexpr std::array kGoesWith{goes_with<Farm>(),
                                        goes_with<Crop, kCropFilter, &Crop::farm_id>(),
                                        goes_with<Field, kFieldFilter, &Field::farm_id>()};

  using Created = ExpenseRecorded;
  using Removed = ExpenseRemoved;
  using Category = ExpenseCategory;
  using Time = Date;
  using ParentPath = FarmPath;
  using Path = EntryPath<Expense>;
  static constexpr std::string_view kPathId = "expenseId";

  // The field, or the crop's field: the expense is removed with it.
  std::optional<FieldId> grows_on = {};

  void index_to(RowIndex& index) const {
    index.filter(details.cost.category), index.filter(details.crop_id), index.filter(grows_on);
    index.sort_and_cut(details.cost.transaction_date), index.sort(created_at);
  }

  template <class Archive>
  void serialize(Archive& ar) {
    Entry::serialize(ar);
    ar(member("growsOn", grows_on, {.hidden = true}));
  }
};

}  // namespace tilth
