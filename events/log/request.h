// The outcome of a request that carried an Idempotency-Key and changed nothing. It is stored so
// that a retry gets the same response, on every node and after every restart.

#pragma once

#include <optional>
#include <string>

#include "events/json/described.h"
#include "events/json/json.h"
#include "events/values/ids.h"
#include "events/values/result.h"
#include "events/values/time.h"

namespace tilth {

constexpr auto labels(ErrorCode) {
  return named<ErrorCode>("MISSING_API_KEY", "INVALID_AUTH_FORMAT", "INVALID_API_KEY_FORMAT",
                          "INVALID_API_KEY", "EXPIRED_API_KEY", "UNAUTHORIZED", "UNAUTHENTICATED",
                          "INVALID_CREDENTIALS", "RATE_LIMIT_EXCEEDED", "IP_NOT_ALLOWED",
                          "INSUFFICIENT_SCOPE", "FOREIGN_ORIGIN", "TIER_INSUFFICIENT", "NOT_FOUND",
                          "METHOD_NOT_ALLOWED", "PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE",
                          "BAD_REQUEST", "INVALID_ID", "VALIDATION_ERROR", "AS_OF_LIMIT_EXCEEDED",
                          "NOT_FOUND", "PRECONDITION_FAILED", "PLAN_LIMIT_EXCEEDED", "CONFLICT",
                          "KEY_LIMIT_EXCEEDED", "STALE", "LOST", "DAMAGED", "SERVICE_UNAVAILABLE");
}

// Stored forever: a new shape needs a new version with an upcast().
struct RequestRefused {
  static constexpr EventType kType{"tilth.request.refused"};

  std::string code;
  std::string message;
  FreeObject details;  // as in the response
  Timestamp refused_at;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("code", code), member("message", message), member("details", details),
       member("refusedAt", refused_at));
  }
};

// Stored forever. The request succeeded with nothing to change: a PUT without members.
struct RequestAnswered {
  static constexpr EventType kType{"tilth.request.answered"};

  std::string table;  // of the row in the response
  Uuid row_id;
  Timestamp answered_at;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("table", table), member("rowId", row_id), member("answeredAt", answered_at));
  }
};

}  // namespace tilth
