// How other threads reach a worker: letters about one of its connections, named by a number that is
// never used twice, so that nothing meant for a client can reach the next one with its socket.

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
  bool welcome = true;  // else it is told that the server is full
};
struct StreamBegins {
  HttpResponse head;
  std::shared_ptr<BodyPipe> pipe;
};
struct StreamMoves {};  // its pipe has something to take
struct Unanswered {};   // the responder died
struct DrainBegins {};

struct WorkerMessage {
  std::uint64_t connection = 0;
  std::uint64_t request = 0;  // counted per connection
  std::variant<NewClient, HttpResponse, StreamBegins, StreamMoves, Unanswered, DrainBegins> content;
};

// What a worker does with a letter.
class WorkerMessageReader {
 public:
  virtual ~WorkerMessageReader() = default;
  virtual void read(WorkerMessage message) = 0;
};

// Threads: post() from any, at any time, also when the worker is gone; the rest from the worker's.
class Mailbox {
 public:
  Mailbox();
  ~Mailbox();
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  // In the worker's own thread it is read at once. A letter to a worker that is gone is dropped,
  // and its pipe closed.
  void post(WorkerMessage message);

  // Like post(), but never read before post_later() returns.
  void post_later(WorkerMessage message);

  int event_fd() const { return event_.get(); }
  std::vector<WorkerMessage> take();

  // Says that this thread is the worker's.
  void belongs_to(WorkerMessageReader& reader);
  void close();

 private:
  const Descriptor event_;
  std::mutex mutex_;
  std::vector<WorkerMessage> letters_;
  bool closed_ = false;
};

}  // namespace tilth
