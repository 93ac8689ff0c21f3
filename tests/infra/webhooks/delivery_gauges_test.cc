#include "infra/webhooks/delivery_gauges.h"

#include <map>

#include <gtest/gtest.h>

#include "tests/fixtures/set_time.h"
#include "tests/fixtures/spec.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;
using testing::kNow;

// The gauges by name and state.
class Listed final : public Samples {
 public:
  void gauge(std::string_view name, std::string_view, MetricLabels labels, double value) override {
    std::string text(name);
    for (const auto& [label, of] : labels) text += " " + of;
    values[text] = value;
  }
  void counter(std::string_view, std::string_view, MetricLabels, double) override {}

  std::map<std::string, double> values;
};

class DeliveryGaugesTest : public ::testing::Test {
 protected:
  // A webhook of an owner with five events, of which it has got two.
  DeliveryTarget& add(const std::string& name) {
    auto made = std::make_shared<DeliveryTarget>();
    made->row.details.is_active = true;
    made->sources.push_back({.position = 2});
    auto& owner = owners_[name];
    owner.end = 5;
    owner.targets.push_back(made);
    return *made;
  }
  double shown(const std::string& gauge) const {
    Listed samples;
    gauges_.report(samples);
    return samples.values.at("tilth_webhook_" + gauge);
  }

  testing::SetTime time_;
  DeliveryOwners owners_;
  DeliveryGauges gauges_{[this] { return time_.now(); }};
};

TEST_F(DeliveryGaugesTest, CountWhatWaitsForWebhooksThatMayBeSentTo) {
  add("user_1").pending = 4;
  add("user_2").row.details.is_active = false;
  gauges_.measure(owners_, kNow, {kNow.at - 7s});
  EXPECT_EQ(shown("backlog due"), 3);
  EXPECT_EQ(shown("backlog retry"), 4);
  EXPECT_EQ(shown("oldest_seconds retry"), 7);
}

TEST_F(DeliveryGaugesTest, ShowThatNothingWasMeasuredForLongWhileSomethingWaits) {
  gauges_.measure(owners_, kNow, kNow);
  time_.pass(1min);
  EXPECT_EQ(shown("oldest_seconds due"), 0) << "nothing waits";
  add("user_1");
  gauges_.measure(owners_, kNow, kNow);
  EXPECT_EQ(shown("oldest_seconds due"), 0);
  time_.pass(1min);
  EXPECT_EQ(shown("oldest_seconds due"), 60);
}

}  // namespace
}  // namespace tilth
