#include "infra/peers/peer_client.h"

#include <mutex>
#include <utility>
#include <vector>

#include "infra/peers/reached_peers.h"

namespace tilth {

class PeerClient::Connections {
 public:
  explicit Connections(Parts parts) : parts_(std::move(parts)) { own_.start("peer client"); }
  ~Connections() { stop(); }
  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;

  std::unique_ptr<EmbeddedLoop> embed();

  ReachedPeers& own() { return own_; }
  // The calling thread's, if it runs an embedded loop; otherwise the client's own.
  ReachedPeers& here() { return run_here.of == this ? *run_here.peers : own_; }

  void stop() {
    {
      const std::lock_guard lock(mutex_);
      for (auto* each : embedded_) each->close_soon();
    }
    own_.loop().stop();
  }

  void report(Samples& to) const {
    counts_->report(to, "client");
    const auto lost = [&](const char* outcome, double count) {
      to.counter("tilth_peer_lost_requests_total",
                 "Requests forwarded to other nodes that got no answer, by what is known of them",
                 {{"outcome", outcome}}, count);
    };
    lost("not_sent", static_cast<double>(counts_->not_sent));
    lost("unknown", static_cast<double>(counts_->unknown));
  }

 private:
  class Embedded;

  struct RunHere {
    const Connections* of = nullptr;
    ReachedPeers* peers = nullptr;
  };
  static thread_local RunHere run_here;

  using OnUnreached = std::function<void(const std::string& address, const std::string& why)>;

  ReachedPeers::Parts parts_with(OnUnreached on_unreached) const {
    return {.secret = parts_.secret,
            .self = {parts_.node, parts_.cluster},
            .counts = counts_,
            .steady = parts_.steady,
            .on_unreached = std::move(on_unreached)};
  }

  void log_unreached(const std::string& why) const {
    parts_.log_lines.warn("Another node cannot be reached.", {{"reason", why}});
  }

  const Parts parts_;
  const std::shared_ptr<PeerCounts> counts_ = std::make_shared<PeerCounts>();
  ReachedPeers own_{
      parts_with([this](const auto&, const std::string& why) { log_unreached(why); })};
  std::mutex mutex_;  // guards what follows
  std::vector<ReachedPeers*> embedded_;
};

thread_local PeerClient::Connections::RunHere PeerClient::Connections::run_here;

// Why a node is not reached is logged once: for the client's own connection, unless that one works.
class PeerClient::Connections::Embedded final : public EmbeddedLoop {
 public:
  explicit Embedded(Connections& of)
      : of_(of), peers_(of.parts_with([&of](const std::string& address, const std::string& why) {
          if (of.own_.reach(address).connected) of.log_unreached(why);
        })) {
    peers_.embed();
    const std::lock_guard lock(of_.mutex_);
    of_.embedded_.push_back(&peers_);
  }
  ~Embedded() override {
    {
      const std::lock_guard lock(of_.mutex_);
      std::erase(of_.embedded_, &peers_);
    }
    if (run_here.peers == &peers_) run_here = {};
    peers_.loop().stop();
  }

  int descriptor() const override { return peers_.loop().descriptor(); }
  void run_ready() override {
    run_here = {&of_, &peers_};
    peers_.loop().run_ready();
  }

 private:
  Connections& of_;
  ReachedPeers peers_;
};

std::unique_ptr<EmbeddedLoop> PeerClient::Connections::embed() {
  return std::make_unique<Embedded>(*this);
}

PeerClient::PeerClient(Parts parts)
    : connections_(std::make_unique<Connections>(std::move(parts))) {}
PeerClient::~PeerClient() = default;

void PeerClient::send(const std::string& address, HttpRequest request,
                      std::unique_ptr<Responder> to, OnLost lost) {
  auto forwarded = std::make_unique<ForwardedRequest>();
  forwarded->request = std::move(request);
  forwarded->to = std::move(to);
  forwarded->lost = std::move(lost);
  connections_->here().send(address, std::move(forwarded));
}

PeerClient::Reach PeerClient::reach(const std::string& address) {
  return connections_->own().reach(address);
}

std::unique_ptr<EmbeddedLoop> PeerClient::embed() { return connections_->embed(); }
void PeerClient::stop() { connections_->stop(); }
void PeerClient::report(Samples& to) const { connections_->report(to); }

}  // namespace tilth
