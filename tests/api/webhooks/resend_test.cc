// A request to send a delivery's event again.

#include "tests/api/api_fixture.h"

namespace tilth::testing {
namespace {

class ResendTest : public ApiFixture {
 protected:
  int resend(const Uuid& which) {
    return call("POST", "/webhooks/" + webhook.text() + "/deliveries/" + which.text() + "/resend")
        .status();
  }

  const WebhookId webhook =
      WebhookId::parse(
          call("POST", "/webhooks", R"({"url":"https://farm.example/hook"})").data("id"))
          .value();
  const Uuid delivery = FakeDeliveries::delivery_of(webhook);
};

TEST_F(ResendTest, OfADeliveryThatIsNotThereIsNotFound) {
  EXPECT_EQ(resend(delivery), 202);
  EXPECT_EQ(resend(webhook.uuid), 404);
}

TEST_F(ResendTest, IsUnavailableWhileDeliveriesCannotBeRead) {
  deliveries.readable = false;
  EXPECT_EQ(resend(delivery), 503);
  deliveries.readable = true;
  EXPECT_EQ(resend(delivery), 202);
}

}  // namespace
}  // namespace tilth::testing
