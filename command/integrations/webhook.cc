#include "command/integrations/webhook.h"

#include <algorithm>
#include <utility>

namespace tilth {

void check_types(const std::vector<std::string>& types, Issues& issues) {
  constexpr std::size_t kLongest = 100;
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("._-*").find(c) != std::string_view::npos;
  };
  for (std::size_t i = 0; i < types.size(); ++i) {
    const auto name = "types." + std::to_string(i);
    const auto& type = types[i];
    if (issues.contains(name)) continue;
    if (type.empty() || type.size() > kLongest || !std::all_of(type.begin(), type.end(), allowed)) {
      issues[name].emplace_back("must be 1-100 characters of A-Z a-z 0-9 . _ - and *");
    }
  }
}

void ReplayWebhook::check(Issues& issues) const {
  if (types) check_types(*types, issues);
  if (until && *until < since && !issues.contains("since")) {
    issues["until"].emplace_back("must not be before since");
  }
}

Decision decide(const Rows& rows, const CreateWebhook& command, const Context& context) {
  if (rows.count<Webhook>({}) >= CreateWebhook::kMost) {
    return Error{ErrorCode::kConflict, "You have " + std::to_string(CreateWebhook::kMost) +
                                           " webhooks, the most there "
                                           "may be."};
  }
  return WebhookCreated{{{context.new_id}, {}, command.details, context.now},
                        {following(context.new_id, 1)}};
}

Decision decide(const Rows& rows, const AmendWebhook& command, const Context& context) {
  const auto stored = find(rows, command.at);
  if (!stored) return there_is_no<Webhook>();
  const auto webhook = stored->with(command.latest);
  if (const auto held = context.permits(webhook); !held) return held.error();
  if (!carries_any(command.changes)) return std::nullopt;
  return WebhookAmended{{webhook.id, command.changes, context.now}, webhook.activity};
}

Decision decide(const Rows& rows, const RemoveWebhook& command, const Context& context) {
  const auto webhook = find(rows, command.at);
  if (!webhook) return there_is_no<Webhook>();
  if (const auto held = context.permits(webhook->with(command.latest)); !held) return held.error();
  return WebhookRemoved{{webhook->id, context.now}};
}

Decision decide(const Rows& rows, const RotateWebhook& command, const Context& context) {
  const auto webhook = find(rows, command.at);
  if (!webhook) return there_is_no<Webhook>();
  return WebhookSecretRotated{
      webhook->id, {context.new_id}, webhook->with(command.latest).activity, context.now};
}

Decision decide(const Rows& rows, const ResendDelivery& command, const Context& context) {
  const auto webhook = find(rows, command.at);
  if (!webhook) return there_is_no<Webhook>();
  if (!command.event_version) {
    return Error{ErrorCode::kNotFound, "There is no such delivery."};
  }
  return WebhookResendRequested{webhook->id, command.delivery_id, *command.event_version,
                                context.now};
}

Decision decide(const Rows& rows, const ReplayWebhook& command, const Context& context) {
  const auto webhook = find(rows, command.at);
  if (!webhook) return there_is_no<Webhook>();
  if (webhook->unended(command.replays) >= Webhook::kMostReplays) {
    return Error{ErrorCode::kConflict, std::to_string(Webhook::kMostReplays) +
                                           " replays of this webhook have not ended yet, the most "
                                           "there may be."};
  }
  return WebhookReplayRequested{webhook->id, command.since, command.until, command.types,
                                context.now};
}

Decision decide(const Rows& rows, const DisableWebhook& command, const Context& context) {
  const auto webhook = rows.find(command.webhook_id);
  if (!webhook || !webhook->details.is_active || webhook->updated_at > command.seen) {
    return std::nullopt;
  }
  return WebhookDisabled{webhook->id, command.reason, context.now};
}

}  // namespace tilth
