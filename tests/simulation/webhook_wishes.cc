#include "tests/simulation/webhook_wishes.h"

#include <utility>

#include "command/integrations/webhook.h"

namespace tilth::testing {
namespace {

using Known = KnownRecords;

Wish an_amended_webhook(const Chooser& chooser, const WebhookPath& at) {
  AmendWebhook amend{at, {}, {}};
  chooser.maybe(amend.changes.is_active, [&] { return chooser.once_in(2); });
  chooser.maybe_null(amend.changes.description, [&] { return chooser.name(); });
  return wish_to_amend<Webhook>(chooser, std::move(amend));
}

}  // namespace

Wish about_a_webhook(const Chooser& chooser) {
  if (chooser.known().webhooks.empty() || chooser.once_in(4)) {
    CreateWebhook create;
    create.details.url = Url::stored("https://example.org/hook");
    return wish_for(std::move(create));
  }
  const WebhookPath at{chooser.one_of(&Known::webhooks)};
  switch (chooser.world().below(7)) {
    case 0:
      return chooser.conditional(wish_for(RemoveWebhook{at, {}}), at.row_id());
    case 1:
      return wish_to_change<Webhook>(RotateWebhook{at});
    case 2:
      return wish_to_change<Webhook>(ResendDelivery{
          .at = at, .event_version = static_cast<std::int64_t>(chooser.world().below(9))});
    case 3:
      return wish_to_change<Webhook>(ReplayWebhook{.at = at, .since = chooser.now()});
    case 4:
      // As the service does.
      return wish_for(DisableWebhook{at.webhook_id, "410", chooser.now()});
    default:
      return an_amended_webhook(chooser, at);
  }
}

}  // namespace tilth::testing
