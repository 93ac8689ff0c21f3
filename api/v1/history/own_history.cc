#include "api/v1/history/own_history.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <utility>

#include "api/http/refusal.h"
#include "api/keys/authentication.h"
#include "api/routing/resource_route.h"
#include "api/v1/history/event_line.h"
#include "events/values/ascii.h"
#include "projections/history/stream_reader.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;

constexpr FairPlaces::Limits kPlaces{.all = 1'024, .per_owner = 64, .few = 8};
constexpr std::uint64_t kUsualLines = 1'000, kMostLines = 10'000;
constexpr std::size_t kPage = 256;
constexpr auto kLooksAgain = 1s;  // how often to look for events without a ring
constexpr auto kStillHere = 15s;  // after this silence, send a comment
constexpr std::string_view kLines = "application/x-ndjson", kEvents = "text/event-stream";

// The weight of one item of Accept, at most 1 (RFC 9110, 12.5.1).
double weight_of(std::string_view item) {
  for (auto rest = item; rest.find(';') != rest.npos;) {
    rest.remove_prefix(rest.find(';') + 1);
    const auto parameter = trim_blanks(rest.substr(0, rest.find(';')));
    if (!parameter.starts_with("q=") && !parameter.starts_with("Q=")) continue;
    double weight = 0;
    std::from_chars(parameter.data() + 2, parameter.data() + parameter.size(), weight);
    return weight;
  }
  return 1;
}

// Events only for clients that name them and do not prefer lines. A stream ends with its key, so it
// needs one: a session gets lines.
bool asks_for_events(const HttpRequest& request) {
  if (request.header("authorization") == nullptr) return false;
  const auto accepted = request.joined("accept");
  double events = 0, lines = 0;
  for (std::string_view rest = accepted ? *accepted : std::string_view(); !rest.empty();) {
    const auto item = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(item.size() + 1, rest.size()));
    const auto type = trim_blanks(item.substr(0, item.find(';')));
    if (equals_ignoring_case(type, kEvents)) events = weight_of(item);
    if (equals_ignoring_case(type, kLines)) lines = weight_of(item);
  }
  return events > 0 && events >= lines;
}

Error no_mark(std::string_view name) {
  return {ErrorCode::kInvalid,
          "The request is not valid.",
          {{std::string(name), {"must be the position of an event of this history"}}}};
}

}  // namespace

bool HistoryQuery::wants(const Record& record) const {
  const auto& envelope = record.envelope;
  return (!since || envelope.time >= *since) && (!until || envelope.time < *until) &&
         (!type || matches_pattern(*type, envelope.type));
}

// One response.
class OwnHistory::Reading final : public PieceSource {
 public:
  Reading(const Parts& parts, std::shared_ptr<Exchange> exchange, std::string owner,
          std::shared_ptr<const HistoryQuery> question)
      : parts_(parts),
        exchange_(std::move(exchange)),
        owner_(std::move(owner)),
        question_(std::move(question)),
        follows_(asks_for_events(exchange_->request())),
        left_(question_->limit.value_or(follows_ ? UINT64_MAX : kUsualLines)),
        reader_(parts.log, parts.index, owner_) {
    if (!question_->type) return;
    reader_.only(
        [its = question_](std::string_view type) { return matches_pattern(*its->type, type); });
  }

  HttpResponse head() const {
    return {200, {{"Content-Type", std::string(follows_ ? kEvents : kLines)}}, {}};
  }

  // Reads the first events. An error gets a response of its own.
  Status begin() {
    try {
      return find_first();
    } catch (const UnreadableRows& rows) {
      parts_.index.cannot_read(rows);
      return rows_unreadable();
    }
  }

  void wake_with(std::function<void()> wake) override {
    if (!follows_) return;
    bell_.emplace(parts_.bell, owner_, [rung = rung_, wake = std::move(wake)] {
      *rung = true;
      wake();
    });
  }

  bool is_due() override {
    const auto now = std::chrono::steady_clock::now();
    return *rung_ || now - looked_ >= kLooksAgain || now - spoken_ >= kStillHere || is_over() ||
           !may_go_on();
  }

