// Queries on task templates: the owner's own, and the global ones.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "projections/work/task_template.h"
#include "query/listing.h"

namespace tilth {

struct ListTaskTemplates {
  using Row = TaskTemplate;
  WholeStream at = {};
  std::optional<FarmId> farm_id = {};
  std::optional<TaskCategory> category = {};
  std::optional<bool> is_active = {};
  std::optional<bool> include_global = {};

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("farmId", farm_id, {.doc = "Templates bound to this farm or to none."}),
       member("category", category), member("isActive", is_active),
       member("includeGlobal", include_global));
  }
};

inline Result<Listed<TaskTemplate>> run_query(const Rows& rows, const ListTaskTemplates& query,
                                              const PageRequest& page) {
  const auto part = [&](const Rows& of, const std::optional<std::string>& farm,
                        const std::optional<bool>& active) {
    auto filters = ListFilters().add(farm).add(query.category).add(active);
    return ListPart{of, filters.take({.sort = page.sort, .order = page.order})};
  };
  std::vector<ListPart> parts;
  if (query.farm_id) {
    parts.push_back(part(rows, std::string(query.farm_id->uuid.key()), query.is_active));
    parts.push_back(part(rows, std::string(TaskTemplate::kAnyFarm), query.is_active));
  } else {
    parts.push_back(part(rows, std::nullopt, query.is_active));
  }
  if (query.include_global.value_or(true) && query.is_active.value_or(true)) {
    parts.push_back(part(rows.reference(), std::nullopt, true));
  }
  return merge_page<TaskTemplate>(std::move(parts), page);
}

}  // namespace tilth
