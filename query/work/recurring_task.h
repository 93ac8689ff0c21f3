// Queries on recurring tasks: the same rows that decisions look up.

#pragma once

#include <optional>

#include "projections/work/recurring_task.h"
#include "query/listing.h"

namespace tilth {

struct ListRecurringTasks {
  using Row = RecurringTask;
  WholeStream at = {};
  std::optional<FarmId> farm_id = {};
  std::optional<TaskTemplateId> template_id = {};
  std::optional<RecurrencePattern> pattern = {};
  std::optional<bool> is_active = {};

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("farmId", farm_id), member("templateId", template_id), member("pattern", pattern),
       member("isActive", is_active));
  }
};

inline Result<Listed<RecurringTask>> run_query(const Rows& rows, const ListRecurringTasks& query,
                                               const PageRequest& page) {
  return list_page<RecurringTask>(rows, {},
                                  ListFilters()
                                      .add(query.farm_id)
                                      .add(query.template_id)
                                      .add(query.pattern)
                                      .add(query.is_active),
                                  page);
}

}  // namespace tilth
