#include "api/platform/streamed_responses.h"

#include <chrono>
#include <utility>
#include <vector>

#include "api/platform/thread_name.h"

namespace tilth {
namespace {

// How often idle responses are asked whether they are due.
constexpr std::chrono::milliseconds kTick{250};

}  // namespace

struct StreamedResponses::Stream {
  enum class State : std::uint8_t { kRunning, kFull, kIdle, kOver };

  std::string owner;
  std::unique_ptr<BodyStream> body;
  std::unique_ptr<PieceSource> source;
  FairPlaces::Place place;

  std::mutex mutex;  // guards the members below; not held while a piece is produced
  State state = State::kRunning;
  bool woken = false;  // while it ran
};

StreamedResponses::StreamedResponses(FairExecutor& executor) : executor_(executor) {
  ticker_ = std::thread([this] { tick(); });
}

StreamedResponses::~StreamedResponses() {
  std::set<StreamPtr> left;
  {
    std::unique_lock lock(mutex_);
    closing_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return posted_ == 0; });
    left.swap(streams_);
  }
  ticker_.join();
  for (const auto& stream : left) end(stream);
}

void StreamedResponses::send(std::string owner, std::unique_ptr<BodyStream> body,
                             std::unique_ptr<PieceSource> source, FairPlaces::Place place) {
  auto stream = std::make_shared<Stream>();
  stream->owner = std::move(owner);
  stream->body = std::move(body);
  stream->source = std::move(source);
  stream->place = std::move(place);
  // The server may keep both functions longer than the response lives.
  const auto wakes = [&](bool moved) {
    return [this, moved, weak = std::weak_ptr(stream)] {
      if (const auto still_there = weak.lock()) wake(still_there, moved);
    };
  };
  stream->body->on_room(wakes(true));
  stream->source->wake_with(wakes(false));
  {
    const std::lock_guard lock(mutex_);
    if (closing_) return;
    streams_.insert(stream);
  }
  post(stream);
}

// `moved`: its body did; else its source has something.
void StreamedResponses::wake(const StreamPtr& stream, bool moved) {
  {
    const std::lock_guard lock(stream->mutex);
    using State = Stream::State;
    stream->woken = stream->woken || stream->state == State::kRunning;
    const bool runs = moved ? stream->state == State::kFull ||
                                  (stream->state == State::kIdle && stream->body->closed())
                            : stream->state == State::kIdle;
    if (!runs) return;
    stream->state = State::kRunning;
  }
  post(stream);
}

// A running stream continues on the executor.
void StreamedResponses::post(const StreamPtr& stream) {
  {
    const std::lock_guard lock(mutex_);
    if (closing_) return;
    ++posted_;
  }
  const auto posted = executor_.post({.owner = stream->owner,
                                      .kind = WorkKind::kStream,
                                      .run =
                                          [this, stream](WorkToken& token) {
                                            pump(stream, token);
                                            const std::lock_guard lock(mutex_);
                                            if (--posted_ == 0) changed_.notify_all();
                                          },
                                      .continues = true});
  if (posted) return;
  end(stream);
  const std::lock_guard lock(mutex_);
  if (--posted_ == 0) changed_.notify_all();
}

void StreamedResponses::pump(const StreamPtr& stream, WorkToken& token) {
  using Next = PieceSource::Next;
  auto& body = *stream->body;
  for (;;) {
    if (body.closed() || !token.go_on()) return end(stream);
    if (!body.has_room()) {
      if (sleep(*stream, false)) return;
      continue;
    }
    std::string piece;
    const auto next = stream->source->next(piece, token);
    if (!piece.empty() && !body.write(std::move(piece))) return end(stream);
    if (next == Next::kEnd) body.end();
    if (next == Next::kEnd || next == Next::kBreak) return end(stream);
    if (next == Next::kIdle && sleep(*stream, true)) return;
  }
}

// False if it was woken meanwhile.
bool StreamedResponses::sleep(Stream& stream, bool idle) {
  const std::lock_guard lock(stream.mutex);
  if (std::exchange(stream.woken, false)) return false;
  stream.state = idle ? Stream::State::kIdle : Stream::State::kFull;
  return true;
}

// Without end() before it, the response breaks off.
void StreamedResponses::end(const StreamPtr& stream) {
  {
    const std::lock_guard lock(stream->mutex);
    stream->state = Stream::State::kOver;
  }
  stream->source.reset();
  stream->body.reset();
  stream->place.reset();
  const std::lock_guard lock(mutex_);
  streams_.erase(stream);
}

void StreamedResponses::tick() {
  name_thread("streams");
  for (;;) {
    std::vector<StreamPtr> all;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return closing_ || !streams_.empty(); });
      changed_.wait_for(lock, kTick, [this] { return closing_; });
      if (closing_) return;
      all.assign(streams_.begin(), streams_.end());
    }
    for (const auto& stream : all) {
      bool due = false;
      {
        const std::lock_guard lock(stream->mutex);
        due = stream->state == Stream::State::kIdle && stream->source->is_due();
      }
      if (due) wake(stream, false);
    }
  }
}

}  // namespace tilth
