// What waits for a server's thread, in the order in which the thread does it, so that one client
// with much of it delays others little.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "infra/http/mailbox.h"
#include "infra/http/party.h"

namespace tilth {

// Operation: least attained service. The next message is one of the party that has used the least
// time lately. Known parties and strangers share the time in the same way, whatever their number:
// each of the two classes gets half if it wants it. The time that was used is halved every 100 ms,
// so that what a party did a second ago no longer counts.
//
// Threads: one.
class FairOrder {
 public:
  using Clock = std::chrono::steady_clock;

  // Lets time pass, at the beginning of a turn.
  void begin(Clock::time_point now);

  // Behind what waits of the same party; what is ready is behind all the rest.
  void add(Party of, WorkerMessage message);

  struct Next {
    Party of;
    WorkerMessage message;
  };
  // Null: nothing waits. Else used() has to follow, before another call.
  std::optional<Next> next();

  // What the last one took.
  void used(Party by, Clock::duration time);

  // Forgets which connections are ready, at the end of a turn: the system says it again.
  void forget_ready();

  std::size_t size() const { return size_; }

 private:
  // The messages of one kind; those before `first` are done.
  struct Queue {
    std::vector<WorkerMessage> messages;
    std::size_t first = 0;

    bool empty() const { return first == messages.size(); }
    std::size_t size() const { return messages.size() - first; }
    WorkerMessage take();
    void clear();
  };
  struct Lane {
    Party of;
    Queue waiting;
    Queue ready;  // after what waits
    Clock::duration used{0};
    bool queued = false;  // in the heap of its class

    bool empty() const { return waiting.empty() && ready.empty(); }
  };
  struct Class {
    std::vector<Lane*> heap;  // of lanes that are not empty; the one that used least is first
    Clock::duration used{0};
  };
  struct Hash {
    std::size_t operator()(const Party& party) const { return party.id ^ std::size_t{party.known}; }
  };

  Class& class_of(const Party& party) { return party.known ? known_ : strangers_; }
  void queue(Lane& lane);

  std::unordered_map<Party, Lane, Hash> lanes_;
  std::vector<Party> ready_;  // those that have had something ready in this turn
  Class known_, strangers_;
  std::size_t size_ = 0;  // messages
  Clock::time_point halved_{};
};

}  // namespace tilth
