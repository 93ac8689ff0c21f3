#include "tests/simulation/lease_simulation.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/keys/access_lease.h"
#include "command/access/erasure.h"
#include "command/access/user.h"
#include "tests/simulation/guarding_node.h"
#include "tests/simulation/simulated_log.h"

namespace tilth::testing {
namespace {

using namespace std::chrono_literals;
using Answer = GuardingNode::Answer;

constexpr std::uint64_t kMostSteps = 300'000;
constexpr auto kArrived = 10s;  // then what was late has arrived, too
constexpr auto kRush = 60ms;    // around a change for which others are to be told

class LeaseSimulation {
 public:
  LeaseSimulation(std::uint64_t seed, PlantedBug bug)
      : world_(seed, bug), misleads_(world_.once_in(2)) {}

  SimulationReport run() {
    const auto nodes = 2 + world_.below(2);
    for (std::uint64_t at = 0; at < nodes; ++at) {
      nodes_.push_back(std::make_unique<GuardingNode>(world_, GuardingNode::Topics{access_, usage_},
                                                      "node-" + std::to_string(at)));
    }
    changes_left_ = static_cast<int>(6 + world_.below(10));
    for (std::uint64_t operators = 1 + world_.below(2); operators > 0; --operators) {
      ++operators_;
      world_.after(world_.between(1ms, 1s), [this] { change_next(); });
    }
    world_.after(world_.between(1ms, 100ms), [this] { caller(); });
    world_.after(world_.between(1ms, 1s), [this] { misfortune(); });
    run_until([this] { return operators_ == 0; }, "changes without an answer");
    become_calm();
    const auto calm_since = world_.now();
    run_until([&] { return world_.now() > calm_since + kArrived && are_present(); },
              "nodes that do not come to hold their leases");
    ask_everywhere();
    run_until([this] { return under_way_ == 0; }, "callers without an answer");
    for (auto& node : nodes_) node->crash();
    return {world_.violations(),       asked_,         answered_,
            access_.records(0).size(), world_.steps(), crashes_};
  }

 private:
  struct User {
    std::string id;
    bool is_open = true;  // not asked to be disabled or erased
    bool is_disabled = false;
    // Requests that end sessions, of which it is not known that they have come to an end.
    int under_change = 0;
  };
  // What was told about a credential.
  struct Given {
    Credential credential;
    std::string user, key_id;
    bool may_be_taken = false;                            // somebody has asked for it
    std::optional<World::Steady::time_point> taken = {};  // who asked was told
    std::optional<Timestamp> expires_at = {};
    bool is_revoked = false;                    // somebody has asked for it
    bool is_taken_for_good = false;             // who asked for that was told
    World::Steady::time_point given_back_at{};  // to a user who was disabled
  };

  std::string id_like(std::string_view prefix) {
    constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz";
    std::string id(prefix);
    for (int at = 0; at < 21; ++at) id += kLetters[world_.below(kLetters.size())];
    return id;
  }
  std::string any_key() {
    std::string text = "svc_live_";
    for (int at = 0; at < 48; ++at) text += "0123456789abcdef"[world_.below(16)];
    return text;
  }
  GuardingNode& any_node() { return *nodes_[world_.below(nodes_.size())]; }

  // Operators, each of which waits for an answer.
  void change_next() {
    if (changes_left_ <= 0) return void(--operators_);
    --changes_left_;
    auto& node = any_node();
    const bool lacks_users = std::ranges::none_of(users_, &User::is_open);
    if (lacks_users || world_.once_in(12)) return add_user(node);
    const auto disabled = std::ranges::find_if(users_, &User::is_disabled);
    if (disabled != users_.end() && world_.once_in(3)) return enable(node, *disabled);
    auto& user = *std::ranges::find_if(users_, &User::is_open);
    if (world_.once_in(12)) return rename(node, user);
    const auto choice = world_.below(6);
    if (choice == 0) return world_.once_in(2) ? disable(node, user) : erase(node, user);
    if (choice == 1) return change_password(node, user);
    const auto key = std::ranges::find_if(given_, [&](const Given& each) {
      return !each.may_be_taken && each.user == user.id && !each.credential.session;
    });
    if (choice < 4 && key != given_.end()) return revoke(node, *key);
    add_key(node, user);
  }

