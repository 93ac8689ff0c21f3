#include "infra/webhooks/webhook_sender.h"

namespace tilth {

std::string_view name_of(AttemptOutcome outcome) {
  switch (outcome) {
    case AttemptOutcome::kDelivered:
      return "delivered";
    case AttemptOutcome::kHttpError:
      return "http_error";
    case AttemptOutcome::kTimedOut:
      return "timed_out";
    case AttemptOutcome::kRefusedAddress:
      return "refused_address";
    case AttemptOutcome::kUnreachable:
      return "unreachable";
  }
  return {};
}

}  // namespace tilth
