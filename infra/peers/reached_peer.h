// A connection to a node that this one forwards requests to.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "infra/peers/forwarded_request.h"
#include "infra/peers/peer_connection.h"

namespace tilth {

// Requests wait here while it is being made. Threads: the loop's, but for forward().
class ReachedPeer final : public PeerConnection {
 public:
  static constexpr std::chrono::milliseconds kConnectDeadline{1'000};

  // `ended` gets why, and whether it ever worked.
  struct Surroundings {
    std::shared_ptr<PeerLoop> loop;
    std::shared_ptr<PeerCounts> counts;
    const PeerSecret& secret;
    PeerIdentity self;
    std::string address;
    std::function<void(const std::string& why, bool worked)> ended;
  };
  ReachedPeer(const Surroundings& surroundings, Steady::time_point now);

  // Sends it, now or once it is connected. Why it cannot: then `request` remains the caller's.
  std::optional<std::string> forward(std::unique_ptr<ForwardedRequest>& request);

  // Both sides have proven themselves, and it takes requests.
  bool is_open();

  // What was asked for once is looked up, and connected to.
  void connect();
  void end_abandoned();

  // Calls its lost(), on the loop's thread.
  static void lose(ForwardedRequest& request, Lost how, const std::string& why, PeerCounts& counts);

 private:
  enum class State : std::uint8_t { kConnecting, kOpen, kDraining, kClosed };
  using Requests = std::unordered_map<std::uint64_t, std::unique_ptr<ForwardedRequest>>;

  void on_open() override;
  bool on_frame(peer_frames::Frame& frame) override;
  void on_body_sent(std::uint64_t id, PeerBodies::Source::Then how) override;
  void on_closed(const std::string& why) override;

  void on_credit(const peer_frames::Credit& credit);
  bool on_response(peer_frames::Response& frame);
  bool on_piece(const peer_frames::Piece& piece);
  bool on_end(std::uint64_t id, ForwardedRequest::End how);
  void on_not_taken(std::uint64_t id);
  void on_closing();
  void send_now(std::unique_ptr<ForwardedRequest> request);
  void send_body(std::uint64_t id, std::size_t sent);
  void begin_stream(std::uint64_t id, ForwardedRequest& request, HttpResponse head);
  void write_held(std::uint64_t id, ForwardedRequest& request);
  void allow_more(std::uint64_t id, ForwardedRequest& request, std::size_t taken);
  void abandon(ForwardedRequest& request);

  ForwardedRequest* find(std::uint64_t id);
  std::unique_ptr<ForwardedRequest> remove(std::uint64_t id);
  std::shared_ptr<ReachedPeer> self() {
    return std::static_pointer_cast<ReachedPeer>(shared_from_this());
  }
  std::string named(const std::string& why) const;

  const std::string address_;
  const std::function<void(const std::string& why, bool worked)> ended_;
  bool worked_ = false;
  bool closing_ = false;  // the node has answered all that it has taken

  std::mutex mutex_;  // guards what follows, but for the requests themselves
  State state_ = State::kConnecting;
  std::uint64_t last_id_ = 0;
  std::vector<std::unique_ptr<ForwardedRequest>> waiting_;
  Requests requests_;
};

}  // namespace tilth
