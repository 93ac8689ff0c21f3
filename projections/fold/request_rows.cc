#include "events/log/request.h"
#include "projections/fold/row_type.h"

namespace tilth {

// Requests change no row; fold_record() stores them by their key.
void evolve(MutableRows&, const RequestRefused&) {}

void evolve(MutableRows& rows, const RequestAnswered& e) {
  if (auto row = rows.find_bytes(e.table, e.row_id)) rows.show(std::move(*row));
}

ResourceRows request_rows() { return {.handlers = evolving<RequestRefused, RequestAnswered>()}; }

}  // namespace tilth
