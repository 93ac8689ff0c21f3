// How other threads reach a worker: messages for one of its connections, addressed by a number that
// is never reused, so that no message for a client can reach the next one with the same socket.

#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

#include "api/http/http.h"
#include "infra/http/body_pipe.h"
#include "infra/http/descriptor.h"

namespace tilth {

struct NewClient {
  Descriptor socket;
  std::string peer;
  bool welcome = true;  // else it is refused: the server is full
};
struct StreamBegins {
  HttpResponse head;
  std::shared_ptr<BodyPipe> pipe;
};
struct StreamMoves {};  // its pipe has something to take
struct Unanswered {};   // the responder was destroyed
struct DrainBegins {};

struct WorkerMessage {
  std::uint64_t connection = 0;
  std::uint64_t request = 0;  // counted per connection
  std::variant<NewClient, HttpResponse, StreamBegins, StreamMoves, Unanswered, DrainBegins> content;
};

// Handles a worker's messages.
class WorkerMessageReader {
 public:
  virtual ~WorkerMessageReader() = default;
  virtual void read(WorkerMessage message) = 0;
};

// Threads: post() and post_later() from any, at any time, even when the worker is gone; the rest
// from the worker's.
class Mailbox {
 public:
  Mailbox();
  ~Mailbox();
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  // On the worker's own thread the message is read at once. A message to a worker that is gone is
  // dropped, and its pipe is closed.
  void post(WorkerMessage message);

  // Like post(), but the message is never read within the call.
  void post_later(WorkerMessage message);

  int event_fd() const { return event_.get(); }
  std::vector<WorkerMessage> take();

  // Declares the calling thread the worker's.
  void belongs_to(WorkerMessageReader& reader);
  void close();

 private:
  const Descriptor event_;
  std::mutex mutex_;
  std::vector<WorkerMessage> messages_;
  bool closed_ = false;
};

}  // namespace tilth
