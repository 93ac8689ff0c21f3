// The table of each type of event: its envelope, and a column for each member of its data.

#pragma once

#include <span>
#include <string_view>

#include "api/tables/export_table.h"
#include "events/json/json.h"

namespace tilth {

struct EventTable {
  std::string_view type;
  int version;  // of the data that the columns are of
  ExportTable table;
  bool has_patches;  // then the last column says what members there were
};

// The envelope of one event.
struct TabledEvent {
  std::string id, owner, version, time, actor, correlation_id, causation_id;
};

std::span<const EventTable> event_tables();

// Null: there is no such type.
const EventTable* find_event_table(std::string_view type);

// The row of an event whose data are of the table's version.
RowCells cells_of(const EventTable& table, const TabledEvent& event, const Json& data);

}  // namespace tilth
