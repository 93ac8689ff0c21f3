#include "api/platform/batches.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "api/http/refusal.h"
#include "api/platform/batch_request.h"
#include "api/platform/busy.h"
#include "api/platform/forwarding.h"
#include "api/platform/idempotency.h"
#include "api/platform/operations.h"
#include "api/platform/read_point.h"
#include "events/json/json_writer.h"
#include "projections/rows/idempotency_record.h"

namespace tilth {
namespace {

constexpr FairPlaces::Limits kPlaces{.all = 16, .per_owner = 4, .few = 1};
constexpr std::chrono::seconds kTimeout{2};        // for Tilth-Min-Position
constexpr std::size_t kMostBegun = 256;            // requests of a batch without an answer
constexpr std::size_t kFirstBegun = 16;            // before their answers' sizes are known
constexpr std::size_t kMostBodyOfOne = 1U << 20U;  // bytes, as of a request of its own
constexpr std::size_t kRequestsOfOne = 100;        // count as one
constexpr std::size_t kMostTests = 20;             // of webhooks: each may wait for its receiver

Error too_long() {
  return {
      ErrorCode::kPayloadTooLarge,
      "The responses of a batch have at most 16 MiB together; send this request in another one."};
}

bool is_success(int status) { return status >= 200 && status < 300; }

// The path of a request of a session is below /api, that of a key below /api/v1.
std::string mounted(const std::string& path, bool of_session) {
  constexpr std::string_view kVersion = "/v1";
  return "/api" + (of_session ? path.substr(kVersion.size()) : path);
}

}  // namespace

// One batch. Threads: advance() on the executor, one at a time; answers arrive on any thread.
class Batches::Batch final : public std::enable_shared_from_this<Batch> {
 public:
  Batch(Batches& all, Call call, const SingleRequests& singles, FairPlaces::Place place)
      : all_(all), call_(std::move(call)), singles_(singles), place_(std::move(place)) {
    ++all_.batches_;
    ++all_.running_;
  }
  ~Batch() { --all_.running_; }
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  void start(WorkToken& token) {
    all_.parts_.row_faults.guard(call_.exchange, [&] {
      if (!token.go_on()) return answer(token.error());
      if (const auto read = this->read(token); !read) answer(read.error());
    });
  }

 private:
  struct Answer {
    int status = 0;  // 0: none yet
    std::string etag = {}, location = {}, retry_after = {}, body = {};
    std::optional<std::string> id = {};  // once it was looked for
    bool replayed = false;
    bool held = false;  // not decided, since one before it had failed
  };

  // Passes the response to one request on to the batch.
  class Receiver final : public Responder {
   public:
    Receiver(std::shared_ptr<Batch> batch, std::size_t place)
        : batch_(std::move(batch)), place_(place) {}
    ~Receiver() override {
      if (batch_) batch_->on_answer(place_, protocol_refusal(500, "Something went wrong here."));
    }
    void respond(HttpResponse response) override {
      std::exchange(batch_, {})->on_answer(place_, std::move(response));
    }
    std::unique_ptr<BodyStream> stream(HttpResponse head) override {
      return std::make_unique<Collector>(std::exchange(batch_, {}), place_, std::move(head));
    }
    bool abandoned() const override { return batch_ && batch_->call_.exchange->abandoned(); }

   private:
    std::shared_ptr<Batch> batch_;
    const std::size_t place_;
  };

  // Collects a response that is sent in pieces, as far as the batch has room for it.
  class Collector final : public BodyStream {
   public:
    Collector(std::shared_ptr<Batch> batch, std::size_t place, HttpResponse head)
        : batch_(std::move(batch)), place_(place), response_(std::move(head)) {}
    ~Collector() override {
      if (!batch_) return;
      const auto error = overflows_ ? too_long() : busy("The list could not be read to its end.");
      batch_->on_answer(place_, refusal(error));
    }
    bool write(std::string piece) override {
      response_.body.append(piece);
      overflows_ = response_.body.size() > kMostAnswered;
      return !closed();
    }
    bool closed() const override {
      return overflows_ || !batch_ || batch_->call_.exchange->abandoned();
    }
    void end() override { std::exchange(batch_, {})->on_answer(place_, std::move(response_)); }

