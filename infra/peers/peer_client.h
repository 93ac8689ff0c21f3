// Forwards requests to other nodes of the cluster, and returns their answers.

#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "api/http/http.h"
#include "infra/http/embedded_loop.h"
#include "infra/log_lines/log_lines.h"
#include "infra/metrics/metrics.h"
#include "infra/peers/lost_request.h"
#include "infra/peers/peer_secret.h"
#include "infra/peers/reached_peers.h"

namespace tilth {

// Operation: one connection for each address, made when a request is first sent there, or reach()
// asks for it, and kept. All requests to a node share it, and none waits for another: a slow client
// of one answer delays no other. After a failure the connection is made again when the next request
// is sent, but not for a moment that grows with each failure; a request that is sent within it is
// lost at once. A thread that runs a loop of embed() has such connections of its own.
//
// A node that has said nothing for 3 seconds is lost, and one that takes no connection in 1 second.
//
// Limitations: a whole answer is held until all of it has arrived; `to` may reserve memory when it
// is given one. A LargeBody can be sent once: its request is kUnknown once it has been read from,
// although it has not been carried out.
//
// Threads: all functions from any. What a thread with a loop of embed() sends is answered on that
// thread, and what is in flight when the loop ends is lost on the thread that ends it; the rest on
// the client's own. Crash: nothing is kept.
class PeerClient {
 public:
  using Steady = std::chrono::steady_clock;

  struct Parts {
    const PeerSecret& secret;
    std::string cluster;  // nodes of another one are refused
    std::string node;     // id of this one
    LogLines& log_lines;
    std::function<Steady::time_point()> steady = Steady::now;
  };

  using OnLost = tilth::OnLost;

  explicit PeerClient(Parts parts);  // what `parts` borrows must outlive it
  ~PeerClient();

  // Sends `request` to the node at `address` ("host:port"), never waiting. Its answer goes to `to`:
  // respond() or stream(), on the thread that reads answers, so neither may block. If there is
  // none, `lost` is called instead, once, on that thread too, and never within send() (but for a
  // client that was stopped). Once to->abandoned() is true, the other node is told, and neither
  // happens: `to` is destroyed after an empty 503.
  void send(const std::string& address, HttpRequest request, std::unique_ptr<Responder> to,
            OnLost lost);

  // Whether the node at `address` is connected, so that each side knows that the other has the
  // secret. If not, why the last attempt failed, empty before the first one, and another is made.
  using Reach = ReachedPeers::Reach;
  Reach reach(const std::string& address);

  // For one thread of a server, whose requests are then answered without another thread. Destroy it
  // before the client.
  std::unique_ptr<EmbeddedLoop> embed();

  // Closes all connections; what is in flight is lost.
  void stop();

  void report(Samples& to) const;  // metrics

 private:
  class Connections;
  const std::unique_ptr<Connections> connections_;
};

}  // namespace tilth
