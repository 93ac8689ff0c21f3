// Records as a node would append them, made by hand.

#pragma once

#include <string>
#include <utility>

#include "events/catalogue.h"
#include "events/event_log.h"
#include "tests/spec.h"

namespace tilth::testing {

// An event of a stream that stood at `version` when it was decided.
inline Record record(std::string stream, std::uint64_t version, const Event& event,
                     std::string event_id = {}) {
  auto encoded = encode(event);
  if (event_id.empty()) event_id = stream + "." + std::to_string(version);
  return {.stream = std::move(stream),
          .envelope = {.id = std::move(event_id),
                       .type = std::move(encoded.type),
                       .schema_version = encoded.version,
                       .source = "node",
                       .time = kThen,
                       .stream_version = version,
                       .actor = "key_1"},
          .json = std::move(encoded.json)};
}

// Appends without waiting: a log in memory holds the record at once.
inline void append(EventLog& log, Record record) {
  log.append(std::move(record), [](const Result<Position>&) {});
}

}  // namespace tilth::testing
