// Details and events of an expense: money spent on a farm, for one of its crops or fields or for
// neither.

#pragma once

#include <cstdint>
#include <optional>

#include "events/finance/cost.h"
#include "events/land/location.h"
#include "events/values/result.h"

namespace tilth {

using ExpenseId = Id<struct Expense>;

enum class ExpenseCategory : std::uint8_t {
  kSeeds,
  kFertilizer,
  kPesticide,
  kIrrigation,
  kFuel,
  kEquipment,
  kLabor,
  kLand,
  kTransport,
  kUtilities,
  kPackaging,
  kServices,
  kOther,
};

constexpr auto labels(ExpenseCategory) {
  return named<ExpenseCategory>("seeds", "fertilizer", "pesticide", "irrigation", "fuel",
                                "equipment", "labor", "land", "transport", "utilities", "packaging",
                                "services", "other");
}

struct ExpenseDetails {
  std::optional<CropId> crop_id = {};
  std::optional<FieldId> field_id = {};
  Cost<ExpenseCategory> cost = {};

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("cropId", crop_id, {.doc = "A crop of the farm."}),
       member("fieldId", field_id, {.doc = "A field of the farm; not together with cropId."}));
    cost.serialize(ar);
  }
  void check(Issues& issues) const {
    if (crop_id && field_id)
      issues["fieldId"].emplace_back("must not be given together with cropId");
  }
};

// Stored forever: a new shape needs a new version with an upcast(). Its currency is filled in.
struct ExpenseRecorded : Recorded<Expense, OnFarm, ExpenseDetails> {
  static constexpr EventType kType{"tilth.expense.recorded"};

  template <class Archive>
  void serialize(Archive& ar) {
    list(ar, "expenseId", "recordedAt");
  }
};

// Stored forever.
struct ExpenseRemoved : Removed<Expense> {
  static constexpr EventType kType{"tilth.expense.removed"};

  template <class Archive>
  void serialize(Archive& ar) {
    list(ar, "expenseId");
  }
};

}  // namespace tilth
