// One request and its response, with the headers that every response carries.

#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/http/content_coding.h"
#include "api/http/http.h"
#include "api/http/path_segments.h"
#include "api/http/request_span.h"
#include "api/usage/rate_limiter.h"
#include "events/log/event_log.h"
#include "events/values/ids.h"
#include "events/values/result.h"

namespace tilth {

// What is counted for every response. `route` is the matched pattern, or "" if there was none.
struct Answered {
  std::string_view method;
  std::string_view route;
  int status = 0;
  std::chrono::nanoseconds took{0};
  std::optional<RatedBy> refused_by = {};  // for a 429: whose window is used up
  bool replayed = false;                   // the stored response of an Idempotency-Key
  std::string_view request_id = {};
  // Of a request with a valid API key, whether it was admitted or not; else empty.
  std::string_view owner = {}, key_id = {};
  std::string_view address = {};
  std::string_view path = {};
  std::string_view traceparent = {};  // empty: it is part of no trace
  const RequestSpan* span = nullptr;  // null: it is not exported
};

class Exchange;

// Counts requests against a rate limit.
class RequestCounter {
 public:
  virtual ~RequestCounter() = default;
  // The request, which was counted, does not count after all. Returns the time.
  virtual Timestamp take_back(const Exchange& exchange) const = 0;
};

// Threads: one at a time. Responds once.
class Exchange : public std::enable_shared_from_this<Exchange> {
 public:
  using OnAnswered = std::function<void(const Answered&)>;
  // Runs, on another thread, work for that owner that takes more than some milliseconds. The work
  // calls its argument about every millisecond.
  using RunElsewhere = std::function<void(
      const std::string& owner, std::function<void(const std::function<void()>& yield)> work)>;

  Exchange(HttpRequest request, std::unique_ptr<Responder> responder, std::string request_id,
           OnAnswered on_answered);

  const HttpRequest& request() const { return request_; }
  std::span<const std::string_view> segments() const { return segments_.all(); }  // of its path
  const std::string& request_id() const { return request_id_; }
  // What its events name as their trace: its own span, or the caller's if it has none.
  const std::string& traceparent() const { return traceparent_; }
  // Where its command notes its times; null: it is not exported.
  std::shared_ptr<CommandTimes> command_times() const;
  void set_trace(std::string_view traceparent, std::shared_ptr<RequestSpan> span = nullptr);
  void set_route(std::string_view pattern) { route_ = pattern; }
  // `counter`: what has counted the request, and takes that back if the response is a 429.
  void set_rate(const RateVerdict& rate, const RequestCounter* counter = nullptr) {
    rate_ = rate;
    counter_ = counter;
  }
  void set_replayed() { replayed_ = true; }
  void set_elsewhere(const RunElsewhere& run) { elsewhere_ = &run; }  // must outlive it
  void set_over_tls() { over_tls_ = true; }  // the client reached a proxy of ours through TLS
  bool abandoned() const { return responder_->abandoned(); }  // see Responder; until the response
  // Who asks, with valid credentials: the memory that a large response takes is on their account.
  void set_account(std::string user_id);
  // Its API key, whose key that is, and the client's address.
  void set_key(std::string_view owner, std::string_view key_id, std::string_view address);
  const std::string& account() const { return account_; }
  const std::string& key_id() const { return key_id_; }

  // Adds X-Request-Id, the three rate headers, and what keeps a browser from storing or guessing:
  // unless the response has its own Cache-Control, it may not be stored. Sends 304 if If-None-Match
  // matches. Compresses a body of 1 KiB or more if the client accepts that; `shared_body` is sent
  // as it is.
  void answer(HttpResponse response);
  void answer(const Error& error);

  // From now on `hold` gets the response instead of the client, once, and calls `send`, on any
  // thread, when it may go out. A streamed response is not held.
  using Hold = std::function<void(const HttpResponse& response, std::function<void()> send)>;
  void hold_response(Hold hold) { hold_ = std::move(hold); }

  // Starts a streamed response: its head, with the same headers.
  std::unique_ptr<BodyStream> stream(HttpResponse head);

 private:
  // From this size on, a body that waits for its client counts against the memory budget.
  static constexpr std::size_t kLargeBody = std::size_t{16} << 10;
  // From this size on a body is compressed; and from this size on elsewhere.
  static constexpr std::size_t kCompressed = std::size_t{1} << 10;
  static constexpr std::size_t kCompressedElsewhere = std::size_t{256} << 10;

  bool is_unchanged(const HttpResponse& response) const;
  ContentCoding negotiate(HttpResponse& response) const;
  void take_back_count(const HttpResponse& refused);
  void complete(HttpResponse& response) const;
  void respond(HttpResponse response, ContentCoding coding);
  void count(int status) const;

  const HttpRequest request_;
  const PathSegments segments_{request_.path};
  const std::shared_ptr<Responder> responder_;
  const std::string request_id_;
  std::string traceparent_;
  std::shared_ptr<RequestSpan> span_;
  const OnAnswered on_answered_;
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::string_view route_;
  std::optional<RateVerdict> rate_;
  const RequestCounter* counter_ = nullptr;
  std::string account_;
  std::string key_owner_, key_id_, address_;
  const RunElsewhere* elsewhere_ = nullptr;
  Hold hold_;
  bool replayed_ = false;
  bool over_tls_ = false;
};

// Keeps browsers from storing it, unless it has its own Cache-Control, and from guessing its type.
void keep_private(HttpResponse& response);

// The three headers that show what remains of the rate limit.
void show_rate(const RateVerdict& rate, HttpResponse& response);

// The caller's X-Request-Id if it sent 1-128 printable ASCII characters, else `fresh`.
std::string request_id_of(const HttpRequest& request, const std::function<Uuid()>& fresh);

// The value of Tilth-Position and Tilth-Min-Position, opaque to clients. Null: malformed.
std::string position_token(const Position& position);
std::optional<Position> read_position_token(std::string_view token);

}  // namespace tilth
