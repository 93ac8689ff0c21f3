#include "events/log/event_record.h"

#include <utility>

#include "events/json/json.h"
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
  if (record.json.starts_with('"')) {
    const auto why = parse_json(record.json);
    if (why) return Error{ErrorCode::kDamaged, why->text};
  }
  const auto& envelope = record.envelope;
  return decode(envelope.type, envelope.schema_version, record.json);
}

void set_unreadable(Record& record, const std::string& why) {
  record.event.reset();
  record.json.clear();
  append_json_string(why, record.json);
}

}  // namespace tilth
