// What a companion AI service was asked on a user's behalf, as an operator reports it. It stands in
// the stream `access`, next to the plan that says how many there may be.

#pragma once

#include <string>

#include "events/json/described.h"
#include "events/values/time.h"

namespace tilth {

enum class AiRequestStatus : std::uint8_t { kSucceeded, kFailed, kPending };

constexpr auto labels(AiRequestStatus) {
  return named<AiRequestStatus>("succeeded", "failed", "pending");
}

// Stored for ever: a new shape is a new version, with an upcast().
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
