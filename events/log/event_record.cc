#include "events/log/event_record.h"

#include <utility>

#include "events/log/catalogue.h"

namespace tilth {

void write_event(Event event, Record& record) {
  auto encoded = encode(event);
  record.envelope.type = std::move(encoded.type);
  record.envelope.schema_version = encoded.version;
  record.json = std::move(encoded.json);
  record.event = std::move(event);
}

Result<Event> read_event(const Record& record) {
  if (record.event) return *record.event;
  const auto& envelope = record.envelope;
  return decode(envelope.type, envelope.schema_version, record.json);
}

}  // namespace tilth
