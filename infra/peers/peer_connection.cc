#include "infra/peers/peer_connection.h"

#include <array>
#include <cerrno>
#include <utility>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "infra/http/turn.h"

namespace tilth {
namespace {

std::string reason_of(int socket) {
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size);
  return error == 0 ? "The connection broke." : std::generic_category().message(error) + ".";
}

}  // namespace

PeerConnection::PeerConnection(Parts parts)
    : loop_(std::move(parts.loop)),
      counts_(std::move(parts.counts)),
      handshake_(std::move(parts.handshake)),
      handshake_until_(parts.handshake_until),
      bodies_([this](std::uint64_t id, PeerBodies::Source::Then how) { on_body_sent(id, how); }),
      received_at_(parts.now),
      beat_(parts.now) {}

void PeerConnection::begin(Descriptor socket) {
  const int on = 1;
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  socket_ = std::move(socket);
  handshake_output_ = handshake_->take_output();
  watched_ = loop_->watch(socket_.get(), shared_from_this());
}

void PeerConnection::on_ready(bool readable, bool writable, bool ended) {
  if (closed_) return;
  if (link_ == nullptr) return shake_hands();
  if (writable) {
    link_->flush();
    send_bodies();
  }
  if (readable) read(ended);
}

// Sends what is left of the handshake; false if not all could be sent now.
bool PeerConnection::write_handshake() {
  while (!handshake_output_.empty()) {
    const auto sent = ::send(socket_.get(), handshake_output_.data(), handshake_output_.size(),
                             MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) {
      if (errno != EAGAIN && errno != EWOULDBLOCK && errno != ENOTCONN) {
        close(std::generic_category().message(errno) + ".");
      }
      return false;
    }
    handshake_output_.erase(0, static_cast<std::size_t>(sent));
  }
  return true;
}

// Reads exactly what the handshake wants, so that nothing of what follows it is lost.
void PeerConnection::shake_hands() {
  using State = PeerHandshake::State;
  while (!closed_) {
    if (!write_handshake()) return;
    if (handshake_->state() == State::kRefused) {
      on_refused(handshake_->refusal(), handshake_->sentence());
      counts_->refused(handshake_->refusal());
      return close(handshake_->sentence());
    }
    if (handshake_->state() == State::kAgreed) break;
    const auto before = handshake_input_.size();
    handshake_input_.resize(handshake_->wants());
    const auto got = ::recv(socket_.get(), handshake_input_.data() + before,
                            handshake_input_.size() - before, MSG_DONTWAIT);
    const int error = errno;
    handshake_input_.resize(before + static_cast<std::size_t>(got > 0 ? got : 0));
    if (got == 0) {
      return close(
          "It closed the connection before it proved that it has the cluster's secret: perhaps it "
          "has another one.");
    }
    if (got < 0 && error == EINTR) continue;
    if (got < 0 && (error == EAGAIN || error == EWOULDBLOCK || error == ENOTCONN)) return;
    if (got < 0) return close(std::generic_category().message(error) + ".");
    if (handshake_input_.size() < handshake_->wants()) continue;
    handshake_->feed(handshake_input_);
    handshake_input_.clear();
    handshake_output_ += handshake_->take_output();
  }
  if (closed_) return;
  link_ = std::make_shared<PeerLink>(std::move(socket_), handshake_->take_channel(), counts_);
  handshake_input_ = {};
  handshake_output_ = {};
  ++counts_->connections;
  on_open();
  // What came behind the handshake may not be reported again.
  if (!closed_) read(true);
}

void PeerConnection::read(bool to_the_end) {
  to_the_end_ = to_the_end_ || to_the_end;
  if (reads_on_) return;
  const auto self = shared_from_this();
  auto how = PeerLink::Read::kAll;
  {
    const Turn turn;
    how = link_->receive(to_the_end_, [this](std::string_view frames) { return take(frames); });
    if (!closed_) send_bodies();
  }
  if (closed_) return;
  switch (how) {
    case PeerLink::Read::kAll:
      to_the_end_ = false;
      return;
    case PeerLink::Read::kMore:
      reads_on_ = true;
      loop_->post([self] {
        self->reads_on_ = false;
        if (!self->closed_) self->read(false);
      });
      return;
    case PeerLink::Read::kEnded:
      return close("It closed the connection.");
    case PeerLink::Read::kBroken:
      return close(reason_of(link_->socket()));
    case PeerLink::Read::kNonsense:
      return close("It sent what no node sends.");
  }
}

bool PeerConnection::take(std::string_view frames) {
  received_since_tick_ = true;
  while (!frames.empty()) {
    auto frame = peer_frames::next(frames);
    if (!frame || !on_frame(*frame)) return false;
    if (closed_) return true;
  }
  return true;
}

void PeerConnection::on_tick(Steady::time_point now) {
  if (closed_) return;
  if (link_ == nullptr) {
    if (now < handshake_until_) return;
    counts_->timed_out();
    on_timeout();
    return close("It did not answer in time.");
  }
  if (std::exchange(received_since_tick_, false)) received_at_ = now;
  if (now - received_at_ >= kSilence) return close("It has been silent for 3 seconds.");
  if (now - beat_ < kHeartbeat) return;
  beat_ = now;
  send(peer_frames::Heartbeat{});
}

void PeerConnection::close(const std::string& why) {
  if (std::exchange(closed_, true)) return;
  const auto self = shared_from_this();
  if (watched_ != 0) {
    loop_->unwatch(std::exchange(watched_, 0), link_ ? link_->socket() : socket_.get());
  }
  if (link_) {
    link_->break_off();
    --counts_->connections;
  }
  socket_.reset();
  bodies_.clear();
  on_closed(why);
}

void PeerConnection::send(const peer_frames::Frame& frame) {
  std::string bytes;
  peer_frames::append(bytes, frame);
  link_->send(bytes);
}

}  // namespace tilth
