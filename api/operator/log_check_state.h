// How the check of the event log is shown.

#pragma once

#include <string>

#include "api/operator/member_json.h"
#include "api/operator/operated_log_check.h"
#include "events/json/json_writer.h"

namespace tilth {

// `state` is the newest that is known: a log that was found damaged is so until a later check says
// otherwise.
inline std::string log_check_json(const LogCheckStanding& standing) {
  const auto& [running, checked, total, finished_at, damage, failure] = standing;
  const std::string state = running       ? "checking"
                            : failure     ? "failed"
                            : damage      ? "damaged"
                            : finished_at ? "sound"
                                          : "waiting";
  std::string json = "{";
  append_member(json, "state", state);
  append_member(json, "checked", checked);
  append_member(json, "records", total);
  append_member(json, "finishedAt", finished_at);
  append_member(json, "damage", damage);
  append_member(json, "reason", failure);
  return json + "}";
}

}  // namespace tilth
