#include "tests/simulation/plain_webhook.h"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "events/json/json.h"

namespace tilth::testing {
namespace {

constexpr std::chrono::hours kReplacedSigns{24};
constexpr std::size_t kMostReplaced = 5, kMostReplays = 10;

std::vector<Json> items_of(const std::string& array) {
  const auto json = parse_json(array);
  std::vector<Json> items;
  for (const auto& [none, item] : json->children) items.push_back(item);
  return items;
}

std::string newest_of(std::vector<Json> items, std::size_t at_most) {
  if (items.size() > at_most) items.erase(items.begin());
  return text_of(Json::array(std::move(items)));
}

// The secret of before signs for a day more.
std::string replaced_secrets(const WebhookMembers& webhook, Timestamp at) {
  auto replaced = items_of(webhook.at("replacedSecrets"));
  std::erase_if(replaced, [&](const Json& each) { return each.find("until")->text <= at.text(); });
  auto& newest = replaced.emplace_back(Json::object());
  newest.add("id", *parse_json(webhook.at("secretId")));
  newest.add("until", Json::string(Timestamp{at.at + kReplacedSigns}.text()));
  return newest_of(std::move(replaced), kMostReplaced);
}

}  // namespace

void begin_webhook(WebhookMembers& webhook, std::uint64_t version) {
  webhook["disabledReason"] = webhook["lastSuccessAt"] = webhook["lastFailureAt"] = "null";
  webhook["replacedSecrets"] = webhook["replayRequests"] = "[]";
  webhook["firstVersion"] = std::to_string(version + 1);
}

bool follow_webhook(WebhookMembers& webhook, std::string_view what, const WebhookMembers& members,
                    std::uint64_t version, Timestamp at) {
  if (what == "amended" && members.contains("isActive")) webhook["disabledReason"] = "null";
  if (what == "disabled") {
    webhook["isActive"] = "false";
    webhook["disabledReason"] = members.at("reason");
  }
  if (what == "secret_rotated") {
    webhook["replacedSecrets"] = replaced_secrets(webhook, at);
    for (const auto* name : {"secretId", "lastSuccessAt", "lastFailureAt"}) {
      webhook[name] = members.at(name);
    }
  }
  if (what == "replay_requested") {
    auto requests = items_of(webhook["replayRequests"]);
    requests.push_back(Json::number(static_cast<std::int64_t>(version)));
    webhook["replayRequests"] = newest_of(std::move(requests), kMostReplays);
  }
  return what == "amended" || what == "disabled" || what == "secret_rotated";
}

}  // namespace tilth::testing
