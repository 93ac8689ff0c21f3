#include "infra/peers/reached_peer.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

#include "api/platform/thread_name.h"
#include "infra/config/config.h"

namespace tilth {
namespace {

constexpr std::size_t kMostBeginning = peer_frames::kMostPiece;
constexpr std::uint64_t kMostResponse = std::uint64_t{1} << 30;
// A node that does not read so much is stuck: what is sent to it would only pile up here.
constexpr std::size_t kMostWaiting = std::size_t{8} << 20;

Error cannot(const std::string& why) { return {ErrorCode::kUnavailable, why + "."}; }

// A socket that is being connected.
Result<Descriptor> connecting_to(const addrinfo& address) {
  Descriptor socket(
      ::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, address.ai_protocol));
  if (!socket) return cannot(std::generic_category().message(errno));
  if (::connect(socket.get(), address.ai_addr, address.ai_addrlen) != 0 && errno != EINPROGRESS) {
    return cannot(std::generic_category().message(errno));
  }
  return socket;
}

// The same for a host, waiting for nothing if it is a number. A name may have several addresses:
// the first is taken that lets itself be connected to.
Result<Descriptor> connecting_to(const HostPort& at, bool numeric) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV | (numeric ? AI_NUMERICHOST : 0);
  addrinfo* first = nullptr;
  const int failure =
      ::getaddrinfo(at.host.c_str(), std::to_string(at.port).c_str(), &hints, &first);
  if (failure != 0) return cannot(::gai_strerror(failure));
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> found(first, ::freeaddrinfo);
  for (const auto* each = first;; each = each->ai_next) {
    auto socket = connecting_to(*each);
    if (numeric || each->ai_next == nullptr) return socket;
    if (!socket) continue;
    pollfd watched{socket->get(), POLLOUT, 0};
    const auto at_most = static_cast<int>(ReachedPeer::kConnectDeadline.count() / 2);
    if (::poll(&watched, 1, at_most) == 1 && watched.revents == POLLOUT) return socket;
  }
}

bool is_numeric(const std::string& host) { return Address::parse(host).has_value(); }

}  // namespace

ReachedPeer::ReachedPeer(const Surroundings& surroundings, Steady::time_point now)
    : PeerConnection({.loop = surroundings.loop,
                      .counts = surroundings.counts,
                      .handshake = std::make_unique<PeerHandshake>(
                          surroundings.secret, surroundings.self, PeerHandshake::Side::kConnecting),
                      .handshake_until = now + kConnectDeadline,
                      .now = now}),
      address_(surroundings.address),
      ended_(surroundings.ended) {}

std::string ReachedPeer::named(const std::string& why) const {
  return "The node at " + address_ + " cannot be reached: " + why;
}

// A name may take long to look up, and there is no way to stop that; so a thread of its own does
// it, which outlives this if need be.
void ReachedPeer::connect() {
  const auto at = HostPort::parse(address_);
  if (!at) return close("That is no HOST:PORT.");
  const auto connected = [](const std::shared_ptr<ReachedPeer>& peer, Result<Descriptor>& socket) {
    if (peer->closed()) return;
    if (!socket) return peer->close(socket.error().message);
    peer->begin(std::move(*socket));
  };
  if (is_numeric(at->host)) {
    auto socket = connecting_to(*at, true);
    return connected(self(), socket);
  }
  std::thread([at = *at, peer = self(), connected]() {
    name_thread("name lookup");
    auto socket = std::make_shared<Result<Descriptor>>(connecting_to(at, false));
    peer->loop().post([peer, socket, connected] { connected(peer, *socket); });
  }).detach();
}

std::optional<std::string> ReachedPeer::forward(std::unique_ptr<ForwardedRequest>& request) {
  const std::lock_guard lock(mutex_);
  switch (state_) {
    case State::kConnecting:
      waiting_.push_back(std::move(request));
      return std::nullopt;
    case State::kOpen:
      if (link().waiting() > kMostWaiting) return named("it does not read what is sent to it.");
      send_now(std::move(request));
      return std::nullopt;
    case State::kDraining:
      return named("it is stopping.");
    case State::kClosed:
      return named("the connection was lost.");
  }
  return std::nullopt;
}

bool ReachedPeer::is_open() {
  const std::lock_guard lock(mutex_);
  return state_ == State::kOpen;
}