  void go_on() {
    world_.after(world_.between(0us, 600ms), [this] { change_next(); });
  }

  void add_user(GuardingNode& node) {
    RegisterUser user{.user_id = id_like("user_"),
                      .email = id_like("") + "@example.com",
                      .plan = "free",
                      .password_hash = "hash"};
    const auto id = user.user_id;
    ++changes_left_;  // else there may be no user
    node.carry_out(deciding(std::move(user)), false, [this, &node, id](const auto& outcome) {
      if (outcome) users_.push_back({id});
      if (outcome && node.is_up()) begin_session(node, users_.back());
      go_on();
    });
  }

  // Behind the log, it may begin one that has ended already.
  void begin_session(const GuardingNode& node, const User& user) {
    Session session;
    session.by = {.user_id = user.id, .epoch = node.session_epoch(user.id)};
    const bool may_be_taken = !user.is_open || user.under_change > 0 || !node.has_read_all();
    given_.push_back({{.key = {}, .session = session}, user.id, {}, may_be_taken});
  }

  void add_key(GuardingNode& node, const User& user) {
    const auto text = any_key();
    MintKey key{.key_id = id_like("key_"),
                .user_id = user.id,
                .details = {},
                .key_preview = "svc",
                .key_digest = GuardingNode::digest_of(text)};
    if (world_.once_in(4)) {
      const auto time = world_.between(1s, 20s) / 1ms * 1ms;
      key.details.expires_at = Timestamp{world_.wall_clock().at + time};
    }
    Given given{{text}, user.id, key.key_id, !user.is_open};
    given.expires_at = key.details.expires_at;
    node.carry_out(deciding(std::move(key)), false,
                   [this, &user, given = std::move(given)](const auto& outcome) mutable {
                     given.may_be_taken = !user.is_open;
                     if (outcome) given_.push_back(std::move(given));
                     go_on();
                   });
  }

  void revoke(GuardingNode& node, Given& key) {
    key.is_revoked = true;
    take(node, RevokeKey{.user_id = key.user, .key_id = key.key_id}, {&key},
         [&key] { key.is_taken_for_good = true; });
  }

  // All sessions that began before.
  void change_password(GuardingNode& node, User& user) {
    AmendUser change{.user_id = user.id};
    change.password_hash.to = "another";
    ++user.under_change;
    take(node, std::move(change),
         of(user.id, [](const Given& each) { return each.credential.session.has_value(); }),
         [this, &node, &user] {
           --user.under_change;
           if (node.is_up()) begin_session(node, user);
         });
  }

  void disable(GuardingNode& node, User& user) {
    user.is_open = false;
    ++user.under_change;
    take(node, DisableUser{user.id}, of(user.id, [](const Given&) { return true; }), [&user] {
      --user.under_change;
      user.is_disabled = true;
    });
  }

  // Keys count again; a session that was begun before does not.
  void enable(GuardingNode& node, User& user) {
    user.is_disabled = false;
    const auto keys = of(user.id, [](const Given& each) {
      return !each.credential.session && !each.is_taken_for_good;
    });
    for (auto* each : keys) each->taken.reset();
    node.carry_out(deciding(EnableUser{user.id}), false,
                   [this, &node, &user, keys](const auto& outcome) {
                     // One that is misled may say that there is nothing to do.
                     if (outcome && !node.was_misled()) {
                       user.is_open = true;
                       for (auto* each : keys) {
                         each->may_be_taken = each->is_revoked;
                         each->given_back_at = world_.now();
                         try_afterwards(*each);
                       }
                       if (node.is_up()) begin_session(node, user);
                     }
                     go_on();
                   });
  }

