#include "tests/simulation/divided_simulation.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "infra/cluster/cell_phases.h"
#include "tests/simulation/cell_questions.h"
#include "tests/simulation/farmers.h"
#include "tests/simulation/known_records.h"
#include "tests/simulation/ledger.h"
#include "tests/simulation/row_comparison.h"
#include "tests/simulation/simulated_cluster.h"
#include "tests/simulation/simulated_log.h"
#include "tests/simulation/simulated_node.h"
#include "tests/simulation/stream_requests.h"

namespace tilth::testing {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kMostSteps = 300'000;
constexpr int kMostRushes = 12;
constexpr auto kMovesEnd = 45s;  // of a node that joins, most often
constexpr auto kHeard = 2s;      // then all know what the others hold

class DividedSimulation {
 public:
  DividedSimulation(std::uint64_t seed, Days days, PlantedBug bug)
      : world_(seed, bug),
        days_(days),
        topic_(SimulatedTopic::Kind::kShared, static_cast<int>(2 + world_.below(3))),
        cluster_(world_, static_cast<int>(1 + world_.below(2))),
        ledger_(world_, topic_) {}

  SimulationReport run() {
    if (days_ == Days::kMoves) world_.become_calm();
    const auto nodes = 2 + world_.below(2);
    for (std::uint64_t at = 0; at < nodes; ++at) add_node();
    run_until([this] { return are_at_rest(); }, "nodes that do not begin");
    const auto begun = world_.now();
    run_until([&] { return world_.now() > begun + kHeard; }, "nodes that say nothing");
    populate();
    questions_.begin();
    world_.after(world_.between(1ms, 3s), [this] { days_ == Days::kBad ? misfortune() : move(); });
    const auto last_rush = world_.now() + (world_.once_in(2) ? kMovesEnd : 0s);
    run_until([&] { return farmers_are_done() && world_.now() >= last_rush; },
              "requests without a result");
    questions_.end();
    if (days_ == Days::kMoves) run_until([this] { return are_idle(); }, "reads without a result");
    become_calm();
    run_until([this] { return are_at_rest(); }, "nodes that do not come to rest");
    const auto refused = ledger_.unavailable() + questions_.refused();
    if (days_ == Days::kMoves && refused > 0) {
      world_.violated(std::to_string(refused) + " requests were refused, though nothing failed");
    }
    if (!questions_.are_answered()) world_.violated("A question was never answered");
    const auto rested = world_.now();
    run_until([&] { return world_.now() > rested + kHeard; }, "nodes that say nothing");
    for (const auto& owner : owners_) requests_.ask_at_the_end(owner);
    run_until([this] { return requests_.are_answered() && are_at_rest(); },
              "streams that take no requests");
    if (world_.violations().empty()) ledger_.check();
    if (world_.violations().empty()) {
      RowComparison(world_, topic_, ledger_.expected()).compare_cells(nodes_);
    }
    if (world_.violations().empty()) shown_.check();
    for (auto& node : nodes_) node->crash();
    return {world_.violations(), ledger_.attempts(), ledger_.known(),
            ledger_.records(),   world_.steps(),     crashes_};
  }

 private:
  void add_node() {
    SimulatedNode::Around around{.cluster = &cluster_, .shown = &shown_};
    around.cut_short = [this](auto& node) { die(node, 300ms); };
    around.moved = [this](auto& node, std::size_t cell) { rush(node, cell); };
    nodes_.push_back(std::make_unique<SimulatedNode>(
        world_, topic_, "node-" + std::to_string(nodes_.size()), std::move(around)));
  }

  void populate() {
    const auto owners = 1 + world_.below(3), farmers = owners + world_.below(2);
    const auto add = [this](const std::string& owner, std::uint64_t requests,
                            const std::string& keys) {
      farmers_.push_back(std::make_unique<Farmer>(
          world_, nodes_, ledger_, known_, owner, static_cast<int>(requests),
          world_.once_in(2) ? std::optional(keys) : std::nullopt, 5s));
    };
    for (std::uint64_t at = 0; at < farmers; ++at) {
      const auto owner = "user_" + std::to_string(at % owners);
      owners_.insert(owner);
      add(owner, 6 + world_.below(24), keys_of(at / owners));
    }
    if (world_.once_in(2)) add(std::string(kReferenceStream), 1 + world_.below(6), keys_of(0));
  }

  // Right after a node has made a step with a cell, and around the next one that follows from it by
  // time.
  void rush(SimulatedNode& node, std::size_t cell) {
    if (over_ || rushes_left_ == 0) return;
    for (const auto& owner : owners_) {
      if (static_cast<std::size_t>(node.layout().cell_of(owner)) != cell) continue;
      --rushes_left_;
      ask_after(world_.once_in(2) ? 0us : world_.between(0us, 30ms), owner, node);
      const auto next = world_.once_in(2) ? CellPhases::kAfterwards : CellPhases::kToEnd;
      ask_after(next + world_.between(-150ms, 350ms), owner, node);
      return;
    }
  }
  void ask_after(World::Micros delay, const std::string& owner, SimulatedNode& node) {
    auto& asked = world_.once_in(2) ? node : any_node();
    world_.after(delay, [this, owner, &asked] {
      if (!over_) requests_.ask_now(owner, asked);
    });
  }

