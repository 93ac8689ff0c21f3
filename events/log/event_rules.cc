#include "events/log/event_rules.h"

#include <algorithm>
#include <string_view>

#include "events/json/rule_check.h"

namespace tilth {

Issues broken_rules(const EncodedEvent& event) {
  Issues issues;
  const auto codecs = event_codecs();
  const auto codec =
      std::ranges::find(codecs, event.type, [](const EventCodec& each) { return each.type->name; });
  const auto json = parse_json(event.json);
  if (codec == codecs.end() || !json) return issues;
  check_rules(*json, *codec->form, issues);
  return issues;
}

}  // namespace tilth
