#include "command/integrations/webhook.h"
#include "tests/fixtures/land.h"

namespace tilth::testing {
namespace {

const auto kWebhook = id<WebhookId>('1');
const auto kSecret = id<WebhookSecretId>('2');
const WebhookPath kAt{kWebhook};
const WebhookDetails<Own> kDetails{.url = Url::stored("https://farm.example/hook")};
const WebhookCreated kCreated{{kWebhook, {}, kDetails, kThen}, kSecret};
const WebhookActivity kActivity{kThen, {}};

Spec given_webhook() {
  Spec spec;
  spec.given(kCreated);
  return spec;
}

TEST(CreateWebhook, Acts) {
  const auto fresh = id<WebhookId>('9');  // Spec::context.new_id
  Spec()
      .when(CreateWebhook{{}, kDetails})
      .then(WebhookCreated{{fresh, {}, kDetails, kNow}, {following(fresh.uuid, 1)}});
}

TEST(CreateWebhook, RefusesATwentyFirst) {
  Spec spec;
  for (std::uint8_t i = 0; i < 20; ++i) {
    auto created = kCreated;
    created.id.uuid.bytes[0] = i;
    spec.given(created);
  }
  spec.when(CreateWebhook{{}, kDetails}).then_refused(ErrorCode::kConflict);
}

TEST(AmendWebhook, ActsAndRemembersWhatIsKnown) {
  const WebhookDetails<Patch> paused{.is_active = {false}};
  given_webhook()
      .when(AmendWebhook{kAt, paused, kActivity})
      .then(WebhookAmended{{kWebhook, paused, kNow}, kActivity});
}

TEST(AmendWebhook, StaysQuietWithoutChanges) {
  given_webhook().when(AmendWebhook{kAt, {}, {}}).then_nothing();
}

TEST(AmendWebhook, NeedsTheWebhook) {
  const WebhookDetails<Patch> paused{.is_active = {false}};
  Spec().when(AmendWebhook{kAt, paused, {}}).then_refused(ErrorCode::kNotFound);
}

TEST(RotateWebhook, NamesAnotherSecret) {
  given_webhook()
      .when(RotateWebhook{kAt, kActivity})
      .then(WebhookSecretRotated{kWebhook, id<WebhookSecretId>('9'), kActivity, kNow});
  Spec().when(RotateWebhook{kAt}).then_refused(ErrorCode::kNotFound);
}

TEST(ResendDelivery, NeedsADelivery) {
  const auto delivery = id<WebhookId>('5').uuid;
  given_webhook()
      .when(ResendDelivery{kAt, delivery, 7})
      .then(WebhookResendRequested{kWebhook, delivery, 7, kNow});
  given_webhook().when(ResendDelivery{kAt, delivery, {}}).then_refused(ErrorCode::kNotFound);
  Spec().when(ResendDelivery{kAt, delivery, 7}).then_refused(ErrorCode::kNotFound);
}

TEST(ReplayWebhook, Acts) {
  given_webhook()
      .when(ReplayWebhook{kAt, kThen})
      .then(WebhookReplayRequested{kWebhook, kThen, {}, {}, kNow});
  Spec().when(ReplayWebhook{kAt, kThen}).then_refused(ErrorCode::kNotFound);
}

TEST(ReplayWebhook, RefusesAnEleventhWhileTenWaitToBeTakenUp) {
  auto spec = given_webhook();
  const WebhookReplayRequested requested{kWebhook, kThen, {}, {}, kThen};
  for (int i = 0; i < 9; ++i) spec.given(requested);
  spec.when(ReplayWebhook{kAt, kThen}).then(WebhookReplayRequested{kWebhook, kThen, {}, {}, kNow});
  spec.given(requested).when(ReplayWebhook{kAt, kThen}).then_refused(ErrorCode::kConflict);
}

TEST(ReplayWebhook, RefusesAnEleventhWhileTenHaveNotEnded) {
  const auto replay_while = [](std::uint64_t open) {
    return ReplayWebhook{
        .at = kAt, .since = kThen, .replays = {.open = open, .next_request_version = 1'000}};
  };
  auto spec = given_webhook();
  for (int i = 0; i < 20; ++i) spec.given(WebhookReplayRequested{kWebhook, kThen, {}, {}, kThen});
  spec.when(replay_while(9)).then(WebhookReplayRequested{kWebhook, kThen, {}, {}, kNow});
  spec.when(replay_while(10)).then_refused(ErrorCode::kConflict);
}

TEST(DisableWebhook, Acts) {
  given_webhook()
      .when(DisableWebhook{kWebhook, "It is gone.", kThen})
      .then(WebhookDisabled{kWebhook, "It is gone.", kNow});
}

TEST(DisableWebhook, StaysQuietIfTheOwnerHasChangedItSinceOrItIsNotActive) {
  const WebhookDetails<Patch> moved{.url = {Url::stored("https://farm.example/other")}};
  given_webhook()
      .given(WebhookAmended{{kWebhook, moved, kNow}})
      .when(DisableWebhook{kWebhook, "It is gone.", kThen})
      .then_nothing();
  given_webhook()
      .given(WebhookDisabled{kWebhook, "It is gone.", kThen})
      .when(DisableWebhook{kWebhook, "Again.", kThen})
      .then_nothing();
  Spec().when(DisableWebhook{kWebhook, "It is gone.", kThen}).then_nothing();
}

TEST(Webhook, IsActiveAgainWithoutItsReason) {
  auto spec = given_webhook();
  spec.given(WebhookDisabled{kWebhook, "It is gone.", kThen});
  spec.given(WebhookAmended{{kWebhook, {.is_active = {true}}, kNow}});
  // Otherwise it could not be disabled again.
  spec.when(DisableWebhook{kWebhook, "Again.", kNow})
      .then(WebhookDisabled{kWebhook, "Again.", kNow});
}

TEST(Webhook, SignsWithTheNewestOfTheSecretsThatWereReplacedWithinADay) {
  auto spec = given_webhook();
  for (char n = '3'; n <= '9'; ++n) {
    spec.given(WebhookSecretRotated{kWebhook, id<WebhookSecretId>(n), {}, kThen});
  }
  const auto row = spec.rows().find(kWebhook);
  std::vector<WebhookSecretId> replaced;
  for (const auto& each : row->replaced_secrets) replaced.push_back(each.id);
  EXPECT_EQ(row->secret_id, id<WebhookSecretId>('9'));
  EXPECT_EQ(replaced, (std::vector{id<WebhookSecretId>('4'), id<WebhookSecretId>('5'),
                                   id<WebhookSecretId>('6'), id<WebhookSecretId>('7'),
                                   id<WebhookSecretId>('8')}));
}

}  // namespace
}  // namespace tilth::testing
