#include "infra/peers/reached_peers.h"

#include <algorithm>
#include <utility>

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

void ReachedPeers::start(const std::string& thread) {
  loop_->start(
      thread, [this] { tick(); }, [this] { close_all(); });
}

void ReachedPeers::embed() {
  loop_->embed([this] { tick(); }, [this] { close_all(); });
}

void ReachedPeers::send(const std::string& address, std::unique_ptr<ForwardedRequest> request) {
  std::optional<std::string> why;
  if (head_bytes(request->request) > kMostHead) {
    why = "The head of the request is too large to be forwarded.";
  } else {
    why = forward(address, request);
  }
  if (!why) return;
  const auto kept = std::make_shared<std::unique_ptr<ForwardedRequest>>(std::move(request));
  const bool posted = loop_->post([kept, counts = parts_.counts, why] {
    ReachedPeer::lose(**kept, Lost::kNotSent, *why, *counts);
  });
  if (!posted) ReachedPeer::lose(**kept, Lost::kNotSent, "This node is stopping.", *parts_.counts);
}

std::optional<std::string> ReachedPeers::forward(const std::string& address,
                                                 std::unique_ptr<ForwardedRequest>& request) {
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
    why = node.peer->forward(request);
  }
  if (made) loop_->post([made] { made->connect(); });
  return why;
}

ReachedPeers::Reach ReachedPeers::reach(const std::string& address) {
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

std::shared_ptr<ReachedPeer> ReachedPeers::make(const std::string& address,
                                                Steady::time_point now) {
  return std::make_shared<ReachedPeer>(
      ReachedPeer::Surroundings{
          .loop = loop_,
          .counts = parts_.counts,
          .secret = parts_.secret,
          .self = parts_.self,
          .address = address,
          .ended = [this, address](const std::string& why,
                                   bool worked) { ended(address, why, worked); }},
      now);
}

void ReachedPeers::ended(const std::string& address, const std::string& why, bool worked) {
  const std::lock_guard lock(mutex_);
  auto& node = nodes_[address];
  node.peer = nullptr;
  if (!worked && node.why != why) parts_.on_unreached(address, why);
  node.why = why;
  node.pause = worked ? std::chrono::milliseconds(0)
                      : std::clamp(2 * node.pause, kFirstPause, kLongestPause);
  node.not_before = parts_.steady() + node.pause;
}

std::vector<std::shared_ptr<ReachedPeer>> ReachedPeers::peers() {
  std::vector<std::shared_ptr<ReachedPeer>> peers;
  const std::lock_guard lock(mutex_);
  for (const auto& [address, node] : nodes_) {
    if (node.peer) peers.push_back(node.peer);
  }
  return peers;
}

void ReachedPeers::tick() {
  const auto now = parts_.steady();
  for (const auto& peer : peers()) {
    peer->end_abandoned();
    peer->on_tick(now);
  }
}

void ReachedPeers::close_all() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  for (const auto& peer : peers()) peer->close("this node is stopping.");
}

void ReachedPeers::close_soon() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  loop_->post([this] { close_all(); });
}

}  // namespace tilth