  // Which takes nothing away.
  void rename(GuardingNode& node, const User& user) {
    AmendUser change{.user_id = user.id};
    change.name.to = id_like("");
    node.carry_out(deciding(std::move(change)), false, [this](const auto&) { go_on(); });
  }

  // The first step of an erasure.
  void erase(GuardingNode& node, User& user) {
    user.is_open = false;
    ++user.under_change;
    take(node, EraseUser{user.id}, of(user.id, [](const Given&) { return true; }));
  }

  template <class Which>
  std::vector<Given*> of(const std::string& user, Which which) {
    std::vector<Given*> found;
    for (auto& each : given_) {
      if (each.user == user && which(each)) found.push_back(&each);
    }
    return found;
  }

  // Much happens around it: a node may be cut off right before, or right after.
  template <class Command>
  void take(
      GuardingNode& node, Command command, std::vector<Given*> what,
      const std::function<void()>& taken = [] {}) {
    for (auto& each : nodes_) each->hurry(2 * kRush);
    auto& victim = any_node();
    if (!what.empty()) try_often(*what.front(), victim);
    if (world_.once_in(2)) {
      const bool is_just_then = world_.once_in(2);
      const auto when =
          is_just_then ? world_.between(kRush - 4ms, kRush + 4ms) : world_.between(0us, 2 * kRush);
      const bool hears_nothing = is_just_then && world_.once_in(2);
      world_.after(when, [this, &victim, hears_nothing] {
        hears_nothing ? cut_off(victim) : befall(victim);
      });
    }
    for (auto* each : what) each->may_be_taken = true;
    world_.after(kRush, [this, &node, command = std::move(command), what, taken] {
      node.carry_out(deciding(command), true, [this, &node, what, taken](const auto& outcome) {
        if (!outcome) return go_on();
        world_.note("an operator is told by " + node.name());
        for (auto* each : what) {
          if (!each->taken) each->taken = world_.now();
          try_afterwards(*each);
        }
        taken();
        go_on();
      });
    });
  }

  void caller() {
    if (world_.calm()) return;
    world_.after(world_.between(1ms, 150ms), [this] { caller(); });
    if (!given_.empty()) ask(any_node(), given_[world_.below(given_.size())]);
  }

  // And somebody else tries keys that there are not at one node, so that its lease is as new as can
  // be.
  void try_often(const Given& given, GuardingNode& node) {
    for (World::Micros at = 0us; at < 2 * kRush; at += world_.between(200us, 4ms)) {
      world_.after(at, [this, &given, &node] {
        ask(any_node(), given);
        node.ask({any_key()}, [](Answer) {});
      });
    }
  }

  void try_afterwards(const Given& given) {
    for (const auto& node : nodes_) {
      ask(*node, given);
      for (int times = 0; times < 12; ++times) {
        world_.after(world_.between(0us, times < 8 ? 20ms : 3s),
                     [this, &given, &node] { ask(*node, given); });
      }
    }
  }

  void ask(GuardingNode& node, const Given& given) {
    ++asked_;
    if (settled_) ++under_way_;
    node.ask(given.credential, [this, &node, &given, sent = world_.now(),
                                sent_at = world_.wall_clock(), settled = settled_](Answer answer) {
      if (settled) --under_way_;
      if (answer != Answer::kUnknown) ++answered_;
      if (answer == Answer::kAdmitted && given.expires_at && sent_at >= *given.expires_at) {
        world_.violated(node.name() + " has admitted a caller by a key that had expired");
      }
      judge(node, given, sent, settled, answer);
    });
  }

