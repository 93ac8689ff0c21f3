// What the engine knows of each kind of row: which rows it is removed with, its shape, and which
// events change it. Cascade, fingerprint and dispatch are derived from these.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "events/json/shape.h"
#include "projections/fold/event_handlers.h"
#include "projections/rows/goes_with.h"
#include "projections/rows/rows.h"

namespace tilth {

struct RowType {
  std::string_view table;
  std::string shape;
  std::span<const GoesWith> goes_with;
  // Takes the row out of its lists, and erases it.
  void (*take_out)(MutableRows& rows, const Uuid& id);
  // The parent() of a stored row.
  Uuid (*parent_of)(std::string_view row);
  // Runs before a cascade erases the row. Null: there is nothing to do.
  void (*before_cascade)(MutableRows& rows, const Uuid& id) = nullptr;
  // The prefix of the keys that are removed with the row. Null: there are none.
  std::string (*own_keys)(const Rows& rows, const Uuid& id) = nullptr;
};

// Everything that follows from a Row alone. Rows that are removed with others have a kGoesWith.
template <class Row>
RowType row_type() {
  RowType type{
      .table = Row::kTable,
      .shape = std::string(Row::kTable) + shape_of(kTypeForm<Row>),
      .goes_with = {},
      .take_out =
          [](MutableRows& rows, const Uuid& id) {
            if (const auto row = rows.find(Id<Row>{id})) rows.erase(*row);
          },
      .parent_of = [](std::string_view row) { return RowCodec<Row>::decode(row).parent(); }};
  for (const auto sort : Row::kSorts) type.shape.append("|").append(sort);
  for (const auto filter : Row::kFilters) type.shape.append("?").append(filter);
  if constexpr (requires { Row::kGoesWith; }) type.goes_with = Row::kGoesWith;
  return type;
}

// The rows of one resource in one projection, and what events do to them.
struct ResourceRows {
  std::vector<RowType> rows = {};
  EventHandlers handlers = {};
  std::string more_shape = {};  // of what it stores besides rows
};

// The type of a row of any projection; null if there is no such table.
const RowType* find_row_type(std::string_view table);

// A row type, and the link by which its rows are removed.
struct Dependent {
  const RowType* type;
  const GoesWith* link;
};

// What is removed with a row of that table, in the order of removal.
std::span<const Dependent> dependents_of(std::string_view table);

// Schedules the cascade of a row that is being removed.
void cascade(MutableRows& rows, std::string_view table, const Uuid& id, const void* row);

// For the evolve() of a removal: erases the row, and cascades.
template <class Row>
void remove(MutableRows& rows, const Row& row) {
  rows.erase(row);
  cascade(rows, Row::kTable, row.id.uuid, &row);
}

template <class Row>
void remove(MutableRows& rows, const Id<Row>& id) {
  if (const auto row = rows.find(id)) remove(rows, *row);
}

// Of rows that the whole stream has in one list.
template <class Row>
void remove_all(MutableRows& rows) {
  constexpr std::size_t kAtOnce = 500;
  std::vector<Uuid> all;
  std::string after;
  for (bool more = true; more;) {
    const auto some = rows.ids_in_list(Row::kTable, {}, {}, after, kAtOnce);
    all.insert(all.end(), some.begin(), some.end());
    more = some.size() == kAtOnce;
  }
  for (const auto& id : all) remove(rows, Id<Row>{id});
}

}  // namespace tilth
