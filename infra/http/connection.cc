#include "infra/http/connection.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <utility>

#include <sys/socket.h>

#include "infra/http/mailbox_responder.h"

namespace tilth {
namespace {

constexpr std::size_t kReadBytes = std::size_t{64} << 10;
// Outside a body: what cannot be handled yet stays in memory.
constexpr std::size_t kReadHeadBytes = std::size_t{16} << 10;
// Beyond that many bytes no further request is started.
constexpr std::size_t kUnsentBytes = std::size_t{64} << 10;
// What the responses that a connection waits for may be expected to come to.
constexpr std::size_t kExpectedBytes = std::size_t{256} << 10;
constexpr std::size_t kFirstWindow = 8;
constexpr std::size_t kLeastWindow = 2;     // a lone request never stops the reading
constexpr std::chrono::seconds kStalls{1};  // then a connection may have to go if room is needed
// What a connection may do before others have their turns: requests begin within that time, and so
// many bytes are sent.
constexpr std::chrono::microseconds kTurn{250};
constexpr std::size_t kTurnBytes = std::size_t{128} << 10;
// Refusals in a row after which a client is read more slowly, unless it waits for a second.
constexpr std::size_t kRefusalsAtOnce = 8;
constexpr std::chrono::seconds kWaits{1};
constexpr std::chrono::milliseconds kRest{50};

std::array<char, kReadBytes>& read_buffer() {
  thread_local std::array<char, kReadBytes> buffer;
  return buffer;
}

bool is_safe(std::string_view method) {
  return method == "GET" || method == "HEAD" || method == "OPTIONS";
}

}  // namespace

Connection::Connection(const ConnectionHome& home, std::uint64_t id, NewClient client)
    : home_(home),
      id_(id),
      socket_(std::move(client.socket)),
      peer_(std::move(client.peer)),
      group_(std::move(client.group)),
      reader_(limits()),
      party_(group_->party),
      window_(std::min(kFirstWindow, home_.options.max_requests_in_flight)) {}

ReaderLimits Connection::limits() {
  const auto& options = home_.options;
  ReaderLimits limits;
  limits.max_body_bytes = options.max_body_bytes;
  limits.memory = options.memory->bodies;
  limits.plan = [this](HttpRequest& head) {
    head.peer = peer_;
    auto plan = home_.handler.plan_body(head);
    if (plan.vouched) party_ = Party::of_account(plan.account);
    if (plan.account.empty()) plan.account = peer_;
    return plan;
  };
  if (options.spool_directory.empty()) return limits;
  limits.spool = [&options] { return SpooledBody::make(options.spool_directory); };
  return limits;
}

void Connection::turn_away() {
  home_.options.on_turned_away();
  refuse(503, "The server has reached its limit of connections.");
  advance();
}

std::optional<Dispensability> Connection::dispensability(Clock::time_point now) const {
  using Phase = RequestReader::Phase;
  Dispensability found{party_.known, group_->open, true, lingers_since_};
  if (state_ == State::kLingering) {
    return now - lingers_since_ > kStalls ? std::optional(found) : std::nullopt;
  }
  if (held_) {
    found.since = refused_at_;
    return found;
  }
  if (!out_.empty()) {
    found.since = sent_since_;
    return now - sent_since_ > kStalls ? std::optional(found) : std::nullopt;
  }
  if (state_ != State::kOpen || !answers_.empty() || paused_) return std::nullopt;
  found.since = std::max(idle_since_, phase_since_);
  found.in_request = phase_ != Phase::kBetween;
  const bool progresses = phase_ == Phase::kBody && now - phase_since_ <= kStalls;
  return progresses ? std::nullopt : std::optional(found);
}

bool Connection::evict() {
  if (held_) {
    home_.options.on_evicted();
    end_rest();
    return abort(), true;
  }
  const bool idle = state_ == State::kOpen && out_.empty();
  char next = 0;
  if (idle && ::recv(socket_.get(), &next, 1, MSG_PEEK | MSG_DONTWAIT) > 0) return false;
  if (state_ == State::kOpen) home_.options.on_evicted();
  if (!idle || input_over_ || phase_ == RequestReader::Phase::kBetween) return abort(), true;
  begin_turn();
  refuse(503, "The server has reached its limit of connections.");
  advance();
  abort();  // without lingering, which would keep its place taken
  return true;
}

Connection::Interest Connection::wants() const {
  const bool reads = !paused_ && rest_ == rest_.zero() && !client_ended_;
  return {state_ == State::kLingering || reads, !out_.empty() || yields_};
}

void Connection::on_ready(bool readable, bool writable) {
  if (!readable && !writable) return abort();  // reset
  begin_turn();
  if (readable && state_ == State::kOpen) receive();
  if (readable && state_ == State::kLingering) return drop_input();
  advance();
}

void Connection::receive() {
  auto& buffer = read_buffer();
  const bool in_body = reader_.phase() == RequestReader::Phase::kBody;
  const ssize_t size =
      ::recv(socket_.get(), buffer.data(), in_body ? kReadBytes : kReadHeadBytes, 0);
  if (size < 0) {
    if (errno != EAGAIN && errno != EINTR) abort();
    return;
  }
  if (size == 0) {
    client_ended_ = true;
    *gone_ = true;
    if (answers_.streaming()) abort();  // a quiet stream would notice it late
    return;
  }
  if (input_over_) return;
  const std::string_view bytes(buffer.data(), static_cast<std::size_t>(size));
  body_bytes_ += bytes.size();
  reader_.feed(bytes);
  dispatch();
}

void Connection::drop_input() {
  auto& buffer = read_buffer();
  const ssize_t size = ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
  if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR)) abort();
}

