#include "infra/http/body_pipe.h"

#include <utility>

namespace tilth {

void BodyPipe::put(const std::function<void()>& change) {
  {
    const std::lock_guard lock(mutex_);
    change();
    if (closed_ || std::exchange(woken_, true)) return;
  }
  wake_();
}

bool BodyPipe::write(std::string piece) {
  {
    std::unique_lock lock(mutex_);
    taken_.wait(lock, [&] { return declined_ || queued_.bytes.size() <= kWindowBytes; });
    if (declined_) return false;
  }
  if (piece.empty()) return true;
  put([&] {
    if (queued_.bytes.empty()) {
      queued_.bytes = std::move(piece);
    } else {
      queued_.bytes += piece;
    }
  });
  return true;
}

void BodyPipe::finish(bool properly) {
  put([&] {
    if (queued_.end == Taken::End::kNotYet) {
      queued_.end = properly ? Taken::End::kEnded : Taken::End::kAbandoned;
    }
  });
}

bool BodyPipe::closed() const {
  const std::lock_guard lock(mutex_);
  return declined_;
}

BodyPipe::Taken BodyPipe::take() {
  const std::lock_guard lock(mutex_);
  woken_ = false;
  taken_.notify_one();
  return std::exchange(queued_, Taken{{}, queued_.end});
}

void BodyPipe::close() {
  const std::lock_guard lock(mutex_);
  closed_ = declined_ = true;
  queued_.bytes = {};
  taken_.notify_one();
}

void BodyPipe::decline() {
  const std::lock_guard lock(mutex_);
  declined_ = true;
  taken_.notify_one();
}

}  // namespace tilth
