// The nutrients that a laboratory measures, in soil and in leaves.

#pragma once

#include <optional>

#include "events/json/described.h"
#include "events/values/decimal.h"

namespace tilth {

struct Nutrients {
  std::optional<Decimal> nitrogen = {};
  std::optional<Decimal> phosphorus = {};
  std::optional<Decimal> potassium = {};
  std::optional<Decimal> calcium = {};
  std::optional<Decimal> magnesium = {};
  std::optional<Decimal> sodium = {};
  std::optional<Decimal> sulfur = {};
  std::optional<Decimal> zinc = {};
  std::optional<Decimal> manganese = {};
  std::optional<Decimal> iron = {};
  std::optional<Decimal> copper = {};
  std::optional<Decimal> boron = {};

  template <class Archive>
  void serialize(Archive& ar) {
    constexpr Rules kAmount{.min = 0};
    ar(member("nitrogen", nitrogen, kAmount), member("phosphorus", phosphorus, kAmount),
       member("potassium", potassium, kAmount), member("calcium", calcium, kAmount),
       member("magnesium", magnesium, kAmount), member("sodium", sodium, kAmount),
       member("sulfur", sulfur, kAmount), member("zinc", zinc, kAmount),
       member("manganese", manganese, kAmount), member("iron", iron, kAmount),
       member("copper", copper, kAmount), member("boron", boron, kAmount));
  }
};

}  // namespace tilth
