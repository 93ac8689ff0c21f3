#include "infra/peers/served_peer.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace tilth {
namespace {

constexpr std::chrono::milliseconds kHandshakeDeadline{3'000};
constexpr std::size_t kMostInFlight = 100'000;  // of one node
// What of a body comes with its head.
constexpr std::size_t kMostBeginning = peer_frames::kMostPiece;
constexpr std::size_t kMostHead = peer_frames::kMostFrame - kMostBeginning;

// The responder of a request that another node has forwarded. It refers to its request by numbers
// only, so it may outlive the connection and the server.
class PeerResponder final : public Responder {
 public:
  PeerResponder(std::shared_ptr<ServedPeer> peer, std::uint64_t id, std::string client,
                std::shared_ptr<const std::atomic<bool>> gone)
      : peer_(std::move(peer)), id_(id), client_(std::move(client)), gone_(std::move(gone)) {}

  ~PeerResponder() override {
    if (peer_) peer_->unanswered(id_);
  }

  void respond(HttpResponse response) override {
    if (const auto peer = std::exchange(peer_, nullptr)) {
      peer->respond(id_, std::move(response), std::move(reserved_));
    }
  }

  std::unique_ptr<BodyStream> stream(HttpResponse head) override {
    const auto peer = std::exchange(peer_, nullptr);
    return std::make_unique<PipeWriter>(peer->stream(id_, head));
  }

  bool abandoned() const override { return *gone_; }

  bool reserve(std::size_t body_bytes, std::string_view account) override {
    reserved_ = peer_->memory().answers->take(account.empty() ? client_ : account, body_bytes);
    return reserved_ != nullptr;
  }

 private:
  std::shared_ptr<ServedPeer> peer_;  // null once it was used
  const std::uint64_t id_;
  const std::string client_;
  const std::shared_ptr<const std::atomic<bool>> gone_;
  std::unique_ptr<MemoryShare> reserved_;
};

}  // namespace

ServedPeer::ServedPeer(std::shared_ptr<PeerService> service, std::string from,
                       Steady::time_point now)
    : PeerConnection(
          {.loop = service->loop,
           .counts = service->counts,
           .handshake = std::make_unique<PeerHandshake>(
               service->parts.secret, PeerIdentity{service->parts.node, service->parts.cluster},
               PeerHandshake::Side::kListening),
           .handshake_until = now + kHandshakeDeadline,
           .now = now}),
      service_(std::move(service)),
      from_(std::move(from)) {}

void ServedPeer::on_refused(PeerRefusal, const std::string& sentence) {
  service_->parts.log_lines.log(LogLevel::kWarn,
                                "A connection to the port for nodes was refused. " + sentence,
                                {{"from", from_}}, "refused connection to the port for nodes");
}

void ServedPeer::on_timeout() {
  service_->parts.log_lines.log(LogLevel::kWarn,
                                "A connection to the port for nodes did not say in time who it is.",
                                {{"from", from_}}, "refused connection to the port for nodes");
}

bool ServedPeer::on_frame(peer_frames::Frame& frame) {
  if (auto* request = std::get_if<peer_frames::Request>(&frame)) return on_request(*request);
  if (const auto* piece = std::get_if<peer_frames::Piece>(&frame)) return on_piece(*piece);
  if (const auto* credit = std::get_if<peer_frames::Credit>(&frame)) {
    bodies().credit(credit->id, credit->bytes);
    return true;
  }
  if (const auto* cancelled = std::get_if<peer_frames::Cancel>(&frame)) {
    cancel(cancelled->id);
    return true;
  }
  if (const auto* end = std::get_if<peer_frames::End>(&frame)) {
    complete(end->id);
    return true;
  }
  return std::holds_alternative<peer_frames::Heartbeat>(frame);
}

bool ServedPeer::on_request(peer_frames::Request& frame) {
  if (frame.id <= last_id_) return false;
  last_id_ = frame.id;
  {
    const std::lock_guard lock(mutex_);
    if (!service_->draining && open_.size() < kMostInFlight) {
      open_.emplace(frame.id, std::make_shared<std::atomic<bool>>(false));
      service_->began();
    } else {
      send(peer_frames::NotTaken{frame.id});
      return true;
    }
  }
  ++counts().requests;
  if (frame.in_file) {
    begin_file(frame.id, std::move(frame.head));
  } else if (frame.body.size() == frame.body_bytes && frame.body_bytes <= kMostBeginning) {
    frame.head.body = frame.body;
    handle(frame.id, std::move(frame.head));
  } else {
    begin_body(frame.id, std::move(frame.head), frame);
  }
  return true;
}

void ServedPeer::begin_file(std::uint64_t id, HttpRequest request) {
  const auto& directory = service_->parts.spool_directory;
  if (directory.empty()) {
    request.body_too_large = true;
    return handle(id, std::move(request));
  }
  auto file = SpooledBody::make(directory);
  if (!file) return refuse(id, 503, "The body cannot be stored.", request);
  arriving_.emplace(id, Arriving{.request = std::move(request), .file = std::move(*file)});
  send(peer_frames::Credit{id, peer_frames::kWindow});
}

void ServedPeer::begin_body(std::uint64_t id, HttpRequest request,
                            const peer_frames::Request& frame) {
  if (frame.body_bytes > service_->parts.most_body_bytes) {
    request.body_too_large = true;
    return handle(id, std::move(request));
  }
  auto memory = service_->memory->bodies->take(request.peer, frame.body_bytes);
  if (!memory) return refuse(id, 503, "There is no memory for the body.", request);
  request.body_memory = std::shared_ptr<MemoryShare>(std::move(memory));
  request.body.reserve(frame.body_bytes);
  auto& arriving = arriving_[id];
  arriving.request = std::move(request);
  arriving.left = frame.body_bytes;
  append(id, arriving, frame.body);
}

bool ServedPeer::on_piece(const peer_frames::Piece& piece) {
  const auto found = arriving_.find(piece.id);
  if (found == arriving_.end()) return true;  // it was answered before all of it had come
  if (!found->second.file && piece.bytes.size() > found->second.left) return false;
  append(piece.id, found->second, piece.bytes);
  return true;
}

void ServedPeer::append(std::uint64_t id, Arriving& arriving, std::string_view bytes) {
  if (arriving.file) {
    arriving.spooled += bytes.size();
    if (arriving.spooled > service_->parts.most_spooled_bytes) {
      auto request = std::move(arriving.request);
      arriving_.erase(id);
      request.body_too_large = true;
      return handle(id, std::move(request));
    }
    if (!arriving.file->append(bytes)) {
      const auto request = std::move(arriving.request);
      arriving_.erase(id);
      return refuse(id, 503, "The body cannot be stored.", request);
    }
  } else {
    arriving.request.body += bytes;
    arriving.left -= bytes.size();
    if (arriving.left == 0) return complete(id);
  }
  arriving.taken += bytes.size();
  if (arriving.taken < peer_frames::kWindow / 2) return;
  send(peer_frames::Credit{id, std::exchange(arriving.taken, 0)});
}

void ServedPeer::complete(std::uint64_t id) {
  const auto found = arriving_.find(id);
  if (found == arriving_.end()) return;
  auto request = std::move(found->second.request);
  request.large_body = std::move(found->second.file);
  arriving_.erase(found);
  handle(id, std::move(request));
}

void ServedPeer::handle(std::uint64_t id, HttpRequest request) {
  std::shared_ptr<const std::atomic<bool>> gone;
  {
    const std::lock_guard lock(mutex_);
    const auto found = open_.find(id);
    if (found == open_.end()) return;
    gone = found->second;
  }
  auto responder = std::make_unique<PeerResponder>(self(), id, request.peer, std::move(gone));
  service_->parts.handler.handle(std::move(request), std::move(responder));
}

void ServedPeer::refuse(std::uint64_t id, int status, std::string_view reason,
                        const HttpRequest& request) {
  respond(id, service_->parts.handler.refuse(status, reason, request), nullptr);
}

void ServedPeer::unanswered(std::uint64_t id) {
  loop().post([self = self(), id] {
    {
      const std::lock_guard lock(self->mutex_);
      if (!self->open_.contains(id)) return;
    }
    self->service_->parts.log_lines.warn("A request of another node was not answered.");
    self->refuse(id, 500, "The request was not answered.", {});
  });
}

// False: the client is gone, or the connection.
bool ServedPeer::send_head(std::uint64_t id, const HttpResponse& head, bool streamed,
                           std::size_t body_bytes, std::string_view body, bool whole) {
  std::string frame;
  peer_frames::append_response(frame, id, head, streamed, body_bytes, body);
  const std::lock_guard lock(mutex_);
  const auto found = open_.find(id);
  if (found == open_.end()) return false;
  if (whole) open_.erase(found);
  link().send(frame);
  return true;
}

void ServedPeer::respond(std::uint64_t id, HttpResponse response,
                         std::unique_ptr<MemoryShare> memory) {
  std::size_t head_bytes = 0;
  for (const auto& [name, value] : response.headers) head_bytes += name.size() + value.size() + 8;
  if (head_bytes > kMostHead) response = {500};
  const auto bytes =
      response.body.empty() ? response.shared_body.bytes : std::string_view(response.body);
  const bool whole = bytes.size() <= kMostBeginning;
  const auto beginning = bytes.substr(0, kMostBeginning);
  if (!send_head(id, response, false, bytes.size(), beginning, whole)) return;
  if (whole) return service_->ended();
  const auto kept = std::make_shared<const HttpResponse>(std::move(response));
  const auto rest = (kept->body.empty() ? kept->shared_body.bytes : std::string_view(kept->body))
                        .substr(kMostBeginning);
  const auto source = std::make_shared<std::unique_ptr<PeerBodies::Source>>(
      std::make_unique<BytesSource>(rest, kept, std::move(memory)));
  loop().post([self = self(), id, source] { self->send_body(id, std::move(*source), false); });
}

std::shared_ptr<BodyPipe> ServedPeer::stream(std::uint64_t id, const HttpResponse& head) {
  auto pipe = std::make_shared<BodyPipe>(
      [self = self(), id] {
        self->loop().post([self, id] {
          if (self->closed()) return;
          self->bodies().wake(id);
          self->send_bodies();
        });
      },
      service_->memory->streams);
  const bool posted =
      send_head(id, head, true, 0, {}, false) && loop().post([self = self(), id, pipe] {
        self->send_body(id, std::make_unique<PipeSource>(pipe), true);
      });
  if (!posted) pipe->close();
  return pipe;
}

void ServedPeer::send_body(std::uint64_t id, std::unique_ptr<PeerBodies::Source> source,
                           bool streamed) {
  bool open = !closed();
  if (open) {
    const std::lock_guard lock(mutex_);
    open = open_.contains(id);
  }
  if (!open) return source->close();
  if (service_->draining) source->decline();
  bodies().add(id, std::move(source), streamed, peer_frames::kWindow);
  send_bodies();
}

void ServedPeer::on_body_sent(std::uint64_t id, PeerBodies::Source::Then) {
  {
    const std::lock_guard lock(mutex_);
    if (open_.erase(id) == 0) return;
  }
  service_->ended();
}

void ServedPeer::cancel(std::uint64_t id) {
  arriving_.erase(id);
  {
    const std::lock_guard lock(mutex_);
    const auto found = open_.find(id);
    if (found == open_.end()) return;
    *found->second = true;
    open_.erase(found);
  }
  ++counts().cancelled;
  bodies().remove(id);
  service_->ended();
}

void ServedPeer::on_closed(const std::string&) {
  std::unordered_map<std::uint64_t, std::shared_ptr<std::atomic<bool>>> open;
  {
    const std::lock_guard lock(mutex_);
    open = std::exchange(open_, {});
  }
  arriving_.clear();
  for (const auto& [id, gone] : open) {
    *gone = true;
    service_->ended();
  }
  service_->notify();
}

void ServedPeer::drain() {
  if (!open()) return close("The node is stopping.");
  send(peer_frames::Draining{});
  bodies().decline();
}

void ServedPeer::send_closing() {
  if (!open()) return;
  send(peer_frames::Closing{});
  link().end_sending();
}

}  // namespace tilth