   private:
    std::shared_ptr<Batch> batch_;
    const std::size_t place_;
    HttpResponse response_;
    bool overflows_ = false;
  };

  // Sends the response to the batch, after which its client may send it again.
  template <class Response>
  void answer(Response response) {
    occupied_.reset();
    place_.reset();
    call_.answer(std::move(response));
  }

  // Errors in the order that the contract fixes.
  Status read(WorkToken& token) {
    const auto& request = call_.request();
    const auto since = min_position(request);
    if (!since) return since.error();
    const auto idempotency = read_idempotency(request);
    if (!idempotency) return idempotency.error();
    idempotency_ = *idempotency;
    auto form = read_batch(request.body, [&] { return token.go_on(); });
    if (!token.go_on()) return token.error();
    if (request.header("tilth-as-of") != nullptr) {
      form = Error{ErrorCode::kInvalid,
                   "The request is not valid.",
                   {{"Tilth-As-Of", {"must not be sent with a batch"}}}};
    }
    if (form) {
      form_ = std::move(*form);
      const auto further = (form_.requests.size() - 1) / kRequestsOfOne;
      const auto admitted =
          all_.parts_.guards.admit_further(call_, static_cast<std::uint32_t>(further));
      if (!admitted) return admitted.error();
    } else if (!idempotency_ || form.error().code == ErrorCode::kPayloadTooLarge) {
      return form.error();
    }
    refused_ = form ? std::nullopt : std::optional(form.error());
    answers_.resize(form_.requests.size());
    for (const auto& each : form_.requests) {
      const auto path = mounted(each.path, call_.holder == nullptr);
      alone_.push_back(each.reads() ||
                       singles_.runs_alone(each.method, path.substr(0, path.find('?'))));
    }
    auto& registry = all_.parts_.registry;
    if (!*since || registry.has_reached(call_.user_id(), **since)) return claim(), kDone;
    registry.when_reached(
        call_.user_id(), **since, kTimeout, [self = shared_from_this()](bool reached) {
          if (reached) return self->claim();
          self->answer(busy("This node has not read up to Tilth-Min-Position yet."));
        });
    return kDone;
  }

  // A command of the batch itself, not of one of its requests.
  CommandRequest without_change() const {
    return {.stream = call_.user_id(),
            .actor = call_.actor(),
            .request_id = call_.exchange->request_id(),
            .traceparent = call_.exchange->traceparent(),
            .decide = [](const Rows&, const Context&) { return Decision(std::optional<Event>()); },
            .shown_table = "batch"};  // no row has that table
  }

  // Ties the Idempotency-Key to this batch, before anything is done.
  void claim() {
    if (!idempotency_) return post();
    occupied_ = all_.occupy(call_.user_id(), idempotency_->key);
    if (!occupied_) {
      return answer(Error{.code = ErrorCode::kConflict,
                          .message = "The first request with this Idempotency-Key still runs.",
                          .retry_after_seconds = 1});
    }
    const auto& projector = all_.parts_.registry.of(call_.user_id()).projector();
    if (projector.is_halted()) return answer(cannot_decide(projector));
    auto command = without_change();
    command.idempotency = idempotency_;
    if (refused_) {
      command.decide = [why = *refused_](const Rows&, const Context&) { return Decision(why); };
    }
    all_.parts_.changes.carry_out(
        std::move(command), [self = shared_from_this()](const Result<CommandResult>& outcome) {
          self->on_claimed(outcome);
        });
  }

  void on_claimed(const Result<CommandResult>& outcome) {
    if (!outcome) return answer(outcome.error());
    again_ = outcome->replayed;
    if (outcome->refusal) {
      call_.exchange->set_replayed();
      auto response = refusal(*outcome->refusal);
      response.headers.emplace_back("Idempotent-Replayed", "true");
      return answer(std::move(response));
    }
    position_ = outcome->position;
    if (again_ && form_.stops_on_error) return read_up();
    post();
  }

  // Another node may have carried out a part of it, which this one has not read yet. A command that
  // changes nothing completes once its rows are current.
  void read_up() {
    all_.parts_.changes.carry_out(
        without_change(), [self = shared_from_this()](const Result<CommandResult>& outcome) {
          outcome ? self->post(&Batch::advance_again) : self->answer(outcome.error());
        });
  }

