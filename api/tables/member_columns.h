// The columns that follow from the members of a record or of an event.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/tables/export_table.h"
#include "events/json/json.h"
#include "events/json/type_form.h"

namespace tilth {

struct MemberColumns {
  std::vector<TableColumn> columns;
  bool has_patches = false;  // members that may be absent
};

// A column for each member of an object, without those that no response shows, and without secrets:
// the hashes of passwords and the digests of keys.
MemberColumns member_columns(const TypeForm& form);

// Puts the members of `object` into the cells of these columns, which begin at `first`.
void put_members(const Json& object, const std::vector<TableColumn>& columns, std::size_t first,
                 RowCells& cells);

// The unit of a number in a table with those columns; empty: it has none.
std::string unit_of(std::string_view column, const std::vector<TableColumn>& columns);

}  // namespace tilth