  Next next(std::string& piece, WorkToken&) override {
    try {
      return first_ ? send_first(piece) : read_on(piece);
    } catch (const UnreadableRows& rows) {
      parts_.index.cannot_read(rows);
      return Next::kBreak;
    }
  }

 private:
  Status find_first() {
    if (const auto known = reader_.refresh(); !known) return known;
    if (const auto mark = mark_to_go_on_after()) {
      const auto position = read_position_token(mark->second);
      if (!position || !reader_.go_on_after(*position)) return no_mark(mark->first);
    }
    auto page = read_page();
    if (!page) return page.error();
    first_ = std::move(*page);
    return kDone;
  }

  std::optional<std::pair<std::string_view, std::string>> mark_to_go_on_after() const {
    const auto* last = exchange_->request().header("last-event-id");
    if (follows_ && last != nullptr && !last->empty()) return std::pair("Last-Event-ID", *last);
    if (question_->after) return std::pair("after", *question_->after);
    return std::nullopt;
  }

  struct Page {
    std::string text;
    bool last = false;  // there is nothing more for now
  };

  Result<Page> read_page() {
    const auto records = reader_.next(kPage);
    if (!records) return records.error();
    Page page{{}, records->empty()};
    for (const auto& logged : *records) {
      if (left_ == 0) break;
      if (!question_->wants(*logged.record)) continue;
      --left_;
      const auto json = own_event(logged);
      if (follows_) {
        page.text.append("id: ").append(position_token(logged.position));
        page.text.append("\nevent: ").append(logged.record->envelope.type);
        page.text.append("\ndata: ").append(json).append("\n\n");
      } else {
        page.text.append(json).append(1, '\n');
      }
    }
    page.last = page.last || left_ == 0;
    return page;
  }

  Next send_first(std::string& piece) {
    return send(std::move(*std::exchange(first_, std::nullopt)), piece);
  }

  Next send(Page page, std::string& piece) {
    if (!page.text.empty()) spoken_ = std::chrono::steady_clock::now();
    piece.append(page.text);
    caught_up_ = page.last;
    if (!page.last) return Next::kMore;
    return follows_ && left_ > 0 && !over_ ? Next::kIdle : Next::kEnd;
  }

  Next read_on(std::string& piece) {
    const bool has_new = !caught_up_ || look_for_new(piece);
    // Looked up afterwards: what was known before the lease held may be old.
    if (follows_ && !may_go_on()) return Next::kEnd;
    if (!has_new) return Next::kIdle;
    auto page = read_page();
    if (page) return send(std::move(*page), piece);
    const bool later = caught_up_ && page.error().code == ErrorCode::kUnavailable;
    return later ? Next::kIdle : Next::kBreak;
  }

  // Whether there may be new events.
  bool look_for_new(std::string& piece) {
    over_ = is_over();  // but read once more what is there
    const auto now = std::chrono::steady_clock::now();
    if (now - spoken_ >= kStillHere) {
      spoken_ = now;
      piece.append(": still here\n\n");
    }
    if (!rung_->exchange(false) && !over_ && now - looked_ < kLooksAgain) return false;
    looked_ = now;
    if (parts_.lease != nullptr && !parts_.lease->holds()) return false;
    return static_cast<bool>(reader_.refresh());
  }

  bool is_over() const { return question_->until && parts_.clock.now() >= *question_->until; }

  // Whether the key of the request is still valid.
  bool may_go_on() const {
    return static_cast<bool>(
        authenticate(exchange_->request(), parts_.digest, parts_.keys, parts_.clock.now()));
  }

  const Parts& parts_;
  const std::shared_ptr<Exchange> exchange_;
  const std::string owner_;
  const std::shared_ptr<const HistoryQuery> question_;
  const bool follows_;
  std::uint64_t left_;
  StreamReader reader_;
  std::optional<Page> first_;  // not sent yet
  bool caught_up_ = false;
  bool over_ = false;  // nothing that is still to come can match
  std::chrono::steady_clock::time_point spoken_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point looked_ = spoken_;
  // True at first: what was recorded between the first page and the bell would be missed.
  const std::shared_ptr<std::atomic<bool>> rung_ = std::make_shared<std::atomic<bool>>(true);
  std::optional<StreamBell::Listener> bell_;
};

