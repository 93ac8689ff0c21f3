// The responses of one connection, sent in the order of its requests, in whatever order they
// arrive.

#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <variant>

#include "api/http/http.h"
#include "infra/http/body_pipe.h"
#include "infra/http/memory_budget.h"
#include "infra/http/response_head.h"
#include "infra/http/send_queue.h"

namespace tilth {

// Threads: the connection's.
class ResponseQueue {
 public:
  ResponseQueue() = default;
  ~ResponseQueue() { abandon(); }
  ResponseQueue(const ResponseQueue&) = delete;
  ResponseQueue& operator=(const ResponseQueue&) = delete;

  // Reserves a place for the response to the next request; returns its number.
  std::uint64_t expect(const AnswerForm& form);
  void expect_continue();  // a 100, which needs no put()

  // A response whose place is gone is dropped.
  void put(std::uint64_t number, HttpResponse response, std::unique_ptr<MemoryShare> memory = {});
  void put(std::uint64_t number, HttpResponse head, std::shared_ptr<BodyPipe> pipe);

  // Writes what is due. At most about kAhead bytes of streams are queued ahead of the socket.
  void advance(SendQueue& out);

  // The response to the last request so far will be the connection's last.
  void drain();

  // The client is gone: closes the pipes and drops the responses.
  void abandon();

  bool empty() const { return places_.empty(); }
  std::size_t size() const { return places_.size(); }
  std::size_t unanswered() const { return unanswered_; }        // requests without a response yet
  std::size_t waiting_bytes() const { return waiting_bytes_; }  // of responses not written yet
  bool streaming() const;

  // Whether nothing follows what was written: that was the last response, or a stream was
  // abandoned.
  enum class End : std::uint8_t { kNotYet, kComplete, kCutShort, kCutUnseen };
  End end() const { return end_; }

 private:
  struct Waiting {};
  struct Continue {};
  struct Whole {
    HttpResponse response;
    std::unique_ptr<MemoryShare> memory;
  };
  struct Stream {
    HttpResponse head;
    std::shared_ptr<BodyPipe> pipe;
    bool begun = false;
  };
  struct Place {
    AnswerForm form;
    std::variant<Waiting, Continue, Whole, Stream> answer;
  };

  static constexpr std::size_t kAhead = std::size_t{64} << 10;

  Place* find(std::uint64_t number);
  void write(const AnswerForm& form, Whole& whole, SendQueue& out);
  bool write(Place& place, Stream& stream, SendQueue& out);  // true when it is complete
  void leave(bool keep_alive);

  std::deque<Place> places_;
  std::uint64_t first_ = 0;  // number of the first place
  std::size_t unanswered_ = 0;
  std::size_t waiting_bytes_ = 0;
  End end_ = End::kNotYet;
  bool draining_ = false;
};

}  // namespace tilth
