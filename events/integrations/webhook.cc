#include "events/integrations/webhook.h"

#include "events/log/event_codec.h"

namespace tilth {

std::vector<EventCodec> webhook_events() {
  return codecs_of<WebhookCreated, WebhookAmended, WebhookSecretRotated, WebhookDisabled,
                   WebhookResendRequested, WebhookReplayRequested, WebhookRemoved>();
}

}  // namespace tilth
