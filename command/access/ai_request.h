// An AI request that an operator reports for a companion AI service.

#pragma once

#include "command/decision.h"
#include "events/access/ai_request.h"

namespace tilth {

struct ReportAiRequest {
  std::string user_id;
  AiRequestStatus status = {};
  std::optional<Timestamp> requested_at = {};  // null: now

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("status", status, {.required = true}), member("requestedAt", requested_at));
  }
};

// AiRequestReported. kNotFound: no such user.
Decision decide(const Rows&, const ReportAiRequest&, const Context&);

}  // namespace tilth
