#include "projections/access/operator.h"

#include "projections/fold/row_type.h"
#include "projections/rows/row_codec.h"

namespace tilth {

template struct RowCodec<Operator>;

std::optional<Operator> find_operator(const Rows& rows, const std::string& name) {
  const auto id = rows.find_unique<Operator>({}, name);
  return id ? rows.find(*id) : std::nullopt;
}

void evolve(MutableRows& rows, const OperatorAdded& e) {
  rows.put(Operator{e.operator_id, e.name, e.role, e.token_digest, e.added_at, e.added_at});
}

void evolve(MutableRows& rows, const OperatorAmended& e) {
  auto found = rows.find(e.operator_id);
  if (!found) return;
  found->role = e.role;
  found->updated_at = e.amended_at;
  rows.put(*found);
}

void evolve(MutableRows& rows, const OperatorTokenRotated& e) {
  auto found = rows.find(e.operator_id);
  if (!found) return;
  found->token_digest = e.token_digest;
  found->updated_at = e.rotated_at;
  rows.put(*found);
}

void evolve(MutableRows& rows, const OperatorRemoved& e) {
  auto found = rows.find(e.operator_id);
  if (!found) return;
  found->removed_at = found->updated_at = e.removed_at;
  rows.put(*found);
}

ResourceRows operator_rows() {
  return {.rows = {row_type<Operator>()},
          .handlers =
              evolving<OperatorAdded, OperatorAmended, OperatorTokenRotated, OperatorRemoved>()};
}

}  // namespace tilth
