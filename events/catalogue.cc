#include "events/catalogue.h"

#include <unordered_map>

#include "events/json_reader.h"
#include "events/json_writer.h"

namespace tilth {
namespace {

using Read = void (*)(int version, Json& json, Issues& issues, Event& event);

template <class E>
void read_as(int version, Json& json, Issues& issues, Event& event) {
  if constexpr (E::kType.version > 1) {
    for (int v = version; v < E::kType.version; ++v) E::upcast(v, json);
  }
  JsonReader::read(json, Reading::kStored, event.emplace<E>(), issues);
}

struct Reader {
  int version;
  Read read;
};

template <class... E>
std::unordered_map<std::string_view, Reader> readers(const std::variant<E...>*) {
  return {{E::kType.name, {E::kType.version, read_as<E>}}...};
}

}  // namespace

EncodedEvent encode(const Event& event) {
  return std::visit(
      []<class E>(const E& e) -> EncodedEvent {
        return {std::string(E::kType.name), E::kType.version, JsonWriter::text(e)};
      },
      event);
}

Result<Event> decode(std::string_view type, int version, std::string_view json) {
  static const auto kReaders = readers(static_cast<const Event*>(nullptr));
  const auto name = [&] { return std::string(type) + " v" + std::to_string(version); };
  const auto found = kReaders.find(type);
  if (found == kReaders.end() || version > found->second.version || version < 1) {
    return Error{ErrorCode::kDamaged, name() + " is not known to this version of Tilth."};
  }
  auto parsed = parse_json(json);
  if (!parsed) return Error{ErrorCode::kDamaged, name() + " is not well-formed JSON."};
  Event event;
  Issues issues;
  found->second.read(version, *parsed, issues, event);
  if (!issues.empty()) {
    const auto& [path, faults] = *issues.begin();
    return Error{ErrorCode::kDamaged,
                 name() + " cannot be read: " + path + " " + faults.front() + "."};
  }
  return event;
}

}  // namespace tilth
