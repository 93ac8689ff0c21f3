#include "infra/http/send_queue.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <sys/socket.h>
#include <sys/uio.h>

namespace tilth {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{16} << 10;  // larger bodies are not copied
constexpr std::size_t kPiecesPerCall = 16;

}  // namespace

bool SendQueue::Piece::is_small() const {
  return own.size() < kPieceBytes && shared.bytes.empty() && memory == nullptr;
}

std::string& SendQueue::tail() {
  if (pieces_.empty() || !pieces_.back().is_small()) pieces_.emplace_back();
  return pieces_.back().own;
}

void SendQueue::append(std::string_view bytes) {
  tail() += bytes;
  grown(bytes.size());
}

void SendQueue::append(std::string&& bytes, std::unique_ptr<MemoryShare> memory) {
  if (bytes.size() < kPieceBytes) return append(std::string_view(bytes));
  grown(bytes.size());
  pieces_.push_back({std::move(bytes), {}, std::move(memory)});
}

void SendQueue::append(SharedBytes bytes) {
  if (bytes.bytes.size() < kPieceBytes) return append(bytes.bytes);
  grown(bytes.bytes.size());
  pieces_.push_back({{}, std::move(bytes), {}});
}

SendQueue::Sent SendQueue::send(int socket, std::size_t most) {
  const std::size_t before = size_;
  while (size_ > 0 && before - size_ < most) {
    std::array<iovec, kPiecesPerCall> vectors;
    msghdr message{};
    message.msg_iov = vectors.data();
    std::size_t offset = first_offset_;
    std::size_t left = most - (before - size_);
    for (const auto& piece : pieces_) {
      if (message.msg_iovlen == kPiecesPerCall || left == 0) break;
      const auto rest = piece.bytes().substr(offset, left);
      left -= rest.size();
      vectors.at(message.msg_iovlen++) = {const_cast<char*>(rest.data()), rest.size()};
      offset = 0;
    }
    const ssize_t sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno != EAGAIN && errno != EWOULDBLOCK) return Sent::kBroken;
    if (sent < 0) return size_ < before ? Sent::kSome : Sent::kNothing;
    drop(static_cast<std::size_t>(sent));
  }
  return size_ == 0 ? Sent::kAll : Sent::kSome;
}

void SendQueue::drop(std::size_t bytes) {
  size_ -= bytes;
  first_offset_ += bytes;
  while (!pieces_.empty() && first_offset_ >= pieces_.front().bytes().size()) {
    auto& front = pieces_.front();
    first_offset_ -= front.bytes().size();
    // Keeps one small piece for the next response, so that a kept-alive connection does not
    // allocate.
    if (pieces_.size() == 1 && front.own.capacity() <= 2 * kPieceBytes) {
      front.own.clear();
      front.shared = {};
      front.memory.reset();
      break;
    }
    pieces_.pop_front();
  }
}

}  // namespace tilth
