// The connections of one loop to other nodes, one for each address.

#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "infra/peers/forwarded_request.h"
#include "infra/peers/peer_counts.h"
#include "infra/peers/peer_loop.h"
#include "infra/peers/peer_secret.h"
#include "infra/peers/reached_peer.h"

namespace tilth {

// Threads: any, but for what PeerLoop says of loop(). Stop the loop before this is destroyed.
class ReachedPeers {
 public:
  using Steady = std::chrono::steady_clock;

  struct Parts {
    const PeerSecret& secret;  // must outlive it
    PeerIdentity self;
    std::shared_ptr<PeerCounts> counts;
    std::function<Steady::time_point()> steady;
    // A node cannot be reached, for another reason than before.
    std::function<void(const std::string& address, const std::string& why)> on_unreached;
  };
  explicit ReachedPeers(Parts parts) : parts_(std::move(parts)) {}

  // By PeerLoop::start(), and by PeerLoop::embed().
  void start(const std::string& thread);
  void embed();
  PeerLoop& loop() const { return *loop_; }

  // As PeerClient::send().
  void send(const std::string& address, std::unique_ptr<ForwardedRequest> request);

  // As PeerClient::reach().
  struct Reach {
    bool connected = false;
    std::string why_not = {};
    std::string node = {};  // the id of the one that is connected
  };
  Reach reach(const std::string& address);

  // From now on all requests are lost; those in flight soon.
  void close_soon();

 private:
  // What is known of one address.
  struct Node {
    std::shared_ptr<ReachedPeer> peer;  // null: there is no connection
    std::chrono::milliseconds pause{0};
    Steady::time_point not_before = {};
    std::string why;  // there is none
  };

  std::optional<std::string> forward(const std::string& address,
                                     std::unique_ptr<ForwardedRequest>& request);
  std::shared_ptr<ReachedPeer> make(const std::string& address, Steady::time_point now);
  void ended(const std::string& address, const std::string& why, bool worked);
  std::vector<std::shared_ptr<ReachedPeer>> peers();
  void tick();
  void close_all();

  const Parts parts_;
  const std::shared_ptr<PeerLoop> loop_ = std::make_shared<PeerLoop>();
  std::mutex mutex_;  // guards what follows
  std::map<std::string, Node> nodes_;
  bool stopped_ = false;
};

}  // namespace tilth
