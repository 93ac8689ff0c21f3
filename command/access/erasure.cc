#include "command/access/erasure.h"

#include "projections/access/erased_records.h"

namespace tilth {

Decision decide(const Rows& rows, const EraseUser& command, const Context& context) {
  if (find_erased_user(rows, command.user_id)) return std::nullopt;
  if (!find_user(rows, command.user_id)) {
    return Error{ErrorCode::kNotFound, "There is no such user."};
  }
  return UserErased{command.user_id, command.reason, context.now};
}

Decision decide(const Rows& rows, const EraseRecords&, const Context& context) {
  if (!has_records(rows)) return std::nullopt;
  return RecordsErased{context.now};
}

}  // namespace tilth
