#include "events/known_event.h"

#include <utility>

namespace tilth {

void write_event(Event event, Record& record) {
  auto encoded = encode(event);
  record.envelope.type = std::move(encoded.type);
  record.envelope.schema_version = encoded.version;
  record.json = std::move(encoded.json);
  record.known = std::make_shared<KnownEvent>(std::move(event));
}

Result<std::shared_ptr<const Event>> read_event(const Record& record) {
  if (record.known) return std::shared_ptr<const Event>(record.known, &record.known->event);
  const auto& envelope = record.envelope;
  auto event = decode(envelope.type, envelope.schema_version, record.json);
  if (!event) return event.error();
  return std::make_shared<const Event>(std::move(*event));
}

}  // namespace tilth
