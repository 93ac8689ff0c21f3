// One side of a connection between two nodes, from the socket to the frames: the handshake, the
// heartbeat, and what becomes of it.

#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "infra/peers/peer_bodies.h"
#include "infra/peers/peer_counts.h"
#include "infra/peers/peer_frames.h"
#include "infra/peers/peer_handshake.h"
#include "infra/peers/peer_link.h"
#include "infra/peers/peer_loop.h"
#include "infra/system/descriptor.h"

namespace tilth {

// Threads: the loop's, but for link(), which any thread may use once on_open() was called.
class PeerConnection : public PeerLoop::Watcher,
                       public std::enable_shared_from_this<PeerConnection> {
 public:
  using Steady = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kHeartbeat{1'000}, kSilence{3'000};

  struct Parts {
    std::shared_ptr<PeerLoop> loop;
    std::shared_ptr<PeerCounts> counts;
    std::unique_ptr<PeerHandshake> handshake;
    Steady::time_point handshake_until;
    Steady::time_point now;
  };
  explicit PeerConnection(Parts parts);
  ~PeerConnection() override = default;

  // Takes a socket that is connected, or is about to be.
  void begin(Descriptor socket);
  void on_ready(bool readable, bool writable, bool ended) final;
  void on_tick(Steady::time_point now);
  void close(const std::string& why);

  bool open() const { return link_ != nullptr && !closed_; }
  bool closed() const { return closed_; }
  const PeerIdentity& other() const { return handshake_->other(); }

 protected:
  virtual void on_open() = 0;
  virtual bool on_frame(peer_frames::Frame& frame) = 0;  // false: no node sends that now
  virtual void on_refused(PeerRefusal, const std::string& /*sentence*/) {}
  virtual void on_timeout() {}
  // All of a body was sent, or its source failed.
  virtual void on_body_sent(std::uint64_t id, PeerBodies::Source::Then how) = 0;
  // Once. No other call follows.
  virtual void on_closed(const std::string& why) = 0;

  PeerLink& link() { return *link_; }
  PeerLoop& loop() { return *loop_; }
  PeerCounts& counts() { return *counts_; }
  PeerBodies& bodies() { return bodies_; }
  void send(const peer_frames::Frame& frame);
  void send_bodies() { bodies_.send(*link_); }

 private:
  void shake_hands();
  bool write_handshake();
  void read(bool to_the_end);
  bool take(std::string_view frames);

  const std::shared_ptr<PeerLoop> loop_;
  const std::shared_ptr<PeerCounts> counts_;
  const std::unique_ptr<PeerHandshake> handshake_;
  const Steady::time_point handshake_until_;
  Descriptor socket_;  // until there is a link
  std::uint64_t watched_ = 0;
  std::string handshake_input_;
  std::string handshake_output_;
  std::shared_ptr<PeerLink> link_;
  PeerBodies bodies_;
  Steady::time_point received_at_;
  Steady::time_point beat_;
  bool received_since_tick_ = false;
  bool to_the_end_ = false;  // of what there is to read
  bool reads_on_ = false;    // in the loop's next run
  bool closed_ = false;
};

}  // namespace tilth
