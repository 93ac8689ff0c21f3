#include "projections/fold/row_type.h"

#include <algorithm>

namespace tilth {

void cascade(MutableRows& rows, std::string_view table, const Uuid& id, const void* row) {
  auto& steps = rows.cascade();
  const auto first = steps.size();
  for (const auto& [type, link] : dependents_of(table)) {
    CascadeStep step{CascadeStep::Kind::kChildren, std::string(type->table), id};
    if (link->listed_under != nullptr) {
      step.filter = link->filter;
      step.under = link->listed_under(row);
    }
    steps.push_back(std::move(step));
  }
  if (const auto* type = find_row_type(table); type != nullptr && type->own_keys != nullptr) {
    steps.push_back({CascadeStep::Kind::kKeys, std::string(table), id});
  }
  std::reverse(steps.begin() + static_cast<std::ptrdiff_t>(first),
               steps.end());  // the last is next
}

}  // namespace tilth
