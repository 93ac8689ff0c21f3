// A node in a simulated world that admits callers: the real lease, key ring, users and keys,
// and batches by which nodes hear of each other, which a scheduler runs.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "api/keys/lease_term.h"
#include "api/usage/sessions.h"
#include "command/decision.h"
#include "tests/simulation/simulated_log.h"
#include "tests/simulation/simulated_store.h"
#include "tests/simulation/world.h"

namespace tilth::testing {

// By what a caller comes in: a key, or a session.
struct Credential {
  std::string key;
  std::optional<Session> session = {};
};

class GuardingNode {
 public:
  // What all nodes share.
  struct Topics {
    SimulatedTopic& access;  // users and keys
    SimulatedTopic& usage;   // the batches
  };

  GuardingNode(World& world, Topics topics, std::string name);
  ~GuardingNode();

  const std::string& name() const { return name_; }
  bool is_up() const { return process_ != nullptr; }

  enum class Answer : std::uint8_t { kAdmitted, kRefused, kUnknown };
  using OnAnswer = std::function<void(Answer)>;

  // A caller comes. One that comes while the node is paused waits until it goes on. It is not
  // answered if the node is down, or dies.
  void ask(const Credential& credential, OnAnswer done);

  // What an operator asks for. `for_all`: the answer waits until no node relies on the old state,
  // and is kUnavailable if the others cannot be told.
  void carry_out(Decide decide, bool for_all, Commands::OnDone done);

  // All nodes look for a key by that.
  static std::string digest_of(const std::string& key);

  // As far as this node knows.
  std::int64_t session_epoch(const std::string& user) const;

  // It has read all that there is.
  bool has_read_all() const;
  // It holds its lease, and knows all that there is.
  bool is_present() const;

  void start();
  void crash();
  void pause(World::Micros time);
  // The logs, one by one.
  void set_reachable(bool access, bool usage);
  // Its broker of users and keys was replaced, and does not know it.
  void follow_stale_leader(bool stale);
  // Whether that has ever been so.
  bool was_misled() const { return was_misled_; }
  // Its threads are quick for a while.
  void hurry(World::Micros time);

 private:
  struct Process;

  bool is_paused() const { return !world_.calm() && paused_until_ > world_.now(); }
  LeaseTerm::Instant clock() const;
  bool admits(const Credential& credential) const;
  void decide_on(const Credential& credential, const OnAnswer& done);
  void schedule(World::Micros delay);
  void turn();
  void share();
  void read_usage();
  void must(const Status& done);

  World& world_;
  const Topics topics_;
  const std::string name_;
  const LeaseTerm::Instant booted_;
  const std::int64_t pace_;  // its clock gains so many millionths
  SimulatedLog access_log_, usage_log_;
  SimulatedStore store_;
  World::Steady::time_point paused_until_{}, quick_until_{};
  bool was_misled_ = false;
  std::uint64_t lives_ = 0, turns_ = 0;
  std::unique_ptr<Process> process_;  // null: it is down
};

}  // namespace tilth::testing