// With mutex_.
void ReachedPeer::send_now(std::unique_ptr<ForwardedRequest> request) {
  const auto id = ++last_id_;
  const bool in_file = request->request.large_body != nullptr;
  const std::string_view body = in_file ? std::string_view() : request->request.body;
  const auto beginning = body.substr(0, kMostBeginning);
  std::string frame;
  peer_frames::append_request(frame, id, request->request, in_file, body.size(), beginning);
  request->place = link().send(frame);
  requests_.emplace(id, std::move(request));
  ++counts().requests;
  ++counts().in_flight;
  if (!in_file && beginning.size() == body.size()) return;
  loop().post([self = self(), id, sent = beginning.size()] { self->send_body(id, sent); });
}

void ReachedPeer::send_body(std::uint64_t id, std::size_t sent) {
  auto* request = find(id);
  if (request == nullptr) return;
  if (request->request.large_body != nullptr) {
    bodies().add(id, std::make_unique<FileSource>(request->request.large_body), true,
                 request->allowed_early);
  } else {
    const auto rest = std::string_view(request->request.body).substr(sent);
    bodies().add(id, std::make_unique<BytesSource>(rest, nullptr, nullptr), false,
                 peer_frames::kWindow + request->allowed_early);
  }
  send_bodies();
}

ForwardedRequest* ReachedPeer::find(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  const auto found = requests_.find(id);
  return found == requests_.end() ? nullptr : found->second.get();
}

// Nothing of it is sent any more.
std::unique_ptr<ForwardedRequest> ReachedPeer::remove(std::uint64_t id) {
  bodies().remove(id);
  const std::lock_guard lock(mutex_);
  const auto found = requests_.find(id);
  if (found == requests_.end()) return nullptr;
  auto request = std::move(found->second);
  requests_.erase(found);
  --counts().in_flight;
  return request;
}

void ReachedPeer::on_open() {
  worked_ = true;
  const std::lock_guard lock(mutex_);
  state_ = State::kOpen;
  for (auto& request : std::exchange(waiting_, {})) send_now(std::move(request));
}

bool ReachedPeer::on_frame(peer_frames::Frame& frame) {
  if (auto* response = std::get_if<peer_frames::Response>(&frame)) return on_response(*response);
  if (const auto* piece = std::get_if<peer_frames::Piece>(&frame)) return on_piece(*piece);
  if (const auto* end = std::get_if<peer_frames::End>(&frame)) {
    return on_end(end->id, ForwardedRequest::End::kEnded);
  }
  if (const auto* cut = std::get_if<peer_frames::Cut>(&frame)) {
    return on_end(cut->id, ForwardedRequest::End::kCut);
  }
  if (const auto* credit = std::get_if<peer_frames::Credit>(&frame)) {
    on_credit(*credit);
  } else if (const auto* refused = std::get_if<peer_frames::NotTaken>(&frame)) {
    on_not_taken(refused->id);
  } else if (std::holds_alternative<peer_frames::Draining>(frame)) {
    const std::lock_guard lock(mutex_);
    state_ = State::kDraining;
  } else if (std::holds_alternative<peer_frames::Closing>(frame)) {
    closing_ = true;
    close("it is stopping.");
  } else {
    return std::holds_alternative<peer_frames::Heartbeat>(frame);
  }
  return true;
}

// It may come before send_body(), which waits for its turn on the loop.
void ReachedPeer::on_credit(const peer_frames::Credit& credit) {
  auto* request = find(credit.id);
  if (request == nullptr) return;
  request->body_begun = true;
  if (bodies().credit(credit.id, credit.bytes)) return;
  request->allowed_early += std::min(credit.bytes, UINT64_MAX / 2 - request->allowed_early);
}

bool ReachedPeer::on_response(peer_frames::Response& frame) {
  auto* request = find(frame.id);
  if (request == nullptr) return true;  // the client is gone
  if (request->response || request->stream) return false;
  bodies().remove(frame.id);
  if (frame.streamed) return begin_stream(frame.id, *request, std::move(frame.head)), true;
  if (frame.body_bytes > kMostResponse) return false;
  if (frame.body.size() == frame.body_bytes) {
    frame.head.body = frame.body;
    const auto done = remove(frame.id);
    done->to->respond(std::move(frame.head));
    return true;
  }
  request->response = std::move(frame.head);
  request->left = frame.body_bytes;
  return on_piece({frame.id, frame.body});
}

bool ReachedPeer::on_piece(const peer_frames::Piece& piece) {
  auto* request = find(piece.id);
  if (request == nullptr) return true;
  if (request->stream) {
    if (request->held.size() + piece.bytes.size() > peer_frames::kWindow) return false;
    request->held += piece.bytes;
    write_held(piece.id, *request);
    return true;
  }
  if (!request->response || piece.bytes.size() > request->left) return false;
  request->response->body += piece.bytes;
  request->left -= piece.bytes.size();
  if (request->left > 0) return allow_more(piece.id, *request, piece.bytes.size()), true;
  const auto done = remove(piece.id);
  done->to->respond(std::move(*done->response));
  return true;
}

