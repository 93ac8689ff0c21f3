// How the events of every kind of record change its rows (events/log/record_events.h).
//
// A Row of a record has
//
//   Created, Amended, Removed   its events
//   Details, Changes            what a request sends
//   ParentPath, Path            how a request addresses the record's parent, and the record

#pragma once

#include <algorithm>
#include <string>

#include "events/log/record_events.h"
#include "events/values/result.h"
#include "projections/fold/row_type.h"

namespace tilth {

template <class Row>
Error there_is_no() {
  std::string noun(Row::kTable);
  std::replace(noun.begin(), noun.end(), '_', ' ');
  return {ErrorCode::kNotFound, "There is no such " + noun + "."};
}

template <class Row, template <template <class> class> class Details>
void evolve(MutableRows& rows, const Amended<Row, Details>& e) {
  auto row = rows.find(e.id);
  if (!row) return;
  apply(e.changes, row->details);
  row->updated_at = e.amended_at;
  rows.put(*row);
}

template <class Row>
void evolve(MutableRows& rows, const Removed<Row>& e) {
  remove(rows, e.id);
}

}  // namespace tilth
