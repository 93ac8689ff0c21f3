// AI requests that a companion service ran for a user, as an operator reports them. They are in the
// `access` stream, together with the plan that limits their number.

#pragma once

#include <string>

#include "events/json/described.h"
#include "events/values/time.h"

namespace tilth {

enum class AiRequestStatus : std::uint8_t { kSucceeded, kFailed, kPending };

constexpr auto labels(AiRequestStatus) {
  return named<AiRequestStatus>("succeeded", "failed", "pending");
}

// Stored forever: a new shape needs a new version with an upcast().
struct AiRequestReported {
  static constexpr EventType kType{"tilth.ai_request.reported"};

  std::string user_id;
  AiRequestStatus status = {};
  Timestamp requested_at;
  Timestamp reported_at;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("userId", user_id), member("status", status), member("requestedAt", requested_at),
       member("reportedAt", reported_at));
  }
};

}  // namespace tilth
