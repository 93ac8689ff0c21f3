// One client's connection: reads requests for the handler, sends the responses, and limits every
// wait for the client by a deadline.

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "api/http/http.h"
#include "infra/http/mailbox.h"
#include "infra/http/refusal_budget.h"
#include "infra/http/request_reader.h"
#include "infra/http/response_queue.h"
#include "infra/http/send_queue.h"
#include "infra/http/server_options.h"
#include "infra/system/descriptor.h"

namespace tilth {

// What a connection needs from its worker.
struct ConnectionHome {
  const ServerOptions& options;
  HttpHandler& handler;
  const std::shared_ptr<Mailbox>& mailbox;
  RefusalBudget& refusals;
};

// How little is lost by closing a connection in favor of a new one; the least is closed first.
struct Dispensability {
  bool vouched = false;        // its client has shown valid credentials
  std::int64_t neighbors = 0;  // connections of its address
  bool in_request = false;     // a request has begun to arrive, or an unread response waits
  std::chrono::steady_clock::time_point since;
};

// Threads: its worker's. After each call the worker checks wants() and closed().
class Connection {
 public:
  using Clock = std::chrono::steady_clock;

  struct Interest {
    bool read = true;
    bool write = false;
    bool operator==(const Interest&) const = default;
  };

  Connection(const ConnectionHome& home, std::uint64_t id, NewClient client);

  // The server is full: responds with 503 and closes.
  void turn_away();

  // Null: it has to stay, since a request or a response of it makes progress.
  std::optional<Dispensability> dispensability(Clock::time_point now) const;
  // Closes it; a request that has begun to arrive gets a 503. False: one has just arrived.
  bool evict();
  // Closes it: what is under way for its client is abandoned.
  void abort();
  const AddressGroup& group() const { return *group_; }
  const Party& party() const { return party_; }

  void on_ready(bool readable, bool writable);
  void on_answer(std::uint64_t request, BuiltAnswer answer);
  void on_stream(std::uint64_t request, StreamBegins stream);
  void on_stream_moved();
  void on_unanswered(std::uint64_t request);
  void on_tick(Clock::time_point now);
  void drain();

  // How long no request of it begins, nor is a refusal sent: it costs the others too much. Ends
  // with end_rest(). Zero: it does not rest.
  std::chrono::milliseconds rest() const { return rest_; }
  void end_rest();

  int socket() const { return socket_.get(); }
  Interest wants() const;
  bool closed() const { return state_ == State::kClosed; }

 private:
  enum class State : std::uint8_t {
    kOpen,
    kLingering,  // everything is sent; what the client still sends is dropped
    kClosed,
  };

  ReaderLimits limits();
  void receive();
  void drop_input();
  void dispatch();
  void dispatch(CompleteRequest read);
  bool may_overlap(const HttpRequest& request) const;
  void refuse_request(int status, std::string_view reason);
  void refuse(int status, std::string_view reason);
  bool has_room() const;
  void learn(std::size_t answer_bytes);
  void begin_turn();
  bool may_dispatch() const;
  void vouch(const std::optional<Party>& party);
  void note_refusal(int status);
  void begin_rest(std::chrono::milliseconds rest);
  void note_phase();
  void advance();
  bool flush();
  void finish();
  const char* overdue(Clock::time_point now);
  bool body_stalls(Clock::time_point now);

  const ConnectionHome home_;
  const std::uint64_t id_;
  const Descriptor socket_;
  const std::string peer_;
  const std::shared_ptr<AddressGroup> group_;
  RequestReader reader_;
  const std::shared_ptr<std::atomic<bool>> gone_ = std::make_shared<std::atomic<bool>>(false);
  std::optional<CompleteRequest> next_;  // must not begin before the earlier ones are answered
  bool changing_ = false;                // the last one that began is not safe
  ResponseQueue answers_;
  SendQueue out_;

  State state_ = State::kOpen;
  bool busy_ = false;          // inside dispatch() or advance(), which will handle new responses
  bool paused_ = false;        // requests wait here or in the reader, for which there is no room
  bool input_over_ = false;    // no further requests are read
  bool client_ended_ = false;  // it will send nothing more
  bool draining_ = false;
  bool yields_ = false;  // there is more to do, once others have had their turns
  bool held_ = false;    // a refusal waits for the end of the rest
  std::chrono::milliseconds rest_{0};
  Party party_;
  std::size_t window_;  // how many requests may wait for their responses at a time

  Clock::time_point turn_ends_{};
  std::size_t sent_in_turn_ = 0;
  std::size_t refusals_ = 0;  // in a row, each within a second of the one before
  Clock::time_point refused_at_{};

  Clock::time_point phase_since_ = Clock::now();  // of the reader
  Clock::time_point idle_since_ = phase_since_;
  Clock::time_point sent_since_ = phase_since_;
  Clock::time_point lingers_since_ = phase_since_;
  RequestReader::Phase phase_ = RequestReader::Phase::kBetween;
  std::size_t body_bytes_ = 0;  // since phase_since_
};

}  // namespace tilth
