// A request that a client has sent once, and what became of it.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "command/decision.h"
#include "events/log/event_log.h"
#include "tests/simulation/plain_request.h"

namespace tilth::testing {

// One that is sent again has the same key and another attempt.
struct Attempt {
  // A decision, and all that it depended on besides the rows.
  struct Decided {
    Context context;
    std::uint64_t reference = 0;  // the version of the reference data
    std::string line;
    std::optional<ErrorCode> refused = {};
  };

  std::string request_id;
  CommandRequest request;
  bool is_first_with_its_key = false;      // of its owner
  std::optional<PlainRequest> asked = {};  // what it asks for, if that is said again
  std::vector<Decided> decided = {};
  // The newest record of its stream that anybody knew to have happened when it was sent; -1: none.
  std::int64_t known_before = -1;
  // The same of the reference data: as a version.
  std::uint64_t reference_known_before = 0;
  Timestamp sent_at = {}, ended_at = {};  // by the world's clock, which no node's is behind
  std::int64_t end_after = 0;             // of the partition, when it ended
  std::optional<Result<CommandResult>> result = {};
  bool sent = true;

  // Of the rest, on the model.
  int accepted = 0;
  const Record* record = nullptr;  // the last that was accepted
  bool justified = false;
};

}  // namespace tilth::testing
