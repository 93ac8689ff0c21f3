// The receivers of webhooks in a simulated world, and the network between them and a node.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "infra/webhooks/webhook_sender.h"
#include "tests/simulation/delivery_ledger.h"
#include "tests/simulation/world.h"

namespace tilth::testing {

class SimulatedReceivers {
 public:
  // What a receiver does in the end, when nothing else fails any more.
  enum class Nature : std::uint8_t { kSound, kBroken, kGone };

  // `arrived` is told of each request that a receiver answers, and how.
  using OnArrived = std::function<void(const WebhookPost&, int status)>;
  SimulatedReceivers(World& world, OnArrived arrived)
      : world_(world), arrived_(std::move(arrived)) {}

  // The address of another one.
  std::string add(Nature nature);
  Nature nature_of(const std::string& url) const { return receivers_.at(url).nature; }
  // One of them is late, silent or broken for a while.
  void befall();
  // From now on all are sound.
  void mend();

  // A request arrives. `answer` runs once, with a status, or never.
  void arrive(const WebhookPost& post, const std::function<void(int status)>& answer);

 private:
  enum class Mood : std::uint8_t { kWell, kLate, kSilent, kBroken };
  struct Receiver {
    Nature nature;
    Mood mood = Mood::kWell;
    World::Steady::time_point until{};
  };

  World& world_;
  const OnArrived arrived_;
  std::map<std::string, Receiver> receivers_;  // by URL
};

// A node's way to the receivers: requests get lost, and arrive twice.
class SimulatedSender final : public WebhookSender {
 public:
  struct Parts {
    World& world;
    SimulatedReceivers& receivers;
    DeliveryLedger& ledger;
    std::string node;
    std::function<std::uint64_t()> turn;  // which one it is
    std::function<void()> wake;
  };

  explicit SimulatedSender(Parts parts) : parts_(std::move(parts)) {}
  ~SimulatedSender() override;

  void send(WebhookPost post, OnAnswered done) override;
  void turn(std::chrono::milliseconds timeout) override;
  void wake() override { parts_.wake(); }

  bool has_answers() const { return !state_->answered.empty(); }
  std::size_t in_flight() const { return state_->in_flight; }

 private:
  // Outlives the sender, for requests that are on their way.
  struct State {
    bool is_over = false;
    std::size_t in_flight = 0;
    std::vector<std::function<void()>> answered = {};  // and not told yet
  };

  const Parts parts_;
  const std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace tilth::testing