bool ReachedPeer::on_end(std::uint64_t id, ForwardedRequest::End how) {
  auto* request = find(id);
  if (request == nullptr) return true;
  if (!request->stream) return false;
  request->end = how;
  write_held(id, *request);
  return true;
}

void ReachedPeer::begin_stream(std::uint64_t id, ForwardedRequest& request, HttpResponse head) {
  request.request = {};
  request.stream = request.to->stream(std::move(head));
  request.to.reset();
  if (!request.stream) return remove(id), send(peer_frames::Cancel{id});
  request.stream->on_room([peer = std::weak_ptr(self()), id] {
    const auto self = peer.lock();
    if (!self) return;
    self->loop().post([self, id] {
      if (auto* waiting = self->find(id)) self->write_held(id, *waiting);
    });
  });
}

// Writes what has come of a stream as far as its client takes it.
void ReachedPeer::write_held(std::uint64_t id, ForwardedRequest& request) {
  if (request.stream->closed()) {
    const auto gone = remove(id);
    return abandon(*gone), send(peer_frames::Cancel{id});
  }
  if (!request.stream->has_room()) return;
  if (!request.held.empty()) {
    const auto bytes = request.held.size();
    if (!request.stream->write(std::exchange(request.held, {}))) return;
    allow_more(id, request, bytes);
  }
  if (request.end == ForwardedRequest::End::kNotYet) return;
  const auto done = remove(id);
  if (done->end == ForwardedRequest::End::kEnded) done->stream->end();
}

void ReachedPeer::allow_more(std::uint64_t id, ForwardedRequest& request, std::size_t taken) {
  request.taken += taken;
  if (request.taken < peer_frames::kWindow / 2) return;
  send(peer_frames::Credit{id, std::exchange(request.taken, 0)});
}

void ReachedPeer::on_not_taken(std::uint64_t id) {
  if (const auto request = remove(id)) {
    lose(*request, Lost::kNotSent, named("it is stopping."), counts());
  }
}

void ReachedPeer::on_body_sent(std::uint64_t id, PeerBodies::Source::Then how) {
  if (how != PeerBodies::Source::Then::kFailed) return;
  const auto request = remove(id);
  if (!request) return;
  send(peer_frames::Cancel{id});
  lose(*request, Lost::kUnknown, "The file of the request's body cannot be read.", counts());
}

void ReachedPeer::end_abandoned() {
  std::vector<std::uint64_t> gone;
  std::vector<std::unique_ptr<ForwardedRequest>> never_sent;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, request] : requests_) {
      if (request->abandoned()) gone.push_back(id);
    }
    const auto first = std::partition(waiting_.begin(), waiting_.end(),
                                      [](const auto& each) { return !each->abandoned(); });
    std::move(first, waiting_.end(), std::back_inserter(never_sent));
    waiting_.erase(first, waiting_.end());
  }
  for (const auto& request : never_sent) abandon(*request);
  for (const auto id : gone) {
    const auto request = remove(id);
    if (!request) continue;
    send(peer_frames::Cancel{id});
    abandon(*request);
  }
}

void ReachedPeer::abandon(ForwardedRequest& request) {
  ++counts().cancelled;
  if (request.to) request.to->respond({.status = 503});
}

void ReachedPeer::lose(ForwardedRequest& request, Lost how, const std::string& why,
                       PeerCounts& counts) {
  ++(how == Lost::kNotSent ? counts.not_sent : counts.unknown);
  request.lost(how, why, std::move(request.request), std::move(request.to));
}

void ReachedPeer::on_closed(const std::string& why) {
  const auto sentence = named(why);
  Requests requests;
  std::vector<std::unique_ptr<ForwardedRequest>> waiting;
  {
    const std::lock_guard lock(mutex_);
    state_ = State::kClosed;
    requests = std::exchange(requests_, {});
    waiting = std::exchange(waiting_, {});
  }
  counts().in_flight -= static_cast<std::int64_t>(requests.size());
  ended_(sentence, worked_);
  for (const auto& request : waiting) lose(*request, Lost::kNotSent, sentence, counts());
  const auto given = requests.empty() ? 0 : link().given();
  for (const auto& [id, request] : requests) {
    if (request->stream) continue;  // what destroys it tells the client
    const bool certain = !request->body_begun && (closing_ || given <= request->place);
    lose(*request, certain ? Lost::kNotSent : Lost::kUnknown, sentence, counts());
  }
}

}  // namespace tilth