// The next response is built only when the earlier ones are nearly sent.
bool Connection::has_room() const {
  return answers_.size() < home_.options.max_requests_in_flight &&
         answers_.unanswered() < window_ && out_.size() + answers_.waiting_bytes() < kUnsentBytes;
}

// How large a response is shows when it is built, so the window follows those seen so far.
void Connection::learn(std::size_t answer_bytes) {
  const auto fitting = kExpectedBytes / std::max<std::size_t>(answer_bytes, 1);
  const auto most = std::min(2 * window_, home_.options.max_requests_in_flight);
  window_ = std::clamp(fitting, std::min(kLeastWindow, most), most);
}

void Connection::begin_turn() {
  yields_ = false;
  sent_in_turn_ = 0;
  turn_ends_ = Clock::now() + kTurn;
}

bool Connection::may_dispatch() const {
  const bool waits_its_turn = (next_ || changing_) && answers_.unanswered() > 0;
  return !input_over_ && rest_ == rest_.zero() && !yields_ && !waits_its_turn && has_room();
}

// RFC 9112, 9.3.2: pipelined requests may be carried out in parallel only if all are safe.
bool Connection::may_overlap(const HttpRequest& request) const {
  return answers_.unanswered() == 0 || is_safe(request.method);
}

void Connection::dispatch() {
  busy_ = true;
  while (!input_over_) {
    yields_ = Clock::now() > turn_ends_;
    if ((paused_ = !may_dispatch())) break;
    if (auto held = std::exchange(next_, std::nullopt)) {
      dispatch(std::move(*held));
      continue;
    }
    auto outcome = reader_.next();
    if (std::holds_alternative<NeedsMore>(outcome)) break;
    if (auto* read = std::get_if<CompleteRequest>(&outcome)) {
      may_overlap(read->request) ? dispatch(std::move(*read)) : void(next_ = std::move(*read));
    }
    if (std::holds_alternative<AwaitsContinue>(outcome)) answers_.expect_continue();
    if (const auto* no = std::get_if<Refusal>(&outcome)) refuse_request(no->status, no->reason);
    phase_ = RequestReader::Phase::kBetween;  // so that the next phase counts as new
  }
  busy_ = false;
  note_phase();
}

void Connection::dispatch(CompleteRequest read) {
  AnswerForm form{read.request.method == "HEAD", read.http_1_0, read.keep_alive && !draining_};
  input_over_ = !form.keep_alive;
  changing_ = !is_safe(read.request.method);
  const auto number = answers_.expect(form);
  read.request.peer = peer_;
  try {
    home_.handler.handle(
        std::move(read.request),
        std::make_unique<MailboxResponder>(home_.mailbox, MailboxResponder::Request{id_, number},
                                           peer_, home_.options.memory, gone_));
  } catch (const std::exception& error) {
    home_.options.log("A request ended in an exception: " + std::string(error.what()));
  }
}

void Connection::refuse_request(int status, std::string_view reason) {
  if (status < 500) home_.options.on_protocol_error(status);
  refuse(status, reason);
}

void Connection::refuse(int status, std::string_view reason) {
  input_over_ = true;
  HttpRequest refused;
  refused.headers = reader_.headers();
  refused.peer = peer_;
  const auto number = answers_.expect({.keep_alive = false});
  answers_.put(number, home_.handler.refuse(status, reason, refused));
}

void Connection::note_phase() {
  if (reader_.phase() == phase_) return;
  phase_ = reader_.phase();
  phase_since_ = Clock::now();
  body_bytes_ = 0;
}

void Connection::vouch(const std::optional<Party>& party) {
  if (party) party_ = *party;
}

// A client that does not wait as Retry-After says costs the others time, so it is read more slowly.
// One that comes with a new connection each time is sent its refusals later.
void Connection::note_refusal(int status) {
  if (status != 429 && status != 503) {
    refusals_ = 0;
    return;
  }
  const auto now = Clock::now();
  refusals_ = now - std::exchange(refused_at_, now) < kWaits ? refusals_ + 1 : 1;
  if (!party_.known && !home_.refusals.take(now)) {
    held_ = !draining_;
    return begin_rest(home_.options.refusal_hold);
  }
  if (refusals_ > kRefusalsAtOnce) begin_rest(kRest);
}

void Connection::begin_rest(std::chrono::milliseconds rest) {
  if (draining_ || rest_ > rest_.zero()) return;
  rest_ = rest;
  home_.options.on_rest();
}

