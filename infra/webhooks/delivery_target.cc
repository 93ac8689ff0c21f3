#include "infra/webhooks/delivery_target.h"

#include "api/v1/history/event_line.h"

namespace tilth {

SharedEvent event_to_send(const LoggedRecord& logged) {
  const auto& envelope = logged.record->envelope;
  return std::make_shared<const SentEvent>(
      SentEvent{envelope.stream_version, envelope.id, envelope.type, envelope.time,
                std::make_shared<const std::string>(own_event(logged)), envelope.traceparent});
}

}  // namespace tilth
