#include "projections/integrations/webhook.h"

#include <utility>

#include "projections/fold/record_rows.h"
#include "projections/rows/row_codec.h"

namespace tilth {

template struct RowCodec<Webhook>;

void evolve(MutableRows& rows, const WebhookCreated& e) {
  rows.put(Webhook{.id = e.id,
                   .details = e.details,
                   .created_at = e.recorded_at,
                   .updated_at = e.recorded_at,
                   .secret_id = e.secret_id,
                   .first_version = static_cast<std::int64_t>(rows.version()) + 1});
}

void evolve(MutableRows& rows, const WebhookAmended& e) {
  auto row = rows.find(e.id);
  if (!row) return;
  apply(e.changes, row->details);
  if (e.changes.is_active.to) row->disabled_reason.reset();
  row->activity = e.activity;
  row->updated_at = e.amended_at;
  rows.put(*row);
}

void evolve(MutableRows& rows, const WebhookSecretRotated& e) {
  auto row = rows.find(e.webhook_id);
  if (!row) return;
  std::erase_if(row->replaced_secrets,
                [&](const auto& replaced) { return replaced.until <= e.rotated_at; });
  row->replaced_secrets.push_back({row->secret_id, {e.rotated_at.at + Webhook::kReplacedSigns}});
  // The eldest signs no longer. To refuse the rotation instead would keep a stolen secret in force.
  if (row->replaced_secrets.size() > Webhook::kMostReplaced) {
    row->replaced_secrets.erase(row->replaced_secrets.begin());
  }
  row->secret_id = e.secret_id;
  row->activity = e.activity;
  row->updated_at = e.rotated_at;
  rows.put(*row);
}

void evolve(MutableRows& rows, const WebhookDisabled& e) {
  auto row = rows.find(e.webhook_id);
  if (!row) return;
  row->details.is_active = false;
  row->disabled_reason = e.reason;
  row->updated_at = e.disabled_at;
  rows.put(*row);
}

// What is sent once more is no change of the webhook; the response shows it.
void evolve(MutableRows& rows, const WebhookResendRequested& e) {
  if (auto row = rows.find_bytes(Webhook::kTable, e.webhook_id.uuid)) rows.show(std::move(*row));
}

void evolve(MutableRows& rows, const WebhookReplayRequested& e) {
  auto row = rows.find(e.webhook_id);
  if (!row) return;
  auto& requests = row->replay_requests;
  requests.push_back(static_cast<std::int64_t>(rows.version()));
  if (requests.size() > Webhook::kMostReplays) requests.erase(requests.begin());
  rows.put(*row);
}

ResourceRows webhook_rows() {
  return {
      .rows = {row_type<Webhook>()},
      .handlers = evolving<WebhookCreated, WebhookAmended, WebhookSecretRotated, WebhookDisabled,
                           WebhookResendRequested, WebhookReplayRequested, WebhookRemoved>()};
}

}  // namespace tilth
