#include "api/guards/operator_guard.h"

#include <sodium.h>

#include "api/keys/authentication.h"

namespace tilth {

bool OperatorGuard::admits(const HttpRequest& head) const {
  const auto* header = head.header("authorization");
  if (header == nullptr || head.repeats("authorization")) return false;
  const auto shown = bearer_token(*header);
  return shown.size() == token_.size() &&
         sodium_memcmp(shown.data(), token_.data(), token_.size()) == 0;
}

Status OperatorGuard::admit(const HttpRequest& request) const {
  if (admits(request)) return kDone;
  return Error{ErrorCode::kUnauthorized,
               "Send the operator's token: Authorization: Bearer <TOKEN>."};
}

}  // namespace tilth
