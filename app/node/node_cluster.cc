#include "app/node/node_cluster.h"

#include <algorithm>
#include <utility>

#include "api/http/refusal.h"
#include "api/operator/merged_standing.h"
#include "api/operator/projection_state.h"
#include "api/platform/batches.h"
#include "infra/cluster/cluster_view.h"
#include "infra/config/settings.h"

namespace tilth {
namespace {

// What the other node takes of a client, if it is configured as this one.
std::size_t most_body_bytes(const Config& config) {
  return std::max(static_cast<std::size_t>(config.limits.max_body_bytes), Batches::kMostBody);
}

}  // namespace

Status NodeCluster::open() {
  const auto& cluster = parts_.config.cluster;
  if (cluster.copies == 0) return kDone;
  if (cluster.secret_file.empty()) {
    secret_.emplace(parts_.logs.key_secret);
  } else {
    auto secret = PeerSecret::read(cluster.secret_file, parts_.log_lines);
    if (!secret) return secret.error();
    secret_.emplace(std::move(*secret));
  }
  auto& access = parts_.access.of(kAccessStream);
  auto& log = *parts_.logs.decided;
  share_ = std::make_unique<LandShare>(
      LandShare::Parts{.access = access,
                       .registry = parts_.registry,
                       .finance = parts_.finance,
                       .market = parts_.market,
                       .index = parts_.index,
                       .log = log,
                       .layout = parts_.layout,
                       .copies = static_cast<int>(cluster.copies),
                       .nodes = [this] { return with_reach(membership_->nodes()); },
                       .is_current = [this] { return membership_->is_current(); },
                       .announcements_read = [this] { return membership_->announcements_read(); },
                       .announce = [this] { membership_->announce_soon(); },
                       .on_first_changed = parts_.on_first_changed,
                       .log_lines = parts_.log_lines});
  peers_ = std::make_unique<PeerClient>(PeerClient::Parts{.secret = *secret_,
                                                          .cluster = parts_.config.topic,
                                                          .node = parts_.self.node,
                                                          .log_lines = parts_.log_lines});
  forwarder_ = std::make_unique<RequestForwarder>(RequestForwarder::Parts{
      .holders = *share_,
      .send =
          [this](const auto& address, HttpRequest request, auto answer, auto lost) {
            peers_->send(address, std::move(request), std::move(answer), std::move(lost));
          },
      .access = access,
      .registry = parts_.registry.cells(),
      .log = *parts_.logs.events,
      .log_lines = parts_.log_lines});
  parts_.metrics.add_source([this](Samples& to) {
    share_->report(to), forwarder_->report(to), peers_->report(to);
    const auto unreached = [](const auto& node) { return !node.reached; };
    to.gauge(
        "tilth_peers_unreached", "Live nodes to which this node can forward nothing.", {},
        static_cast<double>(std::ranges::count_if(with_reach(membership_->nodes()), unreached)));
  });
  return kDone;
}

Status NodeCluster::join(Dispatcher& dispatcher) {
  if (share_) {
    if (const auto served = serve_others(dispatcher); !served) return served;
  }
  if (!parts_.logs.shared()) return kDone;
  membership_ = std::make_unique<Membership>(Membership::Parts{*parts_.logs.nodes, parts_.clock,
                                                               parts_.ids, parts_.log_lines,
                                                               [this] { return describe(); }});
  membership_thread_ = std::make_unique<MembershipThread>(*membership_);
  parts_.metrics.add_source([this](Samples& to) { membership_->report(to); });
  return kDone;
}

Status NodeCluster::serve_others(Dispatcher& dispatcher) {
  node_requests_ =
      std::make_unique<NodeRequestHandler>(dispatcher, [this] { return drain_self(); });
  auto started = PeerServer::start({.at = *parts_.config.cluster.listen,
                                    .secret = *secret_,
                                    .cluster = parts_.config.topic,
                                    .node = parts_.self.node,
                                    .handler = *node_requests_,
                                    .log_lines = parts_.log_lines,
                                    .most_body_bytes = most_body_bytes(parts_.config),
                                    .memory = parts_.memory.of(Listener::kApi)});
  if (!started) return started.error();
  server_ = std::move(*started);
  parts_.metrics.add_source([this](Samples& to) { server_->report(to); });
  return kDone;
}

Status NodeCluster::begin(const std::function<bool()>& stop_asked) {
  return share_ ? share_->begin(stop_asked) : Status(kDone);
}

void NodeCluster::follow() {
  if (share_) share_->follow();
}

void NodeCluster::announce_ready() {
  if (share_) membership_->announce_soon();
}

// It has read a partition as far as all its read models have.
Announcement NodeCluster::describe() const {
  const auto& config = parts_.config;
  auto announcement = parts_.self;
  announcement.at = parts_.clock.now();
  announcement.address = config.advertise ? config.advertise->text() : parts_.address();
  announcement.operator_address = parts_.operator_address();
  announcement.roles = names_of(config.roles);
  announcement.ready = parts_.ready();
  ReadByAll read;
  for (const auto* projection : parts_.projections.operated()) {
    const auto progress = projection->standing().progress;
    read.add(progress.next);
    if (!is_ready(progress)) announcement.stopped.push_back(projection->name());
  }
  if (share_) {
    const auto& reached_at = config.cluster.advertise;
    announcement.holds = share_->announced(read.positions());
    announcement.halted = share_->halted(announcement.holds);
    announcement.peer_address = reached_at ? reached_at->text() : server_->address();
    announcement.copies = config.cluster.copies;
    announcement.draining = share_->draining();
    return announcement;
  }
  for (const auto& [partition, next] : read.positions())
    announcement.holds.push_back({partition, next});
  return announcement;
}

MakeEmbeddedLoop NodeCluster::embed() {
  if (!peers_) return nullptr;
  return [this] { return peers_->embed(); };
}

bool NodeCluster::is_held(const std::string& owner) const {
  return is_here(owner) || !share_->others_with(owner).empty();
}

Status NodeCluster::holds(const std::string& owner) const {
  if (is_here(owner)) return kDone;
  const auto with = share_->others_with(owner);
  std::string addresses;
  for (const auto& node : membership_->nodes()) {
    if (std::ranges::find(with, node.peer_address) == with.end()) continue;
    addresses += (addresses.empty() ? "" : ", ") + node.operator_address;
  }
  return Error{ErrorCode::kConflict,
               addresses.empty()
                   ? "No live node holds the land of this user at the moment."
                   : "Other nodes hold the land of this user. Send the request to one of them: " +
                         addresses};
}

std::vector<NodeStanding> NodeCluster::nodes() const {
  if (membership_) return with_reach(membership_->standing());
  const auto now = ClusterView::Steady::now();
  return ClusterView({}, now).standing(describe(), now);
}

// With what this node knows of its way to the others that may hold land.
std::vector<NodeStanding> NodeCluster::with_reach(std::vector<NodeStanding> nodes) const {
  if (!peers_) return nodes;
  for (auto& node : nodes) {
    if (node.self || node.state != NodeState::kLive || node.peer_address.empty()) continue;
    auto reach = peers_->reach(node.peer_address);
    if (reach.connected && reach.node != node.node) {
      reach.why_not = "At its cluster.advertise, " + node.peer_address +
                      ", another node answers: " + reach.node + ".";
    }
    node.reached = reach.connected && reach.why_not.empty();
    node.unreached_because = std::move(reach.why_not);
  }
  return nodes;
}

std::vector<std::string> NodeCluster::unclean_nodes(const std::string& owner) const {
  auto left = unclean(owner, {NodeState::kLive, NodeState::kUnknown});
  if (membership_ && !membership_->knows_all()) {
    left.emplace_back("those from which this node receives nothing");
  }
  return left;
}

std::vector<std::string> NodeCluster::unclean_dead_nodes(const std::string& owner) const {
  return unclean(owner, {NodeState::kDead});
}

std::vector<std::string> NodeCluster::unclean(const std::string& owner,
                                              std::initializer_list<NodeState> states) const {
  std::vector<std::string> left;
  if (parts_.logs.shared_keys == nullptr || !membership_) return left;
  const auto cleaned = parts_.logs.shared_keys->cleaned_by(owner);
  for (const auto& other : membership_->nodes()) {
    if (other.self || cleaned.contains(other.node)) continue;
    if (std::ranges::find(states, other.state) == states.end()) continue;
    left.push_back(other.node);
  }
  return left;
}

void NodeCluster::drain(const std::string& node, std::function<void(const Status&)> done) {
  if (node == parts_.self.node) return done(drain_self());
  for (const auto& other : membership_->nodes()) {
    if (other.node != node || other.state != NodeState::kLive) continue;
    if (other.peer_address.empty()) {
      return done(Error{ErrorCode::kConflict,
                        "That node holds everything, since its cluster.copies is 0: stop it."});
    }
    return ask_to_drain(*peers_, other.peer_address, std::move(done));
  }
  done(Error{ErrorCode::kNotFound, "There is no live node with that id."});
}

Status NodeCluster::drain_self() {
  if (!parts_.ready()) return not_ready();
  const auto takes = [](const NodeStanding& other) {
    return !other.self && other.state == NodeState::kLive && !other.draining &&
           !other.peer_address.empty();
  };
  if (std::ranges::none_of(membership_->nodes(), takes)) {
    return Error{ErrorCode::kConflict, "There is no other node that could take what it holds."};
  }
  share_->drain();
  return kDone;
}

void NodeCluster::leave() {
  if (membership_thread_) membership_thread_->stop();
  if (share_) share_->stop();
}

void NodeCluster::drain_requests(std::chrono::milliseconds at_most) {
  if (server_) server_->drain(at_most);
}

void NodeCluster::stop() {
  if (peers_) peers_->stop();
  if (server_) server_->stop();
}

}  // namespace tilth