  void judge(const GuardingNode& node, const Given& given, World::Steady::time_point sent,
             bool settled, Answer answer) {
    if (answer == Answer::kAdmitted && given.taken && *given.taken <= sent) {
      world_.violated(node.name() + " has admitted a caller by what was taken away " +
                      std::to_string((sent - *given.taken) / 1us) + " us before");
    }
    // Who was misled may not have heard of a new key.
    const bool knows = settled || !node.was_misled();
    // Nor does each node know at once of a session that has begun elsewhere.
    const bool counts = !given.credential.session || settled;
    const bool has_expired = given.expires_at && world_.wall_clock() >= *given.expires_at;
    const bool may_be_refused = given.may_be_taken || has_expired || sent < given.given_back_at;
    if (answer == Answer::kRefused && counts && knows && !may_be_refused) {
      const auto by = given.credential.session ? "a session of " + given.user : given.key_id;
      world_.violated(node.name() + " has refused a caller by " + by +
                      ", which was not taken away");
    }
    if (answer == Answer::kUnknown && settled) {
      world_.violated(node.name() + " does not know a caller, though nothing fails");
    }
  }

  void ask_everywhere() {
    settled_ = true;
    for (auto& node : nodes_) {
      for (const auto& each : given_) ask(*node, each);
    }
  }

  void misfortune() {
    if (world_.calm()) return;
    world_.after(world_.between(20ms, 6s), [this] { misfortune(); });
    befall(any_node());
  }

  void befall(GuardingNode& node) {
    if (world_.calm()) return;
    const auto time = world_.between(10ms, world_.once_in(2) ? 3s : 9s);
    switch (world_.below(6)) {
      case 0:
        if (!node.is_up()) return;
        ++crashes_;
        node.crash();
        return world_.after(time / 4, [&node] {
          if (!node.is_up()) node.start();
        });
      case 1:
        return node.pause(time);
      case 2:
      case 3: {
        const auto which = world_.below(3);  // one log, the other, or both
        node.set_reachable(which == 1, which == 0);
        return world_.after(time, [&node] { node.set_reachable(true, true); });
      }
      default:
        if (misleads_) mislead(node, time);
    }
  }

  // The same broker may mislead others, too.
  void mislead(GuardingNode& node, World::Micros time) {
    for (auto& each : nodes_) {
      if (each.get() != &node && !world_.once_in(3)) continue;
      each->follow_stale_leader(true);
      world_.after(time, [&each] { each->follow_stale_leader(false); });
    }
  }

  // Until what it has heard by then no longer counts, by any clock.
  void cut_off(GuardingNode& node) {
    if (world_.calm()) return;
    node.set_reachable(false, false);
    world_.after(AccessLease::kLength + world_.between(100ms, 1s),
                 [&node] { node.set_reachable(true, true); });
  }

  void become_calm() {
    world_.become_calm();
    for (auto& node : nodes_) {
      node->set_reachable(true, true);
      node->follow_stale_leader(false);
      if (!node->is_up()) node->start();
    }
  }

  bool are_present() const {
    return std::ranges::all_of(nodes_, [](const auto& each) { return each->is_present(); });
  }

  template <class Done>
  void run_until(const Done& done, const std::string& otherwise) {
    world_.run_until(done, kMostSteps, otherwise);
  }

  World world_;
  const bool misleads_;
  SimulatedTopic access_{SimulatedTopic::Kind::kShared, 1};
  SimulatedTopic usage_{SimulatedTopic::Kind::kShared, 1};
  std::vector<std::unique_ptr<GuardingNode>> nodes_;
  std::deque<User> users_;  // stay where they are
  std::deque<Given> given_;
  int changes_left_ = 0, operators_ = 0;
  bool settled_ = false;  // nothing fails, and all nodes are present
  std::size_t asked_ = 0, answered_ = 0;
  std::size_t under_way_ = 0;  // callers since then
  std::uint64_t crashes_ = 0;
};

}  // namespace

SimulationReport simulate_leases(std::uint64_t seed, PlantedBug bug) {
  return LeaseSimulation(seed, bug).run();
}

}  // namespace tilth::testing
