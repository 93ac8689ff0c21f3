// What a plan allows, as its users and operators see it.

#pragma once

#include <string>

#include "events/access/plan.h"
#include "events/json/described.h"

namespace tilth {

struct NamedPlan {
  std::string name;
  Plan plan;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("name", name), member("requestsPerHour", plan.requests_per_hour),
       member("farms", plan.farms), member("aiRequestsPerMonth", plan.ai_requests_per_month),
       member("bytesPerHour", plan.bytes_per_hour, {.doc = "What changes may add to the history."}),
       member("mayMintKeys", plan.may_mint_keys));
  }
};

}  // namespace tilth
