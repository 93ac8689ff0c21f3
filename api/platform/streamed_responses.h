// Responses of any length, sent at their clients' pace, none of which has a thread of its own.

#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "api/http/http.h"
#include "api/platform/fair_executor.h"
#include "api/platform/fair_places.h"

namespace tilth {

// What a streamed response consists of. Threads: one at a time.
class PieceSource {
 public:
  enum class Next : std::uint8_t {
    kMore,   // there may be more at once
    kIdle,   // there is nothing more until is_due(), or a call of wake()
    kEnd,    // complete
    kBreak,  // it breaks off, and the client can tell
  };

  virtual ~PieceSource() = default;

  // Appends the next piece, on a thread of the executor. Cheap enough for a slice, or it asks the
  // token; when that says no: kBreak.
  virtual Next next(std::string& piece, WorkToken& token) = 0;

  // Whether to call next() now, although it was idle. Asked several times a second; cheap.
  virtual bool is_due() { return false; }

  // Called once, first. `wake` may be called on any thread, at any time.
  virtual void wake_with(std::function<void()> /*wake*/) {}
};

// Operation: a piece is produced when the client has room for it, as work of the executor. So an
// unread response costs its window and nothing else, and the server closes it after its write
// deadline.
//
// Threads: any. Destroying it cuts the responses short and waits for pieces in progress.
class StreamedResponses {
 public:
  // Must outlive it.
  explicit StreamedResponses(FairExecutor& executor);
  ~StreamedResponses();

  // Sends a response that has begun. `place` is released at its end.
  void send(std::string owner, std::unique_ptr<BodyStream> body,
            std::unique_ptr<PieceSource> source, FairPlaces::Place place);

 private:
  struct Stream;
  using StreamPtr = std::shared_ptr<Stream>;

  void wake(const StreamPtr& stream, bool moved);
  void post(const StreamPtr& stream);
  void pump(const StreamPtr& stream, WorkToken& token);
  bool sleep(Stream& stream, bool idle);
  void end(const StreamPtr& stream);
  void tick();

  FairExecutor& executor_;
  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  std::set<StreamPtr> streams_;
  std::size_t posted_ = 0;
  bool closing_ = false;
  std::thread ticker_;
};

}  // namespace tilth
