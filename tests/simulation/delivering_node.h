// A node in a simulated world that sends events to webhooks: a simulated node of the land, and the
// real code that decides what is sent when, stores it, and shares it with other nodes.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "api/webhooks/webhook_deliveries.h"
#include "infra/log_lines/log_lines.h"
#include "infra/rocksdb/rocks_memory.h"
#include "projections/history/stream_index.h"
#include "tests/fixtures/memory_projection_store.h"
#include "tests/fixtures/temporary_directory.h"
#include "tests/infra/embedded/power_cut_disk.h"
#include "tests/simulation/delivery_ledger.h"
#include "tests/simulation/simulated_log.h"
#include "tests/simulation/simulated_node.h"
#include "tests/simulation/simulated_receivers.h"
#include "tests/simulation/world.h"
#include "tests/simulation/world_sources.h"

namespace tilth::testing {

class DeliveringNode {
 public:
  struct Parts {
    World& world;
    SimulatedTopic& land;
    SimulatedTopic& access;   // users; nothing is added to it
    SimulatedTopic& settled;  // what nodes say that they have sent
    SimulatedReceivers& receivers;
    DeliveryLedger& ledger;
    SimulatedCluster* cluster;  // null: each node holds everything
    std::string name;
  };

  explicit DeliveringNode(Parts parts);
  ~DeliveringNode();

  SimulatedNode& land() { return *land_; }
  bool is_up() const { return process_ != nullptr; }

  // Whether it is the one that sends to the webhooks of that owner.
  bool is_sender_of(const std::string& owner) const { return leads() && sends_for(owner); }

  // A delivery that it knows of; null: none.
  std::optional<Delivery> any_delivery(const WebhookId& webhook);
  // A delivery that was given up, the newest that it knows of; null: none.
  std::optional<Delivery> failed_delivery(const WebhookId& webhook) const;
  // A delivery that waits for its next attempt until after then; null: none.
  std::optional<Delivery> waiting_delivery(const WebhookId& webhook, Timestamp until) const;
  // The deliveries of that event that it shows.
  std::vector<Delivery> deliveries_of(const WebhookId& webhook, const std::string& event) const;
  // The events of the deliveries with that status that it shows.
  std::set<std::string> events_of(const WebhookId& webhook, DeliveryStatus status) const;
  // Whether it still has one that was made before then and does not wait.
  bool keeps_settled(const WebhookId& webhook, Timestamp before) const;
  // Whether what it would go on with after a start is what it shows as pending.
  bool would_go_on_with_what_waits(const WebhookId& webhook) const;
  // Whether its store has anything about that webhook.
  bool keeps_any_of(const WebhookId& webhook) const;
  WebhookActivity activity(const WebhookId& webhook) const;
  WebhookReplays replays(const WebhookId& webhook) const;

  void start();
  // It is told to end, and stores what it knows before.
  void stop();
  void crash();
  // As stop(), of a node that has given all its land away, once it has said that it leaves. Returns
  // whether that is done; to be called until then.
  bool leave();
  void pause(World::Micros time) { land_->pause(time); }
  // The log of the land, and that of what was sent.
  void set_reachable(bool land, bool settled);
  // Its disk takes nothing for a while.
  void fill_disk(World::Micros time);

  // Nothing that it has sent is without an answer, and all that it has sent is stored.
  bool is_idle() const;

 private:
  struct Process;
  class Pages;

  bool shares() const { return parts_.land.kind() == SimulatedTopic::Kind::kShared; }
  bool leads() const;
  bool sends_for(const std::string& owner) const;
  void on_accepted(const LoggedRecord& logged);
  void end_process();
  void wake();
  void schedule(World::Micros delay);
  void turn();
  void notice_moves();
  void schedule_sharing(World::Micros delay);
  void must(const Status& done);

  const Parts parts_;
  World& world_;
  SimulatedLog access_log_, land_log_, settled_log_;
  MemoryProjectionStore access_rows_, index_rows_;
  TemporaryDirectory directory_{TemporaryDirectory::memory()};
  const std::shared_ptr<PowerCutDisk> disk_ = std::make_shared<PowerCutDisk>();
  const std::unique_ptr<rocksdb::Env> env_;
  RocksMemory memory_{1 << 20, 1 << 20};
  const WorldClock clock_;
  IdSource ids_;
  std::unique_ptr<LogLines> log_lines_;
  bool reads_land_ = true;
  std::uint64_t lives_ = 0, scheduled_ = 0, turns_ = 0;
  World::Steady::time_point next_turn_{};
  std::unique_ptr<Process> process_;  // null: it is down
  std::unique_ptr<SimulatedNode> land_;
};

}  // namespace tilth::testing
