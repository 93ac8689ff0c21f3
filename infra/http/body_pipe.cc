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
    taken_.wait(lock, [&] { return declined_ || fits(piece.size()); });
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

// An empty pipe takes any piece, so that every stream goes on.
bool BodyPipe::fits(std::size_t bytes) {
  const auto queued = queued_.bytes.size();
  if (queued > kWindowBytes) return false;
  return memory_->resize(queued + bytes) || queued == 0;
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

bool BodyPipe::has_room() const {
  const std::lock_guard lock(mutex_);
  const auto queued = queued_.bytes.size();
  if (declined_ || queued == 0) return true;
  return queued <= kWindowBytes && memory_->resize(queued + kWindowBytes);
}

void BodyPipe::on_room(std::function<void()> moved) {
  const std::lock_guard lock(mutex_);
  moved_ = std::make_shared<const std::function<void()>>(std::move(moved));
}

BodyPipe::Taken BodyPipe::take() {
  Taken taken;
  {
    const std::lock_guard lock(mutex_);
    woken_ = false;
    taken = std::exchange(queued_, Taken{{}, {}, queued_.end});
    taken.memory = std::exchange(memory_, budget_->take("", 0));
  }
  notify_writer();
  return taken;
}

void BodyPipe::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = declined_ = true;
    queued_.bytes = {};
    memory_->resize(0);
  }
  notify_writer();
}

void BodyPipe::decline() {
  {
    const std::lock_guard lock(mutex_);
    declined_ = true;
  }
  notify_writer();
}

void BodyPipe::notify_writer() {
  std::shared_ptr<const std::function<void()>> moved;
  {
    const std::lock_guard lock(mutex_);
    moved = moved_;
    taken_.notify_one();
  }
  if (moved) (*moved)();
}

}  // namespace tilth
