// How other threads reach a worker: messages for one of its connections, addressed by a number that
// is never reused, so that no message for a client can reach the next one with the same socket.

#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <variant>
#include <vector>

#include "api/http/http.h"
#include "infra/http/body_pipe.h"
#include "infra/http/memory_budget.h"
#include "infra/http/open_connections.h"
#include "infra/http/party.h"
#include "infra/system/descriptor.h"

namespace tilth {

struct NewClient {
  Descriptor socket;
  std::string peer;
  std::shared_ptr<AddressGroup> group = {};
  // What stands against it: some other connection has to be closed for it, or it is refused.
  bool server_full = false;
  bool address_full = false;
  std::size_t refused_by = 0;  // workers that could close none
};
// A whole response, and the memory that was reserved for it.
struct BuiltAnswer {
  HttpResponse response;
  std::unique_ptr<MemoryShare> memory = {};
  std::optional<Party> vouched = {};  // whose valid credentials the client has shown
};
struct StreamBegins {
  HttpResponse head;
  std::shared_ptr<BodyPipe> pipe;
  std::optional<Party> vouched = {};
};
struct StreamMoves {};  // its pipe has something to take
struct Unanswered {};   // the responder was destroyed
struct DrainBegins {};
// The system says what the connection's socket can do now.
struct Ready {
  bool readable = false;
  bool writable = false;
};

struct WorkerMessage {
  std::uint64_t connection = 0;
  std::uint64_t request = 0;  // counted per connection
  std::variant<NewClient, BuiltAnswer, StreamBegins, StreamMoves, Unanswered, DrainBegins, Ready>
      content;
};

// For a message that is never read: the writer of its stream learns that nothing will come of it.
void drop(const WorkerMessage& message);

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
  // dropped, and its pipe is closed; false if that is known.
  bool post(WorkerMessage message);

  // Like post(), but the message is never read within the call.
  bool post_later(WorkerMessage message);

  int event_fd() const { return event_.get(); }
  std::vector<WorkerMessage> take();
  // Makes event_fd() readable: the worker has put messages off.
  void wake();

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
