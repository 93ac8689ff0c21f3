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

// Owners' lists of templates are short: each part is read up to the end of the page.
inline Result<Listed<TaskTemplate>> run_query(const Rows& rows, const ListTaskTemplates& query,
                                              const PageRequest& page) {
  const auto part = [&](const Rows& of, const std::optional<std::string>& farm,
                        const std::optional<bool>& active) {
    return list_page<TaskTemplate>(of, {}, ListFilters().add(farm).add(query.category).add(active),
                                   {1, page.page * page.limit, page.sort, page.order});
  };
  std::vector<Listed<TaskTemplate>> parts;
  if (query.farm_id) {
    parts.push_back(part(rows, std::string(query.farm_id->uuid.key()), query.is_active));
    parts.push_back(part(rows, std::string(TaskTemplate::kAnyFarm), query.is_active));
  } else {
    parts.push_back(part(rows, std::nullopt, query.is_active));
  }
  if (query.include_global.value_or(true) && query.is_active.value_or(true)) {
    parts.push_back(part(rows.reference(), std::nullopt, true));
  }
  return merge_page(std::move(parts), page);
}

}  // namespace tilth
