#include "events/log/catalogue.h"

#include <cstdlib>
#include <unordered_map>

// A resource defines its events in its .cc. A new resource is one line here.
// clang-format off
#define TILTH_EVENTS(of) \
  of(farm) \
  of(field) \
  of(crop) \
  of(block) \
  of(plant) \
  of(task) \
  of(task_template) \
  of(recurring_task) \
  of(irrigation) \
  of(fertigation) \
  of(soil_sample) \
  of(leaf_sample) \
  of(expense) \
  of(overhead) \
  of(sale) \
  of(price_report) \
  of(request) \
  of(admin_crop) \
  of(exchange_rate) \
  of(user_crop) \
  of(user) \
  of(ai_request) \
  of(erasure) \
  of(operator) \
  of(audit) \
  of(webhook)
// clang-format on

namespace tilth {

#define TILTH_DECLARE(resource) std::vector<EventCodec> resource##_events();
TILTH_EVENTS(TILTH_DECLARE)
#undef TILTH_DECLARE

namespace {

std::vector<EventCodec> all_codecs() {
  std::vector<EventCodec> all;
  const auto add = [&](const std::vector<EventCodec>& codecs) {
    all.insert(all.end(), codecs.begin(), codecs.end());
  };
#define TILTH_ADD(resource) add(resource##_events());
  TILTH_EVENTS(TILTH_ADD)
#undef TILTH_ADD
  return all;
}

std::unordered_map<std::string_view, const EventCodec*> codecs_by_name() {
  std::unordered_map<std::string_view, const EventCodec*> codecs;
  for (const auto& codec : event_codecs()) codecs.emplace(codec.type->name, &codec);
  return codecs;
}

const EventCodec& codec_of(const EventType& type) {
  static const auto kCodecs = [] {
    std::unordered_map<const EventType*, const EventCodec*> codecs;
    for (const auto& codec : event_codecs()) codecs.emplace(codec.type, &codec);
    return codecs;
  }();
  const auto found = kCodecs.find(&type);
  if (found == kCodecs.end()) std::abort();  // it is missing from the catalogue
  return *found->second;
}

}  // namespace

std::span<const EventCodec> event_codecs() {
  static const auto kCodecs = all_codecs();
  return kCodecs;
}

const EventCodec* find_codec(std::string_view type) {
  static const auto kCodecs = codecs_by_name();
  const auto found = kCodecs.find(type);
  return found == kCodecs.end() ? nullptr : found->second;
}

EncodedEvent encode(const Event& event) {
  const auto& codec = codec_of(event.type());
  return {std::string(codec.type->name), codec.type->version, codec.write(event)};
}

Result<Event> decode(std::string_view type, int version, std::string_view json) {
  const auto name = [&] { return std::string(type) + " v" + std::to_string(version); };
  const auto* codec = find_codec(type);
  if (codec == nullptr || version > codec->type->version || version < 1) {
    return Error{ErrorCode::kDamaged, name() + " is not known to this version of Tilth."};
  }
  auto parsed = parse_json(json);
  if (!parsed) return Error{ErrorCode::kDamaged, name() + " is not well-formed JSON."};
  Issues issues;
  auto event = codec->read(version, *parsed, issues);
  if (!issues.empty()) {
    const auto& [path, messages] = *issues.begin();
    return Error{ErrorCode::kDamaged,
                 name() + " cannot be read: " + path + " " + messages.front() + "."};
  }
  return event;
}

}  // namespace tilth
