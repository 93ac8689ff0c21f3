// What is counted of the connections between nodes, for metrics.

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "infra/metrics/metrics.h"
#include "infra/peers/peer_handshake.h"

namespace tilth {

// Of one side: the node that forwards requests, or the one that takes them. Threads: any.
struct PeerCounts {
  std::atomic<std::int64_t> connections = 0;
  std::atomic<std::int64_t> in_flight = 0;  // requests
  std::atomic<std::uint64_t> requests = 0;
  std::atomic<std::uint64_t> sent_bytes = 0;
  std::atomic<std::uint64_t> received_bytes = 0;
  // By reason: those of PeerRefusal, and one that did not end in time.
  static constexpr std::size_t kTimedOut = 0;  // in place of kNone
  std::array<std::atomic<std::uint64_t>, 5> refused_handshakes = {};
  std::atomic<std::uint64_t> not_sent = 0;  // requests that were lost
  std::atomic<std::uint64_t> unknown = 0;
  std::atomic<std::uint64_t> cancelled = 0;

  void refused(PeerRefusal why) { ++refused_handshakes.at(static_cast<std::size_t>(why)); }
  void timed_out() { ++refused_handshakes.at(kTimedOut); }

  void report(Samples& to, std::string_view side) const;
};

}  // namespace tilth
