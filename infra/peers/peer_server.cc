#include "infra/peers/peer_server.h"

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include "infra/http/acceptor.h"
#include "infra/peers/served_peer.h"

namespace tilth {
namespace {

// A stranger who connects more often pushes out those who have not proved themselves for longest.
// Nodes that are started together connect with each of their threads.
constexpr std::size_t kMostHandshakes = 256;

}  // namespace

class PeerServer::Loop {
 public:
  Loop(Parts parts, Listening listening)
      : service_(std::make_shared<PeerService>(std::move(parts))),
        address_(std::move(listening.address)),
        acceptor_(
            std::move(listening.socket),
            [this](Descriptor socket, std::string from, const std::string&) {
              accept(std::move(socket), std::move(from));
            },
            [this](std::string_view line) { service_->parts.log_lines.error(line); }) {
    service_->loop->start(
        "peer server", [this] { tick(); }, [this] { close_all(); });
  }
  ~Loop() { stop(); }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  const std::string& address() const { return address_; }

  void drain(std::chrono::milliseconds at_most) {
    acceptor_.stop();
    const bool posted = service_->loop->post([this] {
      service_->draining = true;
      for (const auto& peer : std::vector(peers_.begin(), peers_.end())) peer->drain();
      service_->notify();
    });
    if (!posted) return;
    const auto until = std::chrono::steady_clock::now() + at_most;
    const auto& counts = *service_->counts;
    std::unique_lock lock(service_->mutex);
    const bool all_answered = service_->changed.wait_until(
        lock, until, [&] { return service_->draining && counts.in_flight == 0; });
    lock.unlock();
    if (!all_answered) return;
    service_->loop->post([this] {
      for (const auto& peer : peers_) peer->send_closing();
    });
    lock.lock();
    service_->changed.wait_until(lock, until, [&] { return counts.connections == 0; });
  }

  void stop() {
    acceptor_.stop();
    service_->loop->stop();
  }

  void report(Samples& to) const { service_->counts->report(to, "server"); }

 private:
  void accept(Descriptor socket, std::string from) {
    // Tasks are copied, which a descriptor cannot be.
    auto kept = std::make_shared<Descriptor>(std::move(socket));
    service_->loop->post([this, kept, from = std::move(from)] { receive(std::move(*kept), from); });
  }

  void receive(Descriptor socket, const std::string& from) {
    if (service_->draining) return;
    forget_closed();
    std::vector<std::shared_ptr<ServedPeer>> strangers;
    for (const auto& peer : peers_) {
      if (!peer->open()) strangers.push_back(peer);
    }
    if (strangers.size() >= kMostHandshakes) strangers.front()->close("It was pushed out.");
    auto peer = std::make_shared<ServedPeer>(service_, from, service_->parts.steady());
    peers_.push_back(peer);
    peer->begin(std::move(socket));
  }

  void forget_closed() {
    std::erase_if(peers_, [](const auto& peer) { return peer->closed(); });
  }

  void tick() {
    const auto now = service_->parts.steady();
    for (const auto& peer : std::vector(peers_.begin(), peers_.end())) peer->on_tick(now);
    forget_closed();
  }

  void close_all() {
    for (const auto& peer : std::exchange(peers_, {})) peer->close("The node is stopping.");
  }

  const std::shared_ptr<PeerService> service_;
  const std::string address_;
  std::deque<std::shared_ptr<ServedPeer>> peers_;  // the loop's; by age
  Acceptor acceptor_;
};

Result<std::unique_ptr<PeerServer>> PeerServer::start(Parts parts) {
  auto listening = listen_on(parts.at.host, parts.at.port);
  if (!listening) return listening.error();
  return std::unique_ptr<PeerServer>(
      new PeerServer(std::make_unique<Loop>(std::move(parts), std::move(*listening))));
}

PeerServer::PeerServer(std::unique_ptr<Loop> loop) : loop_(std::move(loop)) {}
PeerServer::~PeerServer() = default;

std::string PeerServer::address() const { return loop_->address(); }
void PeerServer::drain(std::chrono::milliseconds at_most) { loop_->drain(at_most); }
void PeerServer::stop() { loop_->stop(); }
void PeerServer::report(Samples& to) const { loop_->report(to); }

}  // namespace tilth
