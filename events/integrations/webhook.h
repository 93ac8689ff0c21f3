// Details and events of a webhook: where an owner wants to have their events sent.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "events/log/record_events.h"
#include "events/values/url.h"

namespace tilth {

using WebhookId = Id<struct Webhook>;

template <template <class> class As>
struct WebhookDetails {
  As<Url> url = {};
  As<std::optional<std::string>> description = {};
  As<std::vector<std::string>> types = initially<As>(std::vector<std::string>{"*"});
  As<bool> is_active = initially<As>(true);

  template <class Archive>
  decltype(auto) serialize(Archive& ar) {
    constexpr bool kRequired = kWhole<As>;
    return ar(member("url", url, {.required = kRequired}),
              member("description", description, {.max_length = 200}),
              member("types", types, {.min_items = 1, .max_items = 50}),
              member("isActive", is_active));
  }
};

// Names the secret that signs, and is not the secret itself (docs/decisions/0068).
using WebhookSecretId = Id<struct WebhookSecret>;

// When a webhook was last sent something with success, and without. It is no part of the history:
// an event has what was known when it was decided, so that a response can be repeated.
struct WebhookActivity {
  std::optional<Timestamp> last_success_at = {}, last_failure_at = {};

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("lastSuccessAt", last_success_at), member("lastFailureAt", last_failure_at));
  }
};

// Stored forever: a new shape needs a new version with an upcast().
struct WebhookCreated : Recorded<Webhook, Nowhere, WebhookDetails<Own>> {
  static constexpr EventType kType{"tilth.webhook.created"};

  WebhookSecretId secret_id = {};

  template <class Archive>
  void serialize(Archive& ar) {
    list(ar, "webhookId", "createdAt", member("secretId", secret_id));
  }
};

// Stored forever. Holds the members that the request carried.
struct WebhookAmended : Amended<Webhook, WebhookDetails> {
  static constexpr EventType kType{"tilth.webhook.amended"};

  WebhookActivity activity = {};

  template <class Archive>
  void serialize(Archive& ar) {
    list(ar, "webhookId", member("lastSuccessAt", activity.last_success_at),
         member("lastFailureAt", activity.last_failure_at));
  }
};

// Stored forever.
struct WebhookSecretRotated {
  static constexpr EventType kType{"tilth.webhook.secret_rotated"};

  WebhookId webhook_id;
  WebhookSecretId secret_id = {};
  WebhookActivity activity = {};
  Timestamp rotated_at;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("webhookId", webhook_id), member("secretId", secret_id));
    activity.serialize(ar);
    ar(member("rotatedAt", rotated_at));
  }
};

// Stored forever. The service gave the receiver up.
struct WebhookDisabled {
  static constexpr EventType kType{"tilth.webhook.disabled"};

  WebhookId webhook_id;
  std::string reason = {};
  Timestamp disabled_at;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("webhookId", webhook_id), member("reason", reason),
       member("disabledAt", disabled_at));
  }
};

// Stored forever. The owner wants the event of that delivery once more.
struct WebhookResendRequested {
  static constexpr EventType kType{"tilth.webhook.resend_requested"};

  WebhookId webhook_id;
  Uuid delivery_id = {};
  std::int64_t event_version = 0;  // of the owner's stream
  Timestamp requested_at;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("webhookId", webhook_id), member("deliveryId", delivery_id),
       member("eventVersion", event_version), member("requestedAt", requested_at));
  }
};

// Stored forever. The owner wants the events of that period once more, up to this one.
struct WebhookReplayRequested {
  static constexpr EventType kType{"tilth.webhook.replay_requested"};

  WebhookId webhook_id;
  Timestamp since;
  std::optional<Timestamp> until = {};
  std::optional<std::vector<std::string>> types = {};
  Timestamp requested_at;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("webhookId", webhook_id), member("since", since), member("until", until),
       member("types", types), member("requestedAt", requested_at));
  }
};

// Stored forever.
struct WebhookRemoved : Removed<Webhook> {
  static constexpr EventType kType{"tilth.webhook.removed"};

  template <class Archive>
  void serialize(Archive& ar) {
    list(ar, "webhookId");
  }
};

}  // namespace tilth
