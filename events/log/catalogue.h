// All event types, and how each is encoded to JSON and decoded.

#pragma once

#include <span>
#include <string>
#include <string_view>

#include "events/log/event.h"
#include "events/log/event_codec.h"
#include "events/values/result.h"

namespace tilth {

// The codecs of all events, in the order of the catalogue.
std::span<const EventCodec> event_codecs();
// That of the type with this name; null: there is none.
const EventCodec* find_codec(std::string_view type);

struct EncodedEvent {
  std::string type;
  int version = 1;
  std::string json;
};

EncodedEvent encode(const Event& event);

// Decodes an event of any age. kDamaged: the type is unknown, the version is newer than this
// program's, or the JSON cannot be read. That is a poison event: a projection stops there and never
// skips it silently.
Result<Event> decode(std::string_view type, int version, std::string_view json);

}  // namespace tilth