  void post(void (Batch::*run)(WorkToken&) = &Batch::advance) {
    const auto posted = all_.parts_.executor.post(
        {.owner = call_.user_id(),
         .kind = WorkKind::kBody,
         .run = [self = shared_from_this(), run](WorkToken& token) { (*self.*run)(token); },
         .continues = true});
    if (!posted) {
      const std::lock_guard lock(mutex_);
      advancing_ = false;
      cut_ = posted.error();
      if (begun_ == 0) answer(posted.error());
    }
  }

  // Reads are read again, and may fail now. That must not hide changes that were done after them.
  void advance_again(WorkToken& token) {
    all_.parts_.row_faults.guard(call_.exchange, [&] {
      const auto view = all_.parts_.registry.of(call_.user_id()).projector().view(call_.user_id());
      for (auto place = form_.requests.size(); place-- > 0;) {
        if (form_.requests[place].reads()) continue;
        const auto key = key_within_batch(idempotency_->key, place);
        if (!find_idempotency_record(view->rows, key, call_.now)) continue;
        last_done_ = place;
        break;
      }
      advance(token);
    });
  }

  // Begins what may begin; at the end, answers.
  void advance(WorkToken& token) {
    while (true) {
      if (!token.go_on()) {
        cut(token.error());
      } else if (call_.exchange->abandoned()) {
        cut(busy("The rest of the batch was not carried out."));
      }
      std::size_t place = 0;
      {
        const std::lock_guard lock(mutex_);
        if (!may_begin()) {
          advancing_ = false;
          if (begun_ > 0 || !is_at_end()) return;
          break;
        }
        place = next_++;
        ++begun_;
        is_alone_ = alone_[place];
      }
      begin(place);
    }
    cut_ ? answer(*cut_) : respond();
  }

  void cut(Error why) {
    const std::lock_guard lock(mutex_);
    if (!cut_) cut_ = std::move(why);
  }

  // With the mutex: whether nothing more is begun.
  bool is_at_end() const {
    return next_ == form_.requests.size() || cut_ || (form_.stops_on_error && first_failed_);
  }

  // With the mutex: whether the next request may begin now.
  bool may_begin() const {
    if (is_at_end() || is_alone_) return false;
    if (begun_ == 0) return true;
    const auto& request = form_.requests[next_];
    if (alone_[next_] || begun_ >= std::min(kMostBegun, kFirstBegun + next_ - begun_)) return false;
    if (answered_bytes_ + begun_ * largest_ >= kMostAnswered) return false;
    return std::ranges::all_of(request.refers_to,
                               [&](std::size_t each) { return answers_[each].status != 0; });
  }

  void begin(std::size_t place) {
    const auto& request = form_.requests[place];
    if (answered_bytes() >= kMostAnswered) return on_answer(place, refusal(too_long()));
    if (alone_[place] && !request.reads() && ++tests_ > kMostTests) {
      return on_answer(place, refusal(busy("A batch tests at most 20 webhooks.")));
    }
    for (const auto other : request.refers_to) {
      if (id_of(other).empty()) {
        return on_answer(place,
                         not_begun_in_batch("FAILED_DEPENDENCY",
                                            "The request " + *form_.requests[other].id +
                                                ", which this one refers to, answered no id."));
      }
    }
    auto single = call_;
    single.exchange = std::make_shared<Exchange>(
        request_at(place), std::make_unique<Receiver>(shared_from_this(), place),
        call_.exchange->request_id(), Exchange::OnAnswered());
    single.exchange->set_trace(call_.exchange->traceparent());
    if (form_.stops_on_error) {
      single.may_proceed = [self = shared_from_this(), place] { return self->may_proceed(place); };
    }
    singles_.carry_out_single(std::move(single));
  }

  HttpRequest request_at(std::size_t place) {
    const auto& request = form_.requests[place];
    const auto id = [&](std::size_t other) { return id_of(other); };
    const auto path = mounted(path_with_ids(form_, request, id), call_.holder == nullptr);
    const auto query = std::min(path.find('?'), path.size());
    HttpRequest single;
    single.method = request.method;
    single.path = path.substr(0, query);
    if (query < path.size()) single.query = path.substr(query + 1);
    single.peer = call_.request().peer;
    single.body = body_with_ids(form_, request, id);
    if (single.body.size() > kMostBodyOfOne) {
      single.body_too_large = true;
      single.body = {};
    }
    if (const auto* since = call_.request().header("tilth-min-position")) {
      single.headers.emplace_back("tilth-min-position", *since);
    }
    if (request.if_match) single.headers.emplace_back("if-match", *request.if_match);
    if (idempotency_ && !request.reads()) {
      single.headers.emplace_back("idempotency-key", key_within_batch(idempotency_->key, place));
    }
    return single;
  }

