// The bodies that one node is sending to another on one connection, in turn, each as far as the
// other node has allowed.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "api/http/http.h"
#include "infra/http/body_pipe.h"
#include "infra/http/memory_budget.h"
#include "infra/peers/peer_link.h"

namespace tilth {

// Threads: the loop's.
class PeerBodies {
 public:
  // Where one comes from.
  class Source {
   public:
    enum class Then : std::uint8_t { kMore, kWait, kEnd, kCut, kFailed };
    struct Taken {
      std::string_view bytes;  // until the next call
      Then then;
    };
    virtual ~Source() = default;
    virtual Taken take(std::size_t most) = 0;
    virtual void close() {}    // it is not needed any more
    virtual void decline() {}  // it should end
  };

  // `ended` gets the number of each that was sent to its end, or whose source failed.
  explicit PeerBodies(std::function<void(std::uint64_t id, Source::Then how)> ended)
      : ended_(std::move(ended)) {}
  ~PeerBodies() { clear(); }
  PeerBodies(const PeerBodies&) = delete;
  PeerBodies& operator=(const PeerBodies&) = delete;

  // What is said at the end of a `streamed` one is a frame of its own.
  void add(std::uint64_t id, std::unique_ptr<Source> source, bool streamed, std::uint64_t credit);
  // False: none of this number is being sent, not yet or not any more.
  bool credit(std::uint64_t id, std::uint64_t bytes);
  void wake(std::uint64_t id);  // its source has more
  void remove(std::uint64_t id);
  void clear();
  void decline();

  // Sends as much as the link has room for.
  void send(PeerLink& link);

 private:
  struct Body {
    std::unique_ptr<Source> source;
    bool streamed = false;
    bool queued = false;
    std::uint64_t credit = 0;
  };
  void queue(std::uint64_t id, Body& body);
  bool send_piece(std::uint64_t id, Body& body, PeerLink& link);

  const std::function<void(std::uint64_t id, Source::Then how)> ended_;
  std::unordered_map<std::uint64_t, Body> bodies_;
  std::deque<std::uint64_t> ready_;
  std::string frame_;
};

// The rest of bytes in memory.
class BytesSource final : public PeerBodies::Source {
 public:
  // `owner` keeps them, and `memory` is their part of a budget; both may be null.
  BytesSource(std::string_view bytes, std::shared_ptr<const void> owner,
              std::unique_ptr<MemoryShare> memory)
      : rest_(bytes), owner_(std::move(owner)), memory_(std::move(memory)) {}
  Taken take(std::size_t most) override;

 private:
  std::string_view rest_;
  const std::shared_ptr<const void> owner_;
  const std::unique_ptr<MemoryShare> memory_;
};

// A body in a file.
class FileSource final : public PeerBodies::Source {
 public:
  explicit FileSource(std::shared_ptr<LargeBody> body) : body_(std::move(body)) {}
  Taken take(std::size_t most) override;

 private:
  const std::shared_ptr<LargeBody> body_;
  std::string piece_;
};

// What another thread writes.
class PipeSource final : public PeerBodies::Source {
 public:
  explicit PipeSource(std::shared_ptr<BodyPipe> pipe) : pipe_(std::move(pipe)) {}
  ~PipeSource() override { pipe_->close(); }
  Taken take(std::size_t most) override;
  void close() override { pipe_->close(); }
  void decline() override { pipe_->decline(); }

 private:
  const std::shared_ptr<BodyPipe> pipe_;
  BodyPipe::Taken taken_;
  std::size_t sent_ = 0;  // of what was taken
};

}  // namespace tilth
