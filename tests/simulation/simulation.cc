#include "tests/simulation/simulation.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>

#include "tests/simulation/farmers.h"
#include "tests/simulation/known_records.h"
#include "tests/simulation/ledger.h"
#include "tests/simulation/row_comparison.h"
#include "tests/simulation/sent_batches.h"
#include "tests/simulation/simulated_log.h"
#include "tests/simulation/simulated_node.h"
#include "tests/simulation/stream_requests.h"

namespace tilth::testing {
namespace {

using namespace std::chrono_literals;
using Kind = SimulatedTopic::Kind;

constexpr std::uint64_t kMostSteps = 200'000;
constexpr std::uint64_t kMostPartitions = 4;
constexpr std::uint64_t kWorldsToBatches = 3;  // of so many, one whose clients send batches
constexpr std::uint64_t kTradingOwners = 3;    // whose farms are enough for a price to be shown
constexpr std::uint64_t kWorldsToCopies = 8;   // of so many, one where requests arrive twice
constexpr std::uint64_t kWorldsToRules = 5;    // of so many, one whose rules make few tasks a day
constexpr auto kLongestPause = 80ms;           // of a farmer between two requests
// Until a day on which the clocks of New York are set forward.
constexpr std::chrono::hours kUntilSummerTime = std::chrono::days(7);

// One of twelve worlds has each concern.
Concern concern_of(std::uint64_t twelfth) {
  switch (twelfth) {
    case 0:
      return Concern::kTrade;
    case 1:
      return Concern::kClocks;
    case 2:
      return Concern::kGrowth;
    case 3:
      return Concern::kEvents;
    default:
      return Concern::kNone;
  }
}

// So few, in some worlds, that rules have to wait for the next day.
std::int64_t rule_tasks_a_day(std::uint64_t seed, PlantedBug bug) {
  // Others are found without, and keep the worlds that find them.
  const bool is_of_rules = bug == PlantedBug::kNone || bug == PlantedBug::kDayHasOneTaskMore;
  if (seed % kWorldsToRules != 0 || !is_of_rules) return kRuleTasksADay;
  return 3 + static_cast<std::int64_t>(seed / kWorldsToRules % 4);
}

// Others are made in the log that is simulated, or are found without one.
bool is_of_disks(PlantedBug bug) {
  return bug == PlantedBug::kNone || bug == PlantedBug::kLogIsNotSynced ||
         bug == PlantedBug::kKeysAreNotSynced;
}

class Simulation {
 public:
  Simulation(std::uint64_t seed, PlantedBug bug)
      : world_(seed, bug),
        kind_(world_.once_in(3) ? Kind::kOwn : Kind::kShared),
        topic_(kind_, kind_ == Kind::kOwn || world_.once_in(3)
                          ? 1
                          : static_cast<int>(2 + world_.below(kMostPartitions - 1))),
        rule_tasks_a_day_(rule_tasks_a_day(seed, bug)),
        ledger_(world_, topic_, rule_tasks_a_day_),
        has_batches_(seed % kWorldsToBatches == 0),
        sends_copies_(seed % kWorldsToCopies == kWorldsToCopies / 2),
        log_on_disk_(kind_ == Kind::kOwn && seed % 2 == 0 && is_of_disks(bug)),
        log_is_archived_(log_on_disk_ && seed % 4 == 0),
        log_is_sealed_(log_on_disk_ && seed % 8 >= 4) {}

  SimulationReport run() {
    populate();
    world_.after(world_.between(1ms, 60ms), [this] { misfortune(); });
    run_until([this] { return farmers_are_done(); }, "requests without a result");
    become_calm();
    run_until([this] { return nodes_are_at_rest(); }, "nodes that do not come to rest");
    for (const auto& owner : owners_) {
      if (owner != kReferenceStream) requests_.ask_at_the_end(owner);
    }
    run_until([this] { return requests_.are_answered() && nodes_are_at_rest(); },
              "streams that take no requests");
    for (const auto& node : nodes_) {
      if (world_.violations().empty() && !node->shows_rows()) {
        world_.violated(node->name() + " shows no rows, though nothing fails any more");
      }
    }
    if (world_.violations().empty()) ledger_.check();
    if (world_.violations().empty()) batches_.check();
    if (world_.violations().empty()) {
      RowComparison(world_, topic_, ledger_.expected()).compare(nodes_);
    }
    if (world_.violations().empty()) shown_.check();
    for (auto& node : nodes_) node->crash();  // what still waits is told so while all is there
    auto people = owners_;
    people.erase(std::string(kReferenceStream));
    if (world_.violations().empty()) nodes_.front()->erase(people);
    return {world_.violations(), ledger_.attempts(), ledger_.known(),
            ledger_.records(),   world_.steps(),     crashes_};
  }