  // The `data.id` that a request answered; empty if it did not succeed, or answered none. Only
  // advance() calls it.
  std::string id_of(std::size_t place) {
    const std::lock_guard lock(mutex_);
    auto& answer = answers_[place];
    if (!answer.id) {
      answer.id.emplace();
      const auto json = is_success(answer.status) && !answer.body.empty() ? parse_json(answer.body)
                                                                          : Result<Json>(Json());
      const auto* data = json ? json->find("data") : nullptr;
      const auto* id = data != nullptr ? data->find("id") : nullptr;
      if (id != nullptr && id->kind == Json::Kind::kString) answer.id = id->text;
    }
    return *answer.id;
  }

  std::size_t answered_bytes() {
    const std::lock_guard lock(mutex_);
    return answered_bytes_;
  }

  // Whether nothing before it has failed. The loop asks when it decides the change, after it has
  // decided all before it.
  Status may_proceed(std::size_t place) {
    const std::lock_guard lock(mutex_);
    if (!first_failed_ || *first_failed_ > place) return kDone;
    answers_[place].held = true;
    return busy("A request before it failed.");
  }

  void on_answer(std::size_t place, HttpResponse response) {
    const auto& request = form_.requests[place];
    bool continues = false;
    {
      const std::lock_guard lock(mutex_);
      // What a change has done is told in any case.
      if (request.reads() && answered_bytes_ + response.body.size() > kMostAnswered) {
        response = refusal(too_long());
      }
      auto& answer = answers_[place];
      answer.status = response.status;
      if (const auto* etag = response.header("ETag")) answer.etag = *etag;
      if (const auto* location = response.header("Location")) answer.location = *location;
      if (const auto* seconds = response.header("Retry-After")) answer.retry_after = *seconds;
      answer.replayed = response.header("Idempotent-Replayed") != nullptr;
      if (const auto* token = response.header("Tilth-Position")) {
        const auto position = read_position_token(*token);
        if (position && (!position_ || position->offset > position_->offset)) position_ = position;
      }
      answer.body = std::move(response.body);
      answered_bytes_ += answer.body.size();
      largest_ = std::max(largest_, answer.body.size());
      if (!is_success(answer.status) && place >= last_done_) {
        first_failed_ = std::min(first_failed_.value_or(place), place);
      }
      --begun_;
      is_alone_ = false;
      const bool ends = is_at_end() && begun_ == 0;
      const bool worthwhile = begun_ <= kMostBegun / 2;  // else a thread would begin one at a time
      continues = !advancing_ && (ends || (worthwhile && may_begin()));
      if (continues) advancing_ = true;
    }
    if (continues) post();
  }

  void respond() {
    std::string body = "{\"data\":[";
    body.reserve(answered_bytes_ + answers_.size() * 200 + 100);
    std::size_t succeeded = 0, failed = 0, not_attempted = 0;
    bool did_more = false;
    for (std::size_t place = 0; place < answers_.size(); ++place) {
      auto& answer = answers_[place];
      if (is_skipped(place)) {
        auto skipped = not_begun_in_batch("NOT_ATTEMPTED",
                                          "A request before this one failed, and onError is stop.");
        answer = {.status = skipped.status, .body = std::move(skipped.body)};
        ++not_attempted;
      } else {
        ++(is_success(answer.status) ? succeeded : failed);
      }
      did_more |= is_success(answer.status) && !answer.replayed && !form_.requests[place].reads();
      if (place > 0) body.push_back(',');
      write(form_.requests[place], answer, body);
      answer.body = {};
    }
    body.append("],\"meta\":{\"succeeded\":").append(std::to_string(succeeded));
    body.append(",\"failed\":").append(std::to_string(failed));
    body.append(",\"notAttempted\":").append(std::to_string(not_attempted)).append("}}");
    all_.succeeded_ += succeeded;
    all_.failed_ += failed;
    all_.not_attempted_ += not_attempted;
    HttpResponse response{200, {{"Content-Type", "application/json"}}, std::move(body)};
    if (again_ && !did_more) {
      call_.exchange->set_replayed();
      response.headers.emplace_back("Idempotent-Replayed", "true");
    }
    if (position_) response.headers.emplace_back("Tilth-Position", position_token(*position_));
    answer(std::move(response));
  }

