#include "infra/peers/peer_link.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <sys/socket.h>

namespace tilth {
namespace {

constexpr std::size_t kReceiveBytes = 2 * (PeerChannel::kLengthBytes + PeerChannel::kMostSealed);
constexpr std::size_t kMostReadAtOnce = std::size_t{256} << 10;

}  // namespace

PeerLink::PeerLink(Descriptor socket, std::unique_ptr<PeerChannel> channel,
                   std::shared_ptr<PeerCounts> counts)
    : socket_(std::move(socket)),
      channel_(std::move(channel)),
      counts_(std::move(counts)),
      received_(kReceiveBytes, '\0') {}

std::uint64_t PeerLink::send(std::string_view frame) {
  const std::lock_guard lock(mutex_);
  if (broken_ || ends_) return sealed_end_;
  if (plain_.size() + frame.size() > PeerChannel::kMostPlain) seal();
  const auto place = sealed_end_;
  plain_ += frame;
  if (plain_.size() >= kTogether || !Turn::put_off(shared_from_this())) write();
  return place;
}

std::uint64_t PeerLink::given() const {
  const std::lock_guard lock(mutex_);
  return given_;
}

std::size_t PeerLink::waiting() const {
  const std::lock_guard lock(mutex_);
  return plain_.size() + sealed_.size() - written_;
}

void PeerLink::flush() {
  const std::lock_guard lock(mutex_);
  write();
}

void PeerLink::end_sending() {
  const std::lock_guard lock(mutex_);
  ends_ = true;
  write();
}

void PeerLink::seal() {
  if (plain_.empty()) return;
  const auto before = sealed_.size();
  channel_->seal(plain_, sealed_);
  sealed_end_ += sealed_.size() - before;
  plain_.clear();
}

// Gives the kernel as much as it takes. It reports when it takes more.
void PeerLink::write() {
  if (broken_) return;
  seal();
  while (written_ < sealed_.size()) {
    const auto sent = ::send(socket_.get(), sealed_.data() + written_, sealed_.size() - written_,
                             MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (sent < 0) return fail();
    written_ += static_cast<std::size_t>(sent);
    given_ += static_cast<std::uint64_t>(sent);
    counts_->sent_bytes += static_cast<std::uint64_t>(sent);
  }
  if (written_ == sealed_.size()) {
    sealed_.clear();
    written_ = 0;
    if (ends_) ::shutdown(socket_.get(), SHUT_WR);
  } else if (written_ > PeerChannel::kMostSealed) {
    sealed_.erase(0, written_);
    written_ = 0;
  }
}

void PeerLink::break_off() {
  const std::lock_guard lock(mutex_);
  fail();
}

// The loop's thread learns it from the socket.
void PeerLink::fail() {
  broken_ = true;
  plain_.clear();
  sealed_.clear();
  written_ = 0;
  ::shutdown(socket_.get(), SHUT_RDWR);
}

PeerLink::Read PeerLink::receive(bool to_the_end,
                                 const std::function<bool(std::string_view frames)>& take) {
  for (std::size_t read = 0; read < kMostReadAtOnce;) {
    const auto room = received_.size() - received_bytes_;
    const auto got = ::recv(socket_.get(), received_.data() + received_bytes_, room, MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return Read::kAll;
    if (got < 0) return Read::kBroken;
    if (got == 0) return Read::kEnded;
    received_bytes_ += static_cast<std::size_t>(got);
    read += static_cast<std::size_t>(got);
    counts_->received_bytes += static_cast<std::uint64_t>(got);
    auto unread = std::string_view(received_).substr(0, received_bytes_);
    while (unread.size() >= PeerChannel::kLengthBytes) {
      const auto sealed = PeerChannel::sealed_bytes(unread);
      if (!sealed) return Read::kNonsense;
      if (unread.size() < PeerChannel::kLengthBytes + *sealed) break;
      if (!channel_->open(unread.substr(PeerChannel::kLengthBytes, *sealed), opened_) ||
          !take(opened_)) {
        return Read::kNonsense;
      }
      unread.remove_prefix(PeerChannel::kLengthBytes + *sealed);
    }
    std::memmove(received_.data(), unread.data(), unread.size());
    received_bytes_ = unread.size();
    // Less than was asked for: there is no more now, and more is reported.
    if (!to_the_end && static_cast<std::size_t>(got) < room) return Read::kAll;
  }
  return Read::kMore;
}

}  // namespace tilth
