// Carries a streamed body from the thread that writes it to the connection that sends it.

#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "api/http/http.h"
#include "infra/http/memory_budget.h"

namespace tilth {

// Operation: what is queued is counted in the budget of streams. While that has no room, a pipe
// takes one piece at a time.
//
// Threads: one writes, one takes. Nothing survives a crash.
class BodyPipe {
 public:
  static constexpr std::size_t kWindowBytes = std::size_t{512} << 10;  // as much again in flight

  // The writing thread calls `wake` when there is something to take after there was nothing.
  explicit BodyPipe(std::function<void()> wake, const std::shared_ptr<MemoryBudget>& memory)
      : wake_(std::move(wake)), budget_(memory), memory_(budget_->take("", 0)) {}

  // For the writer. Waits while more than the window is queued; false when closed.
  bool write(std::string piece);
  void finish(bool properly);
  bool closed() const;
  bool has_room() const;  // for a piece of up to the window, without waiting
  void on_room(std::function<void()> moved);

  // For the connection.
  struct Taken {
    std::string bytes;
    std::unique_ptr<MemoryShare> memory = {};  // of the bytes
    enum class End : std::uint8_t { kNotYet, kEnded, kAbandoned } end = End::kNotYet;
  };
  Taken take();
  void close();    // drops what is queued and everything later
  void decline();  // what is queued can still be taken; no more is accepted

 private:
  void put(const std::function<void()>& change);
  void notify_writer();
  bool fits(std::size_t bytes);

  const std::function<void()> wake_;
  const std::shared_ptr<MemoryBudget> budget_;
  mutable std::mutex mutex_;
  std::unique_ptr<MemoryShare> memory_;  // of what is queued
  std::condition_variable taken_;
  std::shared_ptr<const std::function<void()>> moved_;  // null: the writer waits in write()
  Taken queued_;
  bool declined_ = false;
  bool closed_ = false;
  bool woken_ = false;
};

// The writer's end.
class PipeWriter final : public BodyStream {
 public:
  explicit PipeWriter(std::shared_ptr<BodyPipe> pipe) : pipe_(std::move(pipe)) {}
  ~PipeWriter() override { pipe_->finish(false); }

  bool write(std::string piece) override { return pipe_->write(std::move(piece)); }
  bool closed() const override { return pipe_->closed(); }
  bool has_room() const override { return pipe_->has_room(); }
  void on_room(std::function<void()> moved) override { pipe_->on_room(std::move(moved)); }
  void end() override { pipe_->finish(true); }

 private:
  std::shared_ptr<BodyPipe> pipe_;
};

}  // namespace tilth