void Connection::end_rest() {
  held_ = false;
  rest_ = {};
  begin_turn();
  advance();
}

void Connection::on_answer(std::uint64_t request, BuiltAnswer answer) {
  if (!busy_) begin_turn();
  vouch(answer.vouched);
  note_refusal(answer.response.status);
  learn(answer.response.body_size());
  answers_.put(request, std::move(answer.response), std::move(answer.memory));
  advance();
}

void Connection::on_stream(std::uint64_t request, StreamBegins stream) {
  if (!busy_) begin_turn();
  vouch(stream.vouched);
  note_refusal(stream.head.status);
  learn(BodyPipe::kWindowBytes);
  answers_.put(request, std::move(stream.head), std::move(stream.pipe));
  if (client_ended_ && answers_.streaming()) return abort();
  advance();
}

void Connection::on_stream_moved() {
  if (!busy_) begin_turn();
  advance();
}

void Connection::on_unanswered(std::uint64_t request) {
  home_.options.log("A request was not answered.");
  HttpRequest refused;
  refused.peer = peer_;
  on_answer(request, {home_.handler.refuse(500, "The request was not answered.", refused)});
}

void Connection::drain() {
  draining_ = true;
  held_ = false;
  rest_ = {};
  begin_turn();
  answers_.drain();
  if (!answers_.empty()) input_over_ = true;
  advance();
}

// Writes what is due and starts requests while there is room, until it has to wait for the client
// or a handler.
void Connection::advance() {
  if (busy_ || state_ != State::kOpen) return;
  if (held_ && !flush()) return abort();  // what came before the refusal goes on
  if (held_) return;
  busy_ = true;
  while (!held_) {
    const bool was_idle = out_.empty();
    answers_.advance(out_);
    if (was_idle && !out_.empty()) sent_since_ = Clock::now();
    const bool wrote = !out_.empty();
    if (!flush()) return abort();
    if (paused_ && may_dispatch()) {
      dispatch();
      busy_ = true;
    } else if (!wrote || !out_.empty()) {
      break;
    }
  }
  busy_ = false;
  if (out_.empty()) finish();
}

bool Connection::flush() {
  if (out_.empty()) return true;
  const auto before = out_.size();
  if (sent_in_turn_ >= kTurnBytes) return true;
  const auto sent = out_.send(socket_.get(), kTurnBytes - sent_in_turn_);
  if (sent == SendQueue::Sent::kBroken) return false;
  sent_in_turn_ += before - out_.size();
  if (out_.size() < before) idle_since_ = sent_since_ = Clock::now();
  return true;
}

// All that was due is sent: keeps the connection, lingers or closes it.
void Connection::finish() {
  using End = ResponseQueue::End;
  if (answers_.end() == End::kCutUnseen) {
    // Without a length or chunks only a reset tells the client that the body is incomplete.
    const linger at_once{1, 0};
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    return abort();
  }
  const bool nothing_pending = answers_.empty() && !paused_;
  const bool between = input_over_ || reader_.phase() == RequestReader::Phase::kBetween;
  const bool over = answers_.end() != End::kNotYet || (draining_ && nothing_pending && between);
  if (client_ended_ && (over || nothing_pending)) return abort();
  if (!over) return;
  // The client has all its responses and sends no request: nothing can be lost.
  if (draining_ && between && answers_.end() == End::kNotYet && out_.empty()) return abort();
  ::shutdown(socket_.get(), SHUT_WR);
  state_ = State::kLingering;
  lingers_since_ = Clock::now();
}

void Connection::abort() {
  busy_ = false;
  state_ = State::kClosed;
  *gone_ = true;
  answers_.abandon();
}

void Connection::on_tick(Clock::time_point now) {
  const auto& options = home_.options;
  if (state_ == State::kLingering) {
    if (now - lingers_since_ > options.linger_deadline) abort();
    return;
  }
  if (state_ != State::kOpen) return;
  if (!out_.empty() && now - sent_since_ > options.write_deadline) return abort();
  if (const char* reason = overdue(now)) {
    begin_turn();
    refuse_request(408, reason);
    return advance();
  }
  const bool idle = answers_.empty() && out_.empty() && phase_ == RequestReader::Phase::kBetween;
  if (idle && now - std::max(idle_since_, phase_since_) > options.idle_deadline) {
    draining_ = true;
    finish();
  }
}

// The sentence that says what took the client too long, or null.
const char* Connection::overdue(Clock::time_point now) {
  if (input_over_ || paused_ || client_ended_) return nullptr;
  if (phase_ == RequestReader::Phase::kHead && now - phase_since_ > home_.options.header_deadline) {
    return "The headers took too long.";
  }
  if (phase_ == RequestReader::Phase::kBody && body_stalls(now)) {
    return "The body took too long.";
  }
  return nullptr;
}

bool Connection::body_stalls(Clock::time_point now) {
  if (now - phase_since_ <= home_.options.body_deadline) return false;
  if (body_bytes_ < home_.options.body_progress_bytes) return true;
  phase_since_ = now;
  body_bytes_ = 0;
  return false;
}

}  // namespace tilth
