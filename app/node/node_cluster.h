// What a node is among the others: who lives, what each holds of the land, and the way between
// them.

#pragma once

#include <chrono>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/operator/node_standing.h"
#include "app/node/client_memory.h"
#include "app/node/land_share.h"
#include "app/node/node_logs.h"
#include "app/node/node_projections.h"
#include "app/node/node_request_handler.h"
#include "infra/cluster/membership.h"
#include "infra/cluster/membership_thread.h"
#include "infra/cluster/request_forwarder.h"
#include "infra/config/config.h"
#include "infra/http/embedded_loop.h"
#include "infra/peers/peer_client.h"
#include "infra/peers/peer_secret.h"
#include "infra/peers/peer_server.h"

namespace tilth {

// Operation: a node whose log is on Kafka announces itself, and reads the announcements of the
// others. Where the nodes divide the land, as `cluster.copies` asks for, it holds a share,
// forwards requests for what it does not hold, and serves those that others forward to it. With an
// embedded log it is alone.
//
// Threads: one opens, begins and stops it; all else from any, once it has joined.
class NodeCluster {
 public:
  // Borrowed; must outlive it.
  struct Parts {
    const Config& config;
    const NodeLogs& logs;
    Announcement self;  // what does not change: the node's id, its version, and when it started
    ProjectionCells& access;
    ProjectionCells& registry;
    ProjectionCells& finance;
    ProjectionCells& market;
    StreamIndex& index;
    CellLayout layout;  // of the land
    const NodeProjections& projections;
    std::function<std::string()> address, operator_address;  // where this node listens
    std::function<bool()> ready;
    std::function<void()> on_first_changed;  // for which owners this node is_first()
    const ClientMemory& memory;
    const Clock& clock;
    const IdSource& ids;
    Metrics& metrics;
    LogLines& log_lines;
  };

  explicit NodeCluster(Parts parts) : parts_(std::move(parts)) {}

  // Prepares this node's share. Errors: PeerSecret::read()'s.
  Status open();
  // Serves what other nodes forward, by that dispatcher, and lets them know of this node.
  // Errors: PeerServer::start()'s.
  Status join(Dispatcher& dispatcher);

  // Takes this node's share: LandShare::begin(). Nothing, unless the nodes divide the land.
  Status begin(const std::function<bool()>& stop_asked);
  // Follows the changes of the cluster from now on.
  void follow();
  // Tells the others that this node is ready, as it is now.
  void announce_ready();
  // Whether they know, where they forward requests to it.
  bool is_known_ready() const { return !share_ || membership_->has_announced_ready(); }

  // Whether the nodes divide the land.
  bool divides() const { return share_ != nullptr; }
  // Whether this node serves that owner's land; whether a live node does, this one or another;
  // whether it is the one that sends the owner's webhooks.
  bool is_here(const std::string& owner) const { return !share_ || share_->is_here(owner); }
  bool is_held(const std::string& owner) const;
  bool is_first(const std::string& owner) const { return !share_ || share_->is_first(owner); }
  // Success if is_here(); otherwise kConflict, which names the nodes to send the request to.
  Status holds(const std::string& owner) const;
  // Where requests for other land go; null if all of it is here.
  RequestForwarder* request_forwarder() { return forwarder_.get(); }
  // What a thread of the API's server runs to read the answers of other nodes; null: nothing.
  MakeEmbeddedLoop embed();

  // This node first, then the others by id.
  std::vector<NodeStanding> nodes() const;
  // The others that have not removed an erased owner from their files: those that may run, and
  // those that are dead.
  std::vector<std::string> unclean_nodes(const std::string& owner) const;
  std::vector<std::string> unclean_dead_nodes(const std::string& owner) const;

  // That node gives away what it holds. kNotFound: it does not live; kConflict: it cannot.
  void drain(const std::string& node, std::function<void(const Status&)> done);

  // In this order: announces that this node leaves; lets requests that others forward get their
  // responses; closes the connections to the others.
  void leave();
  void drain_requests(std::chrono::milliseconds at_most);
  void stop();

 private:
  Announcement describe() const;
  Status drain_self();
  Status serve_others(Dispatcher& dispatcher);
  std::vector<NodeStanding> with_reach(std::vector<NodeStanding> nodes) const;
  std::vector<std::string> unclean(const std::string& owner,
                                   std::initializer_list<NodeState> states) const;

  const Parts parts_;
  // Null: this node is alone.
  std::unique_ptr<Membership> membership_;
  std::unique_ptr<MembershipThread> membership_thread_;
  // Null or empty: this node holds everything.
  std::unique_ptr<LandShare> share_;
  std::optional<PeerSecret> secret_;
  std::unique_ptr<PeerClient> peers_;
  std::unique_ptr<RequestForwarder> forwarder_;
  std::unique_ptr<NodeRequestHandler> node_requests_;
  std::unique_ptr<PeerServer> server_;
};

}  // namespace tilth
