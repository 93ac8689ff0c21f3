#include "events/log/event_rules.h"

#include "events/json/rule_check.h"

namespace tilth {

Issues broken_rules(const EncodedEvent& event) {
  Issues issues;
  const auto* codec = find_codec(event.type);
  const auto json = parse_json(event.json);
  if (codec == nullptr || !json) return issues;
  check_rules(*json, *codec->form, issues);
  return issues;
}

}  // namespace tilth
