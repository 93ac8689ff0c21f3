#include "api/webhooks/webhook_secret.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace tilth {
namespace {

using namespace std::chrono_literals;

const KeyDigest kDigest("the secret of the service");
const Timestamp kNow = Timestamp::parse("2026-03-01T06:30:00Z").value();
const auto kOne = WebhookSecretId::parse("00000000-0000-4000-8000-000000000001").value();
const auto kTwo = WebhookSecretId::parse("00000000-0000-4000-8000-000000000002").value();

std::string signed_by(const Webhook& webhook, Timestamp now = kNow, std::string_view body = "{}") {
  return webhook_signature(kDigest, webhook, now, "msg", "1772346600", body);
}

TEST(WebhookSecret, IsThirtyTwoBytesThatFollowFromItsIdAndTheServicesSecret) {
  const auto secret = webhook_secret(kDigest, kOne);
  EXPECT_TRUE(secret.starts_with("whsec_"));
  EXPECT_EQ(secret.size(), 6 + 44);
  EXPECT_EQ(secret, webhook_secret(kDigest, kOne));
  EXPECT_NE(secret, webhook_secret(kDigest, kTwo));
  EXPECT_NE(secret, webhook_secret(KeyDigest("another"), kOne));
}

TEST(WebhookSignature, DependsOnAllThatItSigns) {
  const Webhook webhook{.secret_id = kOne};
  const auto signature = signed_by(webhook);
  EXPECT_TRUE(signature.starts_with("v1,"));
  EXPECT_EQ(signature.size(), 3 + 44);
  EXPECT_NE(signature, signed_by(webhook, kNow, "[]"));
  EXPECT_NE(signature, webhook_signature(kDigest, webhook, kNow, "gsm", "1772346600", "{}"));
  EXPECT_NE(signature, webhook_signature(kDigest, webhook, kNow, "msg", "1772346601", "{}"));
}

TEST(WebhookSignature, IsOfAReplacedSecretTooUntilItsTimeIsOver) {
  const Webhook rotated{.secret_id = kTwo, .replaced_secrets = {{kOne, {kNow.at + 24h}}}};
  const auto former = signed_by(Webhook{.secret_id = kOne});
  const auto latter = signed_by(Webhook{.secret_id = kTwo});
  EXPECT_EQ(signed_by(rotated), latter + " " + former);
  EXPECT_EQ(signed_by(rotated, {kNow.at + 24h - 1ms}), latter + " " + former);
  EXPECT_EQ(signed_by(rotated, {kNow.at + 24h}), latter);
}

}  // namespace
}  // namespace tilth
