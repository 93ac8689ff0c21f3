// A node that forwards requests to this one: reads them for the handler and sends the responses.

#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "api/http/http.h"
#include "infra/http/body_pipe.h"
#include "infra/http/memory_budget.h"
#include "infra/http/spooled_body.h"
#include "infra/peers/peer_connection.h"
#include "infra/peers/peer_server_parts.h"

namespace tilth {

// What all connections of one server share. Responders keep it; `parts` is only used by the loop.
struct PeerService {
  explicit PeerService(PeerServerParts of) : parts(std::move(of)), memory(parts.memory) {}

  const PeerServerParts parts;
  const std::shared_ptr<const MemoryBudgets> memory;
  const std::shared_ptr<PeerLoop> loop = std::make_shared<PeerLoop>();
  const std::shared_ptr<PeerCounts> counts = std::make_shared<PeerCounts>();
  std::atomic<bool> draining = false;  // set by the loop: no more requests are taken

  // Requests without a whole response, and connections.
  void began() { ++counts->in_flight; }
  void ended() {
    if (--counts->in_flight == 0) notify();
  }
  void notify() {
    const std::lock_guard lock(mutex);
    changed.notify_all();
  }
  std::mutex mutex;
  std::condition_variable changed;
};

// Threads: the loop's, but for the functions of responders, which any thread may call.
class ServedPeer final : public PeerConnection {
 public:
  // A stranger can make it hold one step of a handshake.
  ServedPeer(std::shared_ptr<PeerService> service, std::string from, Steady::time_point now);

  void drain();
  void send_closing();

  // For responders.
  void respond(std::uint64_t id, HttpResponse response, std::unique_ptr<MemoryShare> memory);
  std::shared_ptr<BodyPipe> stream(std::uint64_t id, const HttpResponse& head);
  void unanswered(std::uint64_t id);
  const MemoryBudgets& memory() const { return *service_->memory; }

 private:
  struct Arriving {
    HttpRequest request;
    std::uint64_t left = 0;  // of a body in memory
    std::shared_ptr<SpooledBody> file = {};
    std::uint64_t spooled = 0;
    std::uint64_t taken = 0;  // since more was allowed
  };

  void on_open() override {}
  bool on_frame(peer_frames::Frame& frame) override;
  void on_refused(PeerRefusal why, const std::string& sentence) override;
  void on_timeout() override;
  void on_body_sent(std::uint64_t id, PeerBodies::Source::Then how) override;
  void on_closed(const std::string& why) override;

  bool on_request(peer_frames::Request& frame);
  bool on_piece(const peer_frames::Piece& piece);
  void begin_file(std::uint64_t id, HttpRequest request);
  void begin_body(std::uint64_t id, HttpRequest request, const peer_frames::Request& frame);
  void append(std::uint64_t id, Arriving& arriving, std::string_view bytes);
  void complete(std::uint64_t id);
  void handle(std::uint64_t id, HttpRequest request);
  void refuse(std::uint64_t id, int status, std::string_view reason, const HttpRequest& request);
  void cancel(std::uint64_t id);
  void send_body(std::uint64_t id, std::unique_ptr<PeerBodies::Source> source, bool streamed);
  bool send_head(std::uint64_t id, const HttpResponse& head, bool streamed, std::size_t body_bytes,
                 std::string_view body, bool whole);

  std::shared_ptr<ServedPeer> self() {
    return std::static_pointer_cast<ServedPeer>(shared_from_this());
  }

  const std::shared_ptr<PeerService> service_;
  const std::string from_;  // the address that connected
  std::unordered_map<std::uint64_t, Arriving> arriving_;
  std::uint64_t last_id_ = 0;

  std::mutex mutex_;  // guards what follows
  // Requests that were taken and whose response was not sent whole; true once the client is gone.
  std::unordered_map<std::uint64_t, std::shared_ptr<std::atomic<bool>>> open_;
};

}  // namespace tilth
