// Checks of the event log, at an operator's request.

#include "api/operator/commands.h"
#include "api/operator/log_check_state.h"

namespace tilth {
namespace {

Error kept_by_brokers() {
  return {ErrorCode::kConflict,
          "This node's log is in Kafka, and the brokers are what keeps and checks it."};
}

void answer_standing(const OperatedLogCheck& check, const Call& call, int status) {
  call.answer(json_response(status, "{\"data\":" + log_check_json(check.standing()) + "}"));
}

void begin(const OperatorParts& parts, const Call& call) {
  if (parts.log_check == nullptr) return call.answer(kept_by_brokers());
  parts.log_check->begin();
  answer_standing(*parts.log_check, call, 202);
}

void standing(const OperatorParts& parts, const Call& call) {
  if (parts.log_check == nullptr) return call.answer(kept_by_brokers());
  answer_standing(*parts.log_check, call, 200);
}

}  // namespace

std::vector<OperatorRoute> operator_log_routes() {
  return {
      operator_route("POST", "/operator/v1/log/verify", "Check the log for damage", begin),
      operator_route("GET", "/operator/v1/log/verify", "What the check of the log has found",
                     standing),
  };
}

}  // namespace tilth
