#include "infra/peers/peer_client.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "infra/peers/reached_peer.h"

namespace tilth {
namespace {

constexpr std::chrono::milliseconds kFirstPause{100}, kLongestPause{2'000};
constexpr std::size_t kMostHead = peer_frames::kMostFrame - peer_frames::kMostPiece;

std::size_t head_bytes(const HttpRequest& request) {
  std::size_t bytes = request.method.size() + request.path.size() + request.query.size() + 64;
  for (const auto& [name, value] : request.headers) bytes += name.size() + value.size() + 8;
  return bytes;
}

}  // namespace

class PeerClient::Loop {
 public:
  explicit Loop(Parts parts) : parts_(std::move(parts)) {
    loop_->start(
        "peer client", [this] { tick(); }, [this] { close_all(); });
  }
  ~Loop() { loop_->stop(); }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  void send(const std::string& address, std::unique_ptr<PassedRequest> request) {
    std::optional<std::string> why;
    if (head_bytes(request->request) > kMostHead) {
      why = "The head of the request is too large to be passed on.";
    } else {
      why = pass_on(address, request);
    }
    if (!why) return;
    const auto kept = std::make_shared<std::unique_ptr<PassedRequest>>(std::move(request));
    const bool posted = loop_->post([kept, counts = counts_, why] {
      ReachedPeer::lose(**kept, Lost::kNotSent, *why, *counts);
    });
    if (!posted) ReachedPeer::lose(**kept, Lost::kNotSent, "This node is stopping.", *counts_);
  }

  Reach reach(const std::string& address) {
    std::shared_ptr<ReachedPeer> made;
    Reach reach;
    {
      const std::lock_guard lock(mutex_);
      auto& node = nodes_[address];
      if (node.peer && node.peer->is_open()) {
        node.why.clear();
        return {.connected = true, .node = node.peer->other().node};
      }
      reach.why_not = node.why;
      const auto now = parts_.steady();
      if (stopped_ || node.peer || now < node.not_before) return reach;
      node.peer = made = make(address, now);
    }
    loop_->post([made] { made->connect(); });
    return reach;
  }

  void stop() { loop_->stop(); }

  void report(Samples& to) const {
    counts_->report(to, "client");
    const auto lost = [&](const char* outcome, double count) {
      to.counter("tilth_peer_lost_requests_total",
                 "Requests passed on to other nodes that got no answer, by what is known of them",
                 {{"outcome", outcome}}, count);
    };
    lost("not_sent", static_cast<double>(counts_->not_sent));
    lost("unknown", static_cast<double>(counts_->unknown));
  }

 private:
  // What is known of one address.
  struct Node {
    std::shared_ptr<ReachedPeer> peer;  // null: there is no connection
    std::chrono::milliseconds pause{0};
    Steady::time_point not_before = {};
    std::string why;  // there is none
  };

  std::optional<std::string> pass_on(const std::string& address,
                                     std::unique_ptr<PassedRequest>& request) {
    std::shared_ptr<ReachedPeer> made;
    std::optional<std::string> why;
    {
      const std::lock_guard lock(mutex_);
      if (stopped_) return "This node is stopping.";
      auto& node = nodes_[address];
      if (!node.peer) {
        const auto now = parts_.steady();
        if (now < node.not_before) return node.why;
        node.peer = made = make(address, now);
      }
      why = node.peer->pass_on(request);
    }
    if (made) loop_->post([made] { made->connect(); });
    return why;
  }

  std::shared_ptr<ReachedPeer> make(const std::string& address, Steady::time_point now) {
    return std::make_shared<ReachedPeer>(
        ReachedPeer::Surroundings{
            .loop = loop_,
            .counts = counts_,
            .secret = parts_.secret,
            .self = {parts_.node, parts_.cluster},
            .address = address,
            .ended = [this, address](const std::string& why,
                                     bool worked) { ended(address, why, worked); }},
        now);
  }

  void ended(const std::string& address, const std::string& why, bool worked) {
    const std::lock_guard lock(mutex_);
    auto& node = nodes_[address];
    node.peer = nullptr;
    if (!worked && node.why != why) {
      parts_.log_lines.warn("Another node cannot be reached.", {{"reason", why}});
    }
    node.why = why;
    node.pause = worked ? std::chrono::milliseconds(0)
                        : std::clamp(2 * node.pause, kFirstPause, kLongestPause);
    node.not_before = parts_.steady() + node.pause;
  }

  std::vector<std::shared_ptr<ReachedPeer>> peers() {
    std::vector<std::shared_ptr<ReachedPeer>> peers;
    const std::lock_guard lock(mutex_);
    for (const auto& [address, node] : nodes_) {
      if (node.peer) peers.push_back(node.peer);
    }
    return peers;
  }

  void tick() {
    const auto now = parts_.steady();
    for (const auto& peer : peers()) {
      peer->end_abandoned();
      peer->on_tick(now);
    }
  }

  void close_all() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    for (const auto& peer : peers()) peer->close("this node is stopping.");
  }

  const Parts parts_;
  const std::shared_ptr<PeerLoop> loop_ = std::make_shared<PeerLoop>();
  const std::shared_ptr<PeerCounts> counts_ = std::make_shared<PeerCounts>();
  std::mutex mutex_;  // guards what follows
  std::map<std::string, Node> nodes_;
  bool stopped_ = false;
};

PeerClient::PeerClient(Parts parts) : loop_(std::make_unique<Loop>(std::move(parts))) {}
PeerClient::~PeerClient() = default;

void PeerClient::send(const std::string& address, HttpRequest request,
                      std::unique_ptr<Responder> to, OnLost lost) {
  auto passed = std::make_unique<PassedRequest>();
  passed->request = std::move(request);
  passed->to = std::move(to);
  passed->lost = std::move(lost);
  loop_->send(address, std::move(passed));
}

PeerClient::Reach PeerClient::reach(const std::string& address) { return loop_->reach(address); }

void PeerClient::stop() { loop_->stop(); }
void PeerClient::report(Samples& to) const { loop_->report(to); }

}  // namespace tilth
