#include "infra/peers/peer_counts.h"

#include <string>

namespace tilth {
namespace {

constexpr std::array<std::string_view, 5> kReasons = {"timeout", "not_a_node", "secret", "version",
                                                      "cluster"};

}  // namespace

void PeerCounts::report(Samples& to, std::string_view side) const {
  const std::pair<std::string, std::string> of{"side", std::string(side)};
  const auto number = [](auto count) { return static_cast<double>(count); };
  to.gauge("tilth_peer_connections", "Connections with other nodes", {of},
           number(connections.load()));
  to.gauge("tilth_peer_requests_in_flight", "Requests forwarded between nodes without an answer",
           {of}, number(in_flight.load()));
  to.counter("tilth_peer_requests_total", "Requests forwarded between nodes", {of},
             number(requests.load()));
  to.counter("tilth_peer_cancelled_requests_total",
             "Requests forwarded between nodes whose client went away", {of},
             number(cancelled.load()));
  to.counter("tilth_peer_bytes_total", "Bytes sent to and received from other nodes",
             {of, {"direction", "sent"}}, number(sent_bytes.load()));
  to.counter("tilth_peer_bytes_total", "Bytes sent to and received from other nodes",
             {of, {"direction", "received"}}, number(received_bytes.load()));
  for (std::size_t reason = 0; reason < kReasons.size(); ++reason) {
    to.counter("tilth_peer_refused_handshakes_total",
               "Connections between nodes that did not come about, by reason",
               {of, {"reason", std::string(kReasons.at(reason))}},
               number(refused_handshakes.at(reason).load()));
  }
}

}  // namespace tilth
