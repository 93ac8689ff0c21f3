#include "infra/webhooks/delivery_slots.h"

#include <gtest/gtest.h>

namespace tilth {
namespace {

using namespace std::chrono_literals;

SharedTarget target() {
  auto made = std::make_shared<DeliveryTarget>();
  made->row.details.is_active = true;
  return made;
}

// One that has something to send, always: it waits again once a request to it has begun or ended.
struct Sending {
  // Begins requests until there is no slot left; returns how many.
  std::size_t begin_all() {
    const auto before = attempts.size();
    while (const auto next = slots.next()) {
      attempts.push_back(slots.begin(next));
      slots.add(next);
    }
    return attempts.size() - before;
  }
  void end(std::size_t index, bool delivered, std::chrono::milliseconds took) {
    const auto attempt = attempts[index];
    attempts.erase(attempts.begin() + static_cast<std::ptrdiff_t>(index));
    slots.end(attempt);
    DeliverySlots::judge(*attempt.target, delivered, took);
    slots.add(attempt.target);
  }

  DeliverySlots slots;
  std::vector<DeliveryAttempt> attempts;
};

TEST(DeliverySlots, AFastWebhookGetsMoreRequestsAtATimeUpToSixteen) {
  Sending sending;
  sending.slots.add(target());
  EXPECT_EQ(sending.begin_all(), 1U);
  sending.end(0, true, 10ms);
  EXPECT_EQ(sending.begin_all(), 2U);
  for (int i = 0; i < 10; ++i) {
    sending.end(0, true, 10ms);
    sending.begin_all();
  }
  EXPECT_EQ(sending.attempts.size(), 16U);
}

TEST(DeliverySlots, OneThatIsSlowOrFailsHasOneRequestAtATime) {
  for (const auto& [delivered, took] : {std::pair(true, 1'000ms), std::pair(false, 10ms)}) {
    Sending sending;
    sending.slots.add(target());
    sending.begin_all();
    for (int i = 0; i < 10; ++i) {
      sending.end(0, true, 10ms);
      sending.begin_all();
    }
    while (sending.attempts.size() > 1) sending.end(0, delivered, took);
    sending.end(0, delivered, took);
    EXPECT_EQ(sending.begin_all(), 1U);
  }
}

TEST(DeliverySlots, ManyThatHaveNotProvenFastLeaveRoomForTheOthers) {
  Sending sending;
  const auto fast = target();
  DeliverySlots::judge(*fast, true, 1ms);
  for (int i = 0; i < 200; ++i) sending.slots.add(target());
  EXPECT_EQ(sending.begin_all(), 96U);
  sending.slots.add(fast);
  EXPECT_EQ(sending.begin_all(), fast->window);
  // Each that ends lets one begin that waits.
  const auto first = sending.attempts.front().target;
  sending.end(0, false, 10s);
  EXPECT_EQ(sending.begin_all(), 1U);
  EXPECT_NE(sending.attempts.back().target, first);
}

TEST(DeliverySlots, OneThatMayNotSendAnyMoreKeepsNoPlaceFromThoseThatWaitBehindIt) {
  Sending sending;
  std::vector<SharedTarget> targets;
  for (int i = 0; i < 100; ++i) sending.slots.add(targets.emplace_back(target()));
  ASSERT_EQ(sending.begin_all(), 96U);
  targets[96]->gone = true;
  sending.slots.end(sending.attempts.front());
  ASSERT_EQ(sending.begin_all(), 1U);
  EXPECT_EQ(sending.attempts.back().target, targets[97]);
}

TEST(DeliverySlots, ThereAreOneHundredAndTwentyEightInAll) {
  Sending sending;
  for (int i = 0; i < 20; ++i) {
    const auto fast = target();
    for (int j = 0; j < 5; ++j) DeliverySlots::judge(*fast, true, 1ms);
    sending.slots.add(fast);
  }
  EXPECT_EQ(sending.begin_all(), 128U);
}

TEST(DeliverySlots, OneThatIsNotActiveGetsNone) {
  Sending sending;
  const auto stopped = target();
  sending.slots.add(stopped);
  stopped->row.details.is_active = false;
  EXPECT_EQ(sending.begin_all(), 0U);
  sending.slots.add(stopped);
  stopped->row.details.is_active = true;
  EXPECT_EQ(sending.begin_all(), 0U) << "it was not queued";
}

}  // namespace
}  // namespace tilth
