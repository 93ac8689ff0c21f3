// How each type of event is encoded to JSON and decoded. Included only by the .cc of a resource's
// events, which instantiates their codecs:
//
//   std::vector<EventCodec> plant_events() {
//     return codecs_of<PlantRegistered, PlantAmended, PlantRemoved>();
//   }

#pragma once

#include <string>
#include <vector>

#include "events/json/json_reader.h"
#include "events/json/json_writer.h"
#include "events/json/type_form.h"
#include "events/log/event.h"

namespace tilth {

struct EventCodec {
  const EventType* type;
  const TypeForm* form;
  std::string (*write)(const Event& event);  // an event of this type
  // Reads the JSON of a version from 1 to type->version. Errors go to `issues`.
  Event (*read)(int version, Json& json, Issues& issues);
};

template <StoredEvent E>
std::string write_as(const Event& event) {
  return JsonWriter::text(event.get<E>());
}

// An older shape goes through E::upcast(version, json), one version at a time.
template <StoredEvent E>
Event read_as(int version, Json& json, Issues& issues) {
  if constexpr (E::kType.version > 1) {
    for (int v = version; v < E::kType.version; ++v) E::upcast(v, json);
  }
  E event{};
  JsonReader::read(json, Reading::kStored, event, issues);
  return event;
}

template <StoredEvent... E>
std::vector<EventCodec> codecs_of() {
  return {{&E::kType, &kTypeForm<E>, write_as<E>, read_as<E>}...};
}

}  // namespace tilth
