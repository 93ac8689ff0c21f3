#include "command/access/ai_request.h"

#include "projections/access/user.h"

namespace tilth {

Decision decide(const Rows& rows, const ReportAiRequest& command, const Context& context) {
  if (!find_user(rows, command.user_id)) {
    return Error{ErrorCode::kNotFound, "There is no such user."};
  }
  return AiRequestReported{command.user_id, command.status,
                           command.requested_at.value_or(context.now), context.now};
}

}  // namespace tilth
