// The outcomes of requests that carried an Idempotency-Key, so that a retry gets the same response
// for 24 hours.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "events/log/event_log.h"
#include "events/log/request.h"
#include "projections/rows/rows.h"

namespace tilth {

struct IdempotencyRecord {
  std::string request_hash;
  Timestamp at = {};                 // when it was decided
  Position position = {};            // of its record
  std::optional<RowBytes> row = {};  // the row in the response, as it was then
  std::optional<RequestRefused> refusal = {};
};

// Null if there is none, or if it is 24 hours old or more at `now` (docs/api.md, "Asking again
// safely").
std::optional<IdempotencyRecord> find_idempotency_record(const Rows& rows, std::string_view key,
                                                         Timestamp now);

// Stores `remembered` under `key`, and deletes a few records that have expired by its time.
void remember(MutableRows& rows, std::string_view key, const IdempotencyRecord& remembered);

}  // namespace tilth
