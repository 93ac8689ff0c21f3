// Commands on a webhook. `at` comes from the path, the described members from the body.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command/record.h"
#include "projections/integrations/webhook.h"

namespace tilth {

// What a pattern of event types may be: "tilth.task.*".
void check_types(const std::vector<std::string>& types, Issues& issues);

struct CreateWebhook {
  static constexpr std::size_t kMost = 20;  // of an owner
  WholeStream at;
  WebhookDetails<Own> details;

  template <class Archive>
  void serialize(Archive& ar) {
    details.serialize(ar);
  }
  void check(Issues& issues) const { check_types(details.types, issues); }
};

template <>
struct RecordRules<Webhook> {
  static void check(const WebhookDetails<Patch>& changes, Issues& issues) {
    if (changes.types.to) check_types(*changes.types.to, issues);
  }
};

// `latest` is what is known of the webhook besides its history.
struct AmendWebhook {
  WebhookPath at;
  WebhookDetails<Patch> changes;
  WebhookActivity latest;
};

struct RemoveWebhook {
  WebhookPath at;
  WebhookActivity latest;
};

// The body is ignored.
struct RotateWebhook {
  WebhookPath at;
  WebhookActivity latest = {};

  template <class Archive>
  void serialize(Archive&) {}
};

// A delivery that was made before, of that event of the owner's stream. Null: there is none.
struct ResendDelivery {
  WebhookPath at;
  Uuid delivery_id = {};
  std::optional<std::int64_t> event_version = {};
};

// `replays` is what is known of them besides the webhook's history.
struct ReplayWebhook {
  WebhookPath at;
  Timestamp since = {};
  std::optional<Timestamp> until = {};
  std::optional<std::vector<std::string>> types = {};
  WebhookReplays replays = {};

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("since", since, {.required = true}), member("until", until),
       member("types", types, {.min_items = 1, .max_items = 50}));
  }
  void check(Issues& issues) const;
};

// The receiver has failed for good, judged by the webhook as it was at `seen`.
struct DisableWebhook {
  WebhookId webhook_id;
  std::string reason;
  Timestamp seen = {};
};

// WebhookCreated. kConflict: the owner has as many as they may have.
Decision decide(const Rows&, const CreateWebhook&, const Context&);

// WebhookAmended with the members that the request carried; nothing if it carried none. kNotFound,
// kPreconditionFailed.
Decision decide(const Rows&, const AmendWebhook&, const Context&);

// WebhookRemoved. kNotFound, kPreconditionFailed.
Decision decide(const Rows&, const RemoveWebhook&, const Context&);

// WebhookSecretRotated. kNotFound.
Decision decide(const Rows&, const RotateWebhook&, const Context&);

// WebhookResendRequested. kNotFound: no such webhook or delivery.
Decision decide(const Rows&, const ResendDelivery&, const Context&);

// WebhookReplayRequested. kNotFound. kConflict: too many replays of the webhook have not ended.
Decision decide(const Rows&, const ReplayWebhook&, const Context&);

// WebhookDisabled; nothing if there is no such webhook, if it is not active, or if it was changed
// since it was seen.
Decision decide(const Rows&, const DisableWebhook&, const Context&);

}  // namespace tilth
