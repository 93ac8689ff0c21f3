// Queries on expenses and overheads: by category and by period.

#pragma once

#include <optional>

#include "query/land/entries.h"

namespace tilth {

template <class Of>
struct ListCosts : ListEntries<Of> {
  std::optional<typename Of::Category> category;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("category", category));
    ListEntries<Of>::serialize(ar);
  }
  ListFilters filters() const { return ListFilters().add(category); }
};

}  // namespace tilth