  // Whether a failure before it kept it from being carried out. Of one that had been decided when
  // the log failed, the outcome is not known.
  bool is_skipped(std::size_t place) const {
    const auto& answer = answers_[place];
    const bool is_later = form_.stops_on_error && first_failed_ && *first_failed_ < place;
    return is_later && !is_success(answer.status) && (answer.status != 503 || answer.held);
  }

  static void write(const BatchedRequest& request, const Answer& answer, std::string& to) {
    to.append("{\"id\":");
    request.id ? JsonWriter::write(*request.id, to) : void(to.append("null"));
    to.append(",\"status\":").append(std::to_string(answer.status)).append(",\"headers\":{");
    for (const auto& [name, value] :
         {std::pair<std::string_view, const std::string&>{"ETag", answer.etag},
          {"Location", answer.location},
          {"Retry-After", answer.retry_after}}) {
      if (value.empty()) continue;
      if (to.back() != '{') to.push_back(',');
      JsonWriter::write(name, to);
      to.push_back(':');
      JsonWriter::write(value, to);
    }
    to.append("},\"body\":").append(answer.body.empty() ? "null" : answer.body).push_back('}');
  }

  Batches& all_;
  const Call call_;
  const SingleRequests& singles_;
  FairPlaces::Place place_;
  std::shared_ptr<void> occupied_ = {};
  std::optional<Idempotency> idempotency_ = {};
  BatchForm form_ = {};
  std::optional<Error> refused_ = {};  // what is wrong with its form
  bool again_ = false;                 // its key was tied to it before
  std::vector<bool> alone_ = {};       // the requests that run alone: reads, and tests of webhooks
  std::size_t tests_ = 0;
  // The last change that an earlier request with its key made: what is before it had not failed.
  std::size_t last_done_ = 0;

  std::mutex mutex_;  // guards the members below
  std::vector<Answer> answers_ = {};
  std::size_t next_ = 0, begun_ = 0;  // the next request to begin; those without an answer
  bool is_alone_ = false;             // one that runs alone has begun
  bool advancing_ = true;             // advance() runs, or is posted
  std::size_t answered_bytes_ = 0, largest_ = 0;
  std::optional<std::size_t> first_failed_ = {};
  std::optional<Error> cut_ = {};  // why nothing more is begun
  std::optional<Position> position_ = {};
};

Batches::Batches(Parts parts) : parts_(parts), places_(kPlaces) {}

void Batches::carry_out(Call call, const SingleRequests& singles) {
  if (!parts_.commands) {
    if (call.forwarded) return call.answer(Forwarding::not_here());  // another holder may have it
    return call.answer(lacks_role("command"));
  }
  auto place = places_.take(call.user_id());
  if (!place) return call.answer(busy("Too many batches are being carried out."));
  const auto exchange = call.exchange;
  const auto owner = call.user_id();
  const auto batch = std::make_shared<Batch>(*this, std::move(call), singles, std::move(place));
  const auto posted =
      parts_.executor.post({.owner = owner,
                            .kind = WorkKind::kBody,
                            .run = [batch](WorkToken& token) { batch->start(token); },
                            .abandoned = [exchange] { return exchange->abandoned(); }});
  if (!posted) exchange->answer(posted.error());
}

Batches::Counts Batches::counts() const {
  return {succeeded_, failed_, not_attempted_, batches_, running_};
}

std::shared_ptr<void> Batches::occupy(const std::string& owner, const std::string& key) {
  const std::lock_guard lock(mutex_);
  auto [entry, free] = running_keys_.insert(owner + ' ' + key);
  if (!free) return {};
  return {this, [this, name = *entry](void*) {
            const std::lock_guard releasing(mutex_);
            running_keys_.erase(name);
          }};
}

}  // namespace tilth
