// A task template row, as responses show it, and its path in requests.

#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "events/values/text.h"
#include "events/work/task_template.h"
#include "projections/land/farm.h"
#include "projections/rows/goes_with.h"

namespace tilth {

struct TaskTemplate {
  using Created = TaskTemplateCreated;
  using Amended = TaskTemplateAmended;
  using Removed = TaskTemplateRemoved;
  using Details = TaskTemplateDetails<Own>;
  using Changes = TaskTemplateDetails<Patch>;
  using ParentPath = WholeStream;
  using Path = struct TaskTemplatePath;

  static constexpr std::string_view kTable = "task_template";
  static constexpr std::array<std::string_view, 2> kSorts{"createdAt", "name"};
  static constexpr std::array<std::string_view, 4> kFilters{"farmId", "category", "isActive",
                                                            "name"};
  static constexpr std::size_t kFarmFilter = 0, kNameFilter = 3;
  static constexpr std::array kGoesWith{goes_with<Farm, kFarmFilter>()};
  static constexpr std::string_view kAnyFarm = "any";  // in place of a farm's id: bound to none

  TaskTemplateId id;
  TaskTemplateDetails<Own> details;
  bool is_global = false;
  std::string created_by = {};
  std::optional<Timestamp> resumed_at = {};  // when it last became active again
  Timestamp created_at = {};
  Timestamp updated_at = {};

  Uuid parent() const { return {}; }
  void index_to(RowIndex& index) const {
    details.farm_id ? index.filter(details.farm_id) : index.filter(kAnyFarm);
    index.filter(details.category), index.filter(details.is_active);
    index.filter(fold_case(details.name));
    index.sort(created_at), index.sort(details.name);
  }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("id", id));
    details.serialize(ar);
    ar(member("isGlobal", is_global), member("createdBy", created_by),
       member("resumedAt", resumed_at, {.hidden = true}), member("createdAt", created_at),
       member("updatedAt", updated_at));
  }
};

// The path of a template in a request.
struct TaskTemplatePath {
  TaskTemplateId template_id;

  Uuid row_id() const { return template_id.uuid; }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("id", template_id));
  }
};

// The owner's own template, or a global one, which all owners see.
inline std::optional<TaskTemplate> find(const Rows& rows, const TaskTemplatePath& at) {
  auto own = rows.find(at.template_id);
  return own ? own : rows.reference().find(at.template_id);
}

}  // namespace tilth
