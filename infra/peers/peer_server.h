// The port that only other nodes of the cluster use: takes the requests that they forward.

#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "events/values/result.h"
#include "infra/metrics/metrics.h"
#include "infra/peers/peer_server_parts.h"

namespace tilth {

// Operation: a connection is encrypted, and no request of it is read before the other side has
// proved that it has the secret and is of the same cluster. Anyone else is disconnected and learns
// nothing. A request is handled like one of a client: its responder may be used from any thread,
// abandoned() becomes true once the client of the other node is gone, a BodyStream waits for a slow
// client there, and destroying it without end() is seen there.
//
// Limitations: BodyStream and Responder wait for memory as those of HttpServer do; vouch() means
// nothing. HttpHandler::plan_body() is not asked, since the other node has read the body.
//
// Threads: one accepts, one reads and calls the handler; the functions here may be called from any
// other. Crash: nothing is kept.
class PeerServer {
 public:
  using Parts = PeerServerParts;

  // Listens and serves; what `parts` borrows must outlive it, responders may outlive it.
  // kUnavailable, with one plain sentence: the host is unknown or the port cannot be bound.
  static Result<std::unique_ptr<PeerServer>> start(Parts parts);
  ~PeerServer();

  // "host:port", with the port that it got for port 0.
  std::string address() const;

  // Takes no new requests and says so to the other nodes; those in flight get their answers within
  // that time, and streams are told to stop.
  void drain(std::chrono::milliseconds at_most);

  // Closes all connections. Responders may still be used, for nothing.
  void stop();

  void report(Samples& to) const;  // metrics

 private:
  class Loop;
  explicit PeerServer(std::unique_ptr<Loop> loop);

  const std::unique_ptr<Loop> loop_;
};

}  // namespace tilth
