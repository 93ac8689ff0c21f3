// How recent a node's knowledge of the other nodes is, by the batches that all of them share.

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace tilth {

// Operation: what a node had sent and reads back proves that it has read all that the others sent
// before it, and that the others can read what it sent.
//
// Threads: one at a time. It has no clock: each time comes from its caller, of one that runs while
// the machine sleeps.
class SharingFreshness {
 public:
  using Instant = std::chrono::nanoseconds;  // since a moment that stays the same

  // `length`: for how long a batch proves that.
  explicit SharingFreshness(std::chrono::milliseconds length) : length_(length) {}

  // A batch with that id is about to be sent, and is the only one that is not read back.
  void sent(std::string id, Instant at) { sent_ = {std::move(id), at}; }

  // A batch of this node, or of another that knew so much of users and keys, was read. All batches
  // are read in one order. The first returns whether it is the one that was sent last.
  bool read_own(const std::string& id);
  void read_another(std::int64_t known, Instant now);

  // Whether this node has read all that the others had shared as of a moment less than `length`
  // ago.
  bool is_current(Instant now) const { return fresh_since_ && now < *fresh_since_ + length_; }

  // Whether it does, and knows as much of users and keys as they did: so much.
  bool fresh(Instant now, std::int64_t known) const;

  // Whether the others must read what this node knew at `since` before they can be fresh() again.
  bool is_shared(Instant since) const { return fresh_since_ && *fresh_since_ >= since; }

  // Whether no batch of another node has arrived for some time.
  bool alone(Instant now) const;

 private:
  const std::chrono::milliseconds length_;
  std::optional<std::pair<std::string, Instant>> sent_;  // and not read back yet
  std::optional<Instant> fresh_since_, another_read_at_;
  std::int64_t known_ = 0;  // of any other node
};

}  // namespace tilth
