// The audit trail: who changed something through the operator API, or tried to. It has a stream of
// its own, `audit`.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "events/access/operator.h"
#include "events/json/described.h"
#include "events/values/ids.h"
#include "events/values/time.h"

namespace tilth {

inline constexpr std::string_view kAuditStream = "audit";

using AuditId = Id<struct AuditEntry>;

// Stored forever: a new shape needs a new version with an upcast(). One request that changes
// something, as it was answered. It never has a body: that may hold a password.
struct AuditRecorded {
  static constexpr EventType kType{"tilth.audit.recorded"};

  AuditId audit_id;
  std::string operator_name;
  OperatorRole role = {};  // that the operator had
  std::string action;      // what the route does: "Mint an API key"
  std::string method;
  std::string target;                  // path and query
  std::optional<std::string> created;  // the id of what the request made
  std::int64_t status = 0;             // of the response
  std::string request_id;              // the correlationid of the events that the request led to
  std::string address;                 // the client's
  Timestamp at;                        // when the request arrived

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("auditId", audit_id), member("operator", operator_name), member("role", role),
       member("action", action), member("method", method), member("target", target),
       member("created", created), member("status", status), member("requestId", request_id),
       member("address", address), member("at", at));
  }
};

}  // namespace tilth
