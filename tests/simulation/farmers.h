// What clients ask of the nodes, at random: each farmer waits for the result of one request, or of
// several that it sends together, and asks again when it is not known.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "events/log/streams.h"
#include "tests/simulation/attempt.h"
#include "tests/simulation/chooser.h"
#include "tests/simulation/known_records.h"
#include "tests/simulation/ledger.h"
#include "tests/simulation/sent_batches.h"
#include "tests/simulation/simulated_node.h"
#include "tests/simulation/world.h"

namespace tilth::testing {

// What the Idempotency-Keys of one of an owner's farmers begin with. Owners have the same ones, as
// the clients of all number theirs alike.
std::string keys_of(std::uint64_t farmer);

inline constexpr std::int64_t kFarmLimit = 3;  // of an owner: fewer than there are names

// Several farmers may work on one owner's land. One whose owner is the stream of the reference data
// is an operator, who writes the reference data.
class Farmer {
 public:
  // `known`: what results have shown to all of them. `keys`: what its Idempotency-Keys begin with,
  // which it numbers; null: it sends none. `batches`: through which it sends some of its requests
  // together; null: it does not. `sends_copies`: some requests arrive again while they still run.
  // Farmers of one owner have keys of their own.
  Farmer(World& world, std::vector<std::unique_ptr<SimulatedNode>>& nodes, Ledger& ledger,
         KnownByOwner& known, std::string owner, int requests, std::optional<std::string> keys,
         World::Micros longest_pause = std::chrono::milliseconds(80),
         Concern concern = Concern::kNone, SentBatches* batches = nullptr,
         bool sends_copies = false);

  bool is_done() const { return requests_ == 0; }

 private:
  bool is_operator() const { return owner_ == kReferenceStream; }

  void ask_next();
  World::Micros until_a_full_second(const SimulatedNode& node);
  void ask_one(SimulatedNode& node);
  void ask_a_batch();
  void ask(const Wish& wish, int times_left, SimulatedNode& node);
  void send_copy(const Wish& wish, SimulatedNode& node);
  bool repeats(const Attempt& attempt);
  SimulatedNode& any_node() { return *nodes_[world_.below(nodes_.size())]; }
  void read(const std::string& stream, const Position& since, SimulatedNode& node);
  Wish choose();
  Wish about_a_new_block();
  Wish about_what_grows();
  Wish about_what_it_has();
  Wish about_a_farm();
  Wish about_a_task();
  Wish about_a_rule();
  Wish about_money();
  Wish about_trade();
  Wish about_its_concern();
  Wish about_clocks();
  Wish about_many_rules();
  Wish about_the_soil();
  void learn(const CommandResult& result);
  void have_rules_visited(const Event& event, SimulatedNode& node);
  void go_on();

  World& world_;
  std::vector<std::unique_ptr<SimulatedNode>>& nodes_;
  Ledger& ledger_;
  KnownByOwner& known_by_owner_;
  const std::string owner_;
  int requests_;
  int under_way_ = 0;
  const std::optional<std::string> keys_;
  int keys_used_ = 0;
  const World::Micros longest_pause_;
  const bool builds_up_;           // first of all, all that other rows go with
  const bool hurries_;             // asks for much at once, about few names
  const bool plans_;               // much of it is due soon
  const bool tends_;               // changes and removes what there is
  std::optional<Position> shown_;  // by the last result
  KnownRecords& known_;            // of its owner
  const Chooser chooser_;
  SentBatches* const batches_;  // null: it sends none
  const bool sends_copies_;
};

}  // namespace tilth::testing