  SimulatedNode& any_node() { return *nodes_[world_.below(nodes_.size())]; }

  void misfortune() {
    if (over_) return;
    auto& node = any_node();
    switch (world_.below(8)) {
      case 0:
        if (node.is_up()) die(node, 8s);
        break;
      case 6:
        node.order(true);
        world_.after(world_.between(10ms, 12s), [&node] { node.order(false); });
        break;
      case 1:
        node.pause(world_.between(10ms, 12s));
        break;
      case 2:
        lose_logs(node);
        world_.after(world_.between(10ms, 12s), [&node] { find_logs(node); });
        break;
      case 3:
      case 4: {
        auto& other = any_node();
        if (&node == &other) break;
        cluster_.cut(node.name(), other.name(), true);
        world_.after(world_.between(10ms, 12s),
                     [&] { cluster_.cut(node.name(), other.name(), false); });
        break;
      }
      case 5:
        if (node.is_up()) drain(node);
        break;
      default:
        if (nodes_.size() < 4) add_node();
        break;
    }
    world_.after(world_.between(20ms, 5s), [this] { misfortune(); });
  }

  // One of them or both.
  void lose_logs(SimulatedNode& node) {
    const auto kept = world_.below(3);
    node.set_reachable(kept == 1);
    node.set_hears_others(kept == 2);
  }
  static void find_logs(SimulatedNode& node) {
    node.set_reachable(true);
    node.set_hears_others(true);
  }

  void die(SimulatedNode& node, World::Micros longest) {
    ++crashes_;
    node.crash();
    start_later(node, longest);
  }
  void start_later(SimulatedNode& node, World::Micros longest) {
    world_.after(world_.between(1ms, longest), [&node] {
      if (!node.is_up()) node.start();
    });
  }

  // Another node joins, or one goes, once the last move has come to an end.
  void move() {
    if (over_) return;
    world_.after(1s, [this] { move(); });
    if (!are_at_rest_but_for_requests()) return;
    if (nodes_.size() < 3 || (nodes_.size() < 4 && world_.once_in(2))) return add_node();
    drain(any_node());
  }

  // It goes once it has given all away, and comes back.
  void drain(SimulatedNode& node) {
    world_.note(node.name() + " drains");
    node.share()->drain();
    world_.after(200ms, [this, &node, life = node.lives()] { go_when_drained(node, life); });
  }
  void go_when_drained(SimulatedNode& node, std::uint64_t life) {
    if (over_ || node.lives() != life || !node.is_up()) return;
    if (!node.share()->has_given_all_away() || !node.is_idle() || !node.leave()) {
      return world_.after(200ms, [this, &node, life] { go_when_drained(node, life); });
    }
    node.crash();
    start_later(node, 8s);
  }

  // A node that drains is started again.
  void become_calm() {
    over_ = true;
    world_.become_calm();
    cluster_.mend();
    for (auto& node : nodes_) {
      find_logs(*node);
      node->order(false);
      if (node->is_up() && node->share()->draining()) node->crash();
      if (!node->is_up()) node->start();
    }
  }

  bool farmers_are_done() const {
    return std::ranges::all_of(farmers_, [](const auto& each) { return each->is_done(); });
  }
  bool are_idle() const {
    return std::ranges::all_of(nodes_,
                               [](const auto& each) { return !each->is_up() || each->is_idle(); });
  }
  bool are_at_rest() const {
    return std::ranges::all_of(nodes_, [](const auto& each) { return each->is_at_rest(); });
  }
  bool are_at_rest_but_for_requests() const {
    return std::ranges::all_of(
        nodes_, [](const auto& each) { return each->is_up() && each->share()->is_settled(); });
  }

  template <class Done>
  void run_until(const Done& done, const std::string& otherwise) {
    world_.run_until(done, kMostSteps, otherwise);
  }

  World world_;
  const Days days_;
  SimulatedTopic topic_;
  SimulatedCluster cluster_;
  Ledger ledger_;
  ShownRows shown_{world_, topic_};
  KnownByOwner known_;
  std::vector<std::unique_ptr<SimulatedNode>> nodes_;
  CellQuestions questions_{world_, nodes_};
  StreamRequests requests_{world_, topic_, ledger_, nodes_};
  std::vector<std::unique_ptr<Farmer>> farmers_;
  std::set<std::string> owners_;
  int rushes_left_ = kMostRushes;
  bool over_ = false;
  std::uint64_t crashes_ = 0;
};

}  // namespace

SimulationReport simulate_divided(std::uint64_t seed, Days days, PlantedBug bug) {
  return DividedSimulation(seed, days, bug).run();
}

}  // namespace tilth::testing