OwnHistory::OwnHistory(Parts parts) : parts_(parts), places_(kPlaces) {}

void OwnHistory::answer(const std::shared_ptr<Exchange>& exchange, const std::string& owner,
                        std::shared_ptr<const HistoryQuery> question) {
  auto reading = std::make_shared<std::unique_ptr<Reading>>(
      std::make_unique<Reading>(parts_, exchange, owner, std::move(question)));
  auto place = places_.take(owner);
  if (!place) {
    return exchange->answer(Error{.code = ErrorCode::kUnavailable,
                                  .message = "Too many histories are being read at once.",
                                  .retry_after_seconds = 5});
  }
  const auto posted = parts_.executor.post(
      {.owner = owner,
       .kind = WorkKind::kStream,
       .run =
           [this, exchange, owner, reading = std::move(reading),
            place = std::move(place)](WorkToken& token) {
             if (!token.go_on()) return exchange->answer(token.error());
             if (const auto begun = (*reading)->begin(); !begun) {
               return exchange->answer(begun.error());
             }
             auto body = exchange->stream((*reading)->head());
             if (exchange->request().method == "HEAD") return body->end();
             parts_.streams.send(owner, std::move(body), std::move(*reading), place);
           },
       .abandoned = [exchange] { return exchange->abandoned(); }});
  if (!posted) exchange->answer(posted.error());
}

namespace {

Result<Intent> read_history(const Call& call) {
  HistoryQuery question;
  RequestIssues problems;
  QueryReader query(call.query, problems);
  read_question(call, question, query, problems);
  question.limit = read_limit(query, problems, kMostLines);
  auto& issues = problems.values;
  if (question.type && question.type->find('*') < question.type->size() - 1) {
    issues["type"].emplace_back("must be a type, or the beginning of one and *");
  }
  if (question.since && question.until && *question.since > *question.until) {
    issues["until"].emplace_back("must not be before since");
  }
  if (const auto verdict = problems.verdict(); !verdict) return verdict.error();
  return Intent(std::make_shared<const HistoryQuery>(std::move(question)));
}

Json question_schema() {
  auto schema = request_schema<HistoryQuery>();
  auto limit = simple_schema("integer");
  limit.add("minimum", Json::number(1));
  limit.add("default", Json::number(1'000));
  add_property(schema, "limit", std::move(limit));
  return schema;
}

Json event_schema() {
  auto schema = object_schema({{"specversion", simple_schema("string")},
                               {"id", simple_schema("string")},
                               {"source", simple_schema("string")},
                               {"type", simple_schema("string")},
                               {"subject", simple_schema("string")},
                               {"time", simple_schema("string", "date-time")},
                               {"datacontenttype", simple_schema("string")},
                               {"streamversion", simple_schema("integer")},
                               {"schemaversion", simple_schema("integer")},
                               {"data", Json(*parse_json(R"({"type":"object"})"))},
                               {"position", simple_schema("string")}});
  for (const auto* name :
       {"correlationid", "causationid", "actor", "idempotencykey", "traceparent"}) {
    add_property(schema, name, simple_schema("string"));
  }
  return renamed(schema, "Event");
}

}  // namespace

std::vector<Route> own_history_routes() {
  return {{.method = "GET",
           .pattern = "/events",
           .summary = "Read your own history",
           .scope = Scope::kEventsRead,
           .action = Operation{.read = read_history, .of_the_past = false},
           .description = Description{
               .name = "listEvents",
               .about = "Every change of the owner's records in order, as CloudEvents. As "
                        "server-sent events the response stays open and follows.",
               .query = question_schema,
               .answer = event_schema,
               .of_lines = true}}};
}

}  // namespace tilth
