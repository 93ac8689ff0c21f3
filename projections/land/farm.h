// A farm row, as responses show it, and its path in requests.

#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "events/finance/base_currency.h"
#include "events/land/farm.h"
#include "projections/rows/rows.h"

namespace tilth {

struct Farm {
  using Created = FarmRegistered;
  using Amended = FarmAmended;
  using Removed = FarmRemoved;
  using Details = FarmDetails<Own>;
  using Changes = FarmDetails<Patch>;
  using ParentPath = WholeStream;
  using Path = struct FarmPath;

  static constexpr std::string_view kTable = "farm";
  static constexpr std::array<std::string_view, 3> kSorts{"createdAt", "name", "totalArea"};
  static constexpr std::array<std::string_view, 1> kFilters{"status"};

  FarmId id;
  FarmDetails<Own> details;
  Timestamp created_at = {};
  Timestamp updated_at = {};

  Uuid parent() const { return {}; }
  void index_to(RowIndex& index) const {
    index.filter(details.status);
    index.sort(created_at), index.sort(details.name), index.sort(details.total_area);
    index.unique(details.name);
  }

  // The currency of an amount: the given one, else the farm's.
  Currency currency_of(const Currency& given) const {
    return given.code.empty() ? base_currency(details.currency, details.country) : given;
  }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("id", id));
    details.serialize(ar);
    ar(member("createdAt", created_at), member("updatedAt", updated_at));
  }
};

// The path of a farm in a request.
struct FarmPath {
  using Row = Farm;
  FarmId farm_id;

  Uuid row_id() const { return farm_id.uuid; }
  bool leads_to(const Farm&) const { return true; }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("id", farm_id));
  }
};

}  // namespace tilth
