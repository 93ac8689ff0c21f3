#include "api/tables/event_table.h"

#include <algorithm>
#include <utility>

#include "api/tables/member_columns.h"
#include "events/log/catalogue.h"

namespace tilth {
namespace {

std::vector<TableColumn> envelope() {
  using enum ColumnType;
  return {
      {"eventId", kUuid, "The event's id."},
      {"owner", kText, "Whose history it is in: a user's id, access, audit or reference."},
      {"streamVersion", kInteger, "Its number within that history, from 0 and without gaps."},
      {"eventTime", kTimestamp, "When it was decided."},
      {"actor", kText, "The key, the user, the operator or the clock that asked for it."},
      {"correlationId", kText, "The request that it began with."},
      {"causationId", kText, "The request or event that caused it."},
  };
}

// "tilth.soil_sample.recorded" has the table event_soil_sample_recorded.
std::string name_of_table(std::string_view type) {
  std::string name = "event" + std::string(type.substr(type.find('.')));
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

EventTable table_of(const EventCodec& codec) {
  EventTable made{codec.type->name,
                  codec.type->version,
                  {name_of_table(codec.type->name),
                   "The events of the type " + std::string(codec.type->name) + ".", envelope()},
                  false};
  auto members = member_columns(*codec.form);
  auto& columns = made.table.columns;
  std::move(members.columns.begin(), members.columns.end(), std::back_inserter(columns));
  for (auto& column : columns) column.unit = unit_of(column.name, columns);
  made.has_patches = members.has_patches;
  if (made.has_patches) {
    columns.push_back({"saidMembers", ColumnType::kText,
                       "The members that the event has, separated by spaces: what is null and not "
                       "among them stayed as it was."});
  }
  return made;
}

}  // namespace

std::span<const EventTable> event_tables() {
  static const auto kTables = [] {
    std::vector<EventTable> tables;
    for (const auto& codec : event_codecs()) tables.push_back(table_of(codec));
    return tables;
  }();
  return kTables;
}

const EventTable* find_event_table(std::string_view type) {
  const auto tables = event_tables();
  const auto found = std::find_if(tables.begin(), tables.end(),
                                  [&](const auto& each) { return each.type == type; });
  return found == tables.end() ? nullptr : &*found;
}

RowCells cells_of(const EventTable& table, const TabledEvent& event, const Json& data) {
  RowCells cells(table.table.columns.size());
  std::size_t next = 0;
  const auto put = [&](const std::string& text) {
    if (!text.empty()) cells[next] = text;
    ++next;
  };
  put(event.id), put(event.owner), put(event.version), put(event.time);
  put(event.actor), put(event.correlation_id), put(event.causation_id);
  put_members(data, table.table.columns, 0, cells);
  if (!table.has_patches) return cells;
  std::string& names = cells.back().emplace();
  for (const auto& [name, value] : data.children) {
    if (!table.table.find(name)) continue;  // a secret
    names += (names.empty() ? "" : " ") + name;
  }
  return cells;
}

}  // namespace tilth
