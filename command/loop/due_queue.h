// Bounds how much of what has fallen due is decided before it is folded. What is folded soon finds
// the event and the rows that it was decided on in caches.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace tilth {

// Belongs to the loop's thread.
class DueQueue {
 public:
  // What an event takes of the bytes, until it is destroyed.
  using Share = std::shared_ptr<void>;
  struct Waiting {
    std::string stream;
    std::uint64_t job;
  };

  // `bytes`: of events that are not folded yet. One more may be decided while there are fewer.
  explicit DueQueue(std::size_t bytes) : bytes_(bytes) {}

  bool has_room() const { return *taken_ < bytes_; }

  Share take(std::size_t bytes) {
    *taken_ += bytes;
    return {nullptr, [taken = taken_, bytes](std::nullptr_t) { *taken -= bytes; }};
  }

  void wait(std::string stream, std::uint64_t job) { waiting_.push_back({std::move(stream), job}); }

  // Removes the one that has waited longest. Null: none waits, or there is no room.
  std::optional<Waiting> next() {
    if (waiting_.empty() || !has_room()) return std::nullopt;
    auto first = std::move(waiting_.front());
    waiting_.pop_front();
    return first;
  }

 private:
  const std::size_t bytes_;
  const std::shared_ptr<std::size_t> taken_ = std::make_shared<std::size_t>(0);
  std::deque<Waiting> waiting_;
};

}  // namespace tilth