 private:
  void populate() {
    const auto nodes = topic_.kind() == Kind::kOwn ? 1 : 1 + world_.below(3);
    for (std::uint64_t at = 0; at < nodes; ++at) {
      nodes_.push_back(std::make_unique<SimulatedNode>(
          world_, topic_, "node-" + std::to_string(at),
          SimulatedNode::Around{.log_on_disk = log_on_disk_,
                                .log_is_archived = log_is_archived_,
                                .log_is_sealed = log_is_sealed_,
                                .rule_tasks_a_day = rule_tasks_a_day_,
                                .shown = &shown_,
                                .cut_short = [this](auto& node) { die(node, 50ms); }}));
    }
    const bool has_few_tasks = rule_tasks_a_day_ < kRuleTasksADay;
    const auto twelfth = world_.below(12);
    const auto concern = has_few_tasks ? Concern::kRules : concern_of(twelfth);
    const bool trade = concern == Concern::kTrade, concerned = concern != Concern::kNone;
    if (concern == Concern::kClocks) world_.pass(kUntilSummerTime);
    // The next day begins while requests are under way.
    if (has_few_tasks) world_.pass(24h - std::chrono::milliseconds(500 + world_.below(4'000)));
    const auto owners = trade ? kTradingOwners : 1 + world_.below(2);
    const auto farmers = trade ? kTradingOwners : 1 + world_.below(4);
    days_pass_ = world_.once_in(4) || (has_few_tasks && world_.once_in(2));
    const auto add = [this, concern](const std::string& owner, std::uint64_t requests,
                                     const std::optional<std::string>& keys) {
      owners_.insert(owner);
      farmers_.push_back(std::make_unique<Farmer>(
          world_, nodes_, ledger_, known_, owner, static_cast<int>(requests), keys, kLongestPause,
          concern, has_batches_ ? &batches_ : nullptr, sends_copies_));
    };
    for (std::uint64_t at = 0; at < farmers; ++at) {
      const bool with_keys = !days_pass_ || world_.once_in(2);
      add("user_" + std::to_string(at % owners),
          (concerned ? 12 : 4) + world_.below(concerned ? 10 : 20),
          with_keys ? std::optional(keys_of(at / owners)) : std::nullopt);
    }
    const bool has_operator = trade || concern == Concern::kGrowth;
    if (has_operator || world_.once_in(2)) {
      add(std::string(kReferenceStream), (has_operator ? 8 : 2) + world_.below(10), std::nullopt);
    }
  }

  // Once it says that it is ready, a read that asks for no position shows all that the log held.
  void start(SimulatedNode& node) {
    std::vector<Position> ends;
    for (int partition = 0; partition < topic_.partitions(); ++partition) {
      if (const auto end = topic_.end(partition); end > 0) ends.push_back({partition, end});
    }
    node.start();
    if (!node.is_up()) return;
    for (const auto& owner : owners_) {
      world_.after(world_.between(0us, 20ms), [&node, owner, life = node.lives()] {
        if (life == node.lives()) node.read_at_once(owner, [](auto) {});
      });
    }
    node.when_reached(ends, [this, &node, ends] {
      for (const auto& owner : owners_) {
        const auto partition = log_.partition_of(owner);
        for (const auto& end : ends) {
          if (end.partition != partition) continue;
          node.read_at_once(owner, [this, owner, end](std::optional<std::uint64_t> version) {
            if (version) ledger_.was_read(owner, {end.partition, end.offset - 1}, *version);
          });
        }
      }
    });
  }

  void die(SimulatedNode& node, World::Micros longest) {
    ++crashes_;
    node.crash();
    world_.after(world_.between(1ms, longest), [this, &node] {
      if (!node.is_up()) start(node);
    });
  }

  void misfortune() {
    if (world_.calm()) return;
    auto& node = *nodes_[world_.below(nodes_.size())];
    switch (world_.below(10)) {
      case 0:
        if (node.is_up()) die(node, 2s);
        break;
      case 1:
        node.pause(world_.between(10ms, 8s));
        break;
      case 2:
        node.set_reachable(false);
        world_.after(world_.between(10ms, 8s), [&node] { node.set_reachable(true); });
        break;
      case 3:
        if (node.is_up()) node.stall_a_cell(world_.between(10ms, 8s));
        break;
      case 4:
        node.order(true);
        world_.after(world_.between(10ms, 6s), [&node] { node.order(false); });
        break;
      case 5:
        node.rebuild_a_cell();
        break;
      case 6:
        // Often almost as long as a key counts.
        if (days_pass_)
          world_.pass(std::chrono::hours(world_.once_in(3) ? 23 : 1 + world_.below(40)));
        break;
      case 7:
        node.slow_a_partition(world_.between(10ms, 4s));
        break;
      case 8:
        node.archive_log();
        break;
      default:
        break;
    }
    world_.after(world_.between(5ms, 2s), [this] { misfortune(); });
  }

  void become_calm() {
    world_.become_calm();
    for (auto& node : nodes_) {
      node->set_reachable(true);
      node->order(false);
      if (!node->is_up()) start(*node);
    }
  }

  bool farmers_are_done() const {
    return std::ranges::all_of(farmers_, [](const auto& each) { return each->is_done(); });
  }
  bool nodes_are_at_rest() const {
    return std::ranges::all_of(nodes_, [](const auto& each) { return each->is_at_rest(); });
  }

  template <class Done>
  void run_until(const Done& done, const std::string& otherwise) {
    world_.run_until(done, kMostSteps, otherwise);
  }

  World world_;
  const Kind kind_;
  SimulatedTopic topic_;
  const std::int64_t rule_tasks_a_day_;
  Ledger ledger_;
  ShownRows shown_{world_, topic_};
  KnownByOwner known_;
  const SimulatedLog log_{world_, topic_};  // knows where streams are
  std::vector<std::unique_ptr<SimulatedNode>> nodes_;
  StreamRequests requests_{world_, topic_, ledger_, nodes_};
  SentBatches batches_{{world_, ledger_, nodes_, kFarmLimit}};
  const bool has_batches_, sends_copies_, log_on_disk_, log_is_archived_, log_is_sealed_;
  std::vector<std::unique_ptr<Farmer>> farmers_;
  std::set<std::string> owners_;  // streams
  bool days_pass_ = false;
  std::uint64_t crashes_ = 0;
};

}  // namespace

SimulationReport simulate(std::uint64_t seed, PlantedBug bug) {
  return Simulation(seed, bug).run();
}

}  // namespace tilth::testing
