#include "tests/simulation/sent_batches.h"

#include <algorithm>
#include <chrono>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "api/http/conditional.h"
#include "api/http/exchange.h"
#include "api/platform/busy.h"
#include "events/log/request.h"
#include "tests/simulation/row_kinds.h"

namespace tilth::testing {
namespace {

using namespace std::chrono_literals;
using What = PlainRequest::What;

constexpr int kMostTries = 6;
constexpr auto kKeyCounts = std::chrono::hours(24);
constexpr std::string_view kTraceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
constexpr std::string_view kItem = "/item=";

bool is_success(int status) { return status >= 200 && status < 300; }

// The record that a result shows; empty: none.
std::string id_in(const CommandResult& result) {
  if (!result.row) return {};
  const auto json = parse_json(stored_json(*result.row));
  const auto* id = json ? json->find("id") : nullptr;
  return id == nullptr ? std::string() : id->text;
}

bool succeeded(const Attempt& attempt) {
  return attempt.result && *attempt.result && !(*attempt.result)->refusal;
}

// Whether it changed something now, or that is not known.
bool took_effect(const Attempt& attempt) {
  return succeeded(attempt) && (*attempt.result)->event && !(*attempt.result)->replayed;
}

bool is_unknown(const Attempt& attempt) {
  return !attempt.result ||
         (!*attempt.result && attempt.result->error().code == ErrorCode::kUnavailable);
}

// By the log, in which the ledger has looked.
bool has_changed_something(const Attempt& attempt) {
  if (attempt.accepted == 0 || attempt.record == nullptr) return false;
  const auto& type = attempt.record->envelope.type;
  return type != RequestRefused::kType.name && type != RequestAnswered::kType.name;
}

std::string text_in(const Json& json, std::initializer_list<std::string_view> path) {
  const auto* at = &json;
  for (const auto name : path) {
    if (at != nullptr) at = at->find(name);
  }
  return at == nullptr ? std::string() : at->text;
}

int status_of(const Json& answer) { return std::stoi(text_in(answer, {"status"})); }

bool was_not_attempted(const Json& answer) {
  return status_of(answer) == 424 && text_in(answer, {"body", "code"}) == "NOT_ATTEMPTED";
}

}  // namespace

void SentBatches::send(std::vector<BatchedWish> wishes, Client client) {
  auto& world = parts_.world;
  auto& batch = *batches_.emplace_back(
      std::make_unique<Batch>(Batch{std::move(client), std::move(wishes), world.once_in(2)}));
  if (batch.wishes.empty()) return batch.client.done();
  if (batch.client.has_key) batch.key = world.uuid().text();
  batch.body = body_of(batch.wishes, batch.stops);
  send_once(batch, kMostTries);
}

void SentBatches::send_once(Batch& batch, int times_left) {
  auto& world = parts_.world;
  auto& node = *parts_.nodes[world.below(parts_.nodes.size())];
  const auto again = [this, &batch, times_left] {
    parts_.world.after(parts_.world.between(1ms, 800ms), [this, &batch, times_left] {
      times_left > 1 ? send_once(batch, times_left - 1) : batch.client.done();
    });
  };
  if (!node.is_ready()) return again();
  auto sending = std::make_shared<Sending>(Sending{batch, node});
  sending->attempts.resize(batch.wishes.size());
  for (const auto& before : batch.sendings) {
    for (std::size_t place = 0; place < batch.wishes.size(); ++place) {
      const auto& attempt = before->attempts[place];
      if (attempt && took_effect(*attempt)) sending->was_done[place] = (*attempt->result)->at;
      // What is not known may have been done.
      if (attempt && (succeeded(*attempt) || is_unknown(*attempt))) {
        sending->done_before = std::max(sending->done_before, place + 1);
      }
    }
  }
  batch.sendings.push_back(sending);
  const auto id = "sending-" + std::to_string(sendings_.size() + 1);
  sendings_.emplace(id, sending);
  HttpRequest request;
  request.method = "POST";
  request.path = "/api/v1/batch";
  request.body = batch.body;
  if (!batch.key.empty()) request.headers.emplace_back("idempotency-key", batch.key);
  world.note(id + " to " + node.name() + ": " + batch.body);
  const bool leaves = world.fails_once_in(30);
  if (leaves) {
    world.after(world.between(100us, 30ms), [this, sending, times_left] {
      if (!sending->is_over) ended(sending, std::nullopt, times_left);
    });
  }
  node.carry_out_batch(
      std::move(request),
      {.owner = batch.client.owner,
       .request_id = id,
       .traceparent = std::string(kTraceparent),
       .answered =
           [this, sending, times_left](const std::optional<HttpResponse>& response) {
             if (sending->response) {
               return parts_.world.violated("A batch was answered twice");
             }
             if (response) sending->response = *response;
             if (sending->is_over) return;
             const bool is_lost = parts_.world.fails_once_in(25);
             ended(sending, is_lost ? std::nullopt : response, times_left);
           },
       .abandoned = [sending] { return sending->is_over; }},
      {.changes = *this, .farm_limit = parts_.farm_limit});
}

void SentBatches::ended(const std::shared_ptr<Sending>& sending,
                        const std::optional<HttpResponse>& response, int times_left) {
  auto& world = parts_.world;
  auto& batch = sending->batch;
  sending->is_over = true;
  bool is_known = false;
  if (response) {
    world.note("a batch was answered " + std::to_string(response->status) + ": " + response->body);
    if (const auto wrong = wrong_in(*sending, *response); !wrong.empty()) world.violated(wrong);
    const auto* token = response->header("Tilth-Position");
    if (const auto position = token != nullptr ? read_position_token(*token) : std::nullopt) {
      batch.client.read(*position);
    }
    is_known = response->status == 200 && std::ranges::none_of(sending->attempts, [](auto& each) {
                 return each && is_unknown(*each);
               });
  }
  for (const auto& attempt : sending->attempts) {
    if (attempt && succeeded(*attempt)) batch.client.learn(**attempt->result);
  }
  const bool again =
      !batch.key.empty() && !batch.is_another && (is_known ? world.once_in(6) : times_left > 1);
  if (!again) return batch.client.done();
  if (is_known && !batch.is_another && world.once_in(3)) return send_another(batch);
  const auto left = is_known ? 1 : times_left - 1;
  world.after(world.between(1ms, 800ms), [this, &batch, left] { send_once(batch, left); });
}

// Another one with its key.
void SentBatches::send_another(Batch& batch) {
  auto& another = *batches_.emplace_back(
      std::make_unique<Batch>(Batch{batch.client, batch.wishes, !batch.stops, true, batch.key}));
  another.body = body_of(another.wishes, another.stops);
  send_once(another, 1);
}

// What the request at a place asks for, once those that it refers to have made something.
std::optional<PlainRequest> SentBatches::asked(const Sending& sending, std::size_t place) const {
  const auto& wish = sending.batch.wishes[place];
  if (wish.reads()) return std::nullopt;
  return with_ids(*wish.asked, [&](std::size_t other) { return made_by(sending, other); });
}

// The id of what the request at a place has made; empty: it has made nothing.
std::string SentBatches::made_by(const Sending& sending, std::size_t place) {
  const auto& attempt = sending.attempts[place];
  return attempt && succeeded(*attempt) ? id_in(**attempt->result) : std::string();
}

void SentBatches::carry_out(CommandRequest request, OnDone done) {
  auto& world = parts_.world;
  const auto slash = std::min(request.request_id.find(kItem), request.request_id.size());
  const auto sending = sendings_.at(request.request_id.substr(0, slash));
  std::shared_ptr<Attempt> attempt;
  if (slash == request.request_id.size()) {
    const bool only_reads_up = !request.idempotency;
    if (only_reads_up && world.has(PlantedBug::kResentBatchReadsOldRows)) {
      return done(CommandResult());
    }
    // Reading up carries out what is due, so the ledger has to know of it.
    attempt = parts_.ledger.begin(request, std::nullopt);
    if (!only_reads_up && std::exchange(sending->claim, attempt)) {
      world.violated("A batch was tied to its key twice");
    }
  } else {
    const auto place = std::stoull(request.request_id.substr(slash + kItem.size()));
    check_command(request, *sending, place);
    attempt = sending->attempts[place] = parts_.ledger.begin(request, asked(*sending, place));
  }
  auto sent = std::move(request);
  sent.request_id = attempt->request_id;
  sent.decide = Ledger::watched(attempt);
  auto& node = sending->node;
  const auto told = [this, attempt, &node,
                     done = std::move(done)](const Result<CommandResult>& result) {
    parts_.ledger.ended(attempt, result);
    if (result && result->position && !node.shows(attempt->request.stream, *result->position)) {
      parts_.world.violated(attempt->request_id + " was acknowledged by " + node.name() +
                            ", which does not show it yet");
    }
    done(result);
  };
  if (node.carry_out(std::move(sent), told)) return;
  Ledger::not_sent(attempt);
  told(busy("The node takes nothing."));
}

void SentBatches::check_command(const CommandRequest& request, const Sending& sending,
                                std::size_t place) {
  const auto& wish = sending.batch.wishes[place];
  const auto wrong = [&](const std::string& what) {
    parts_.world.violated("Request " + std::to_string(place) + " of a batch " + what);
  };
  if (sending.attempts[place]) wrong("was begun twice");
  if (wish.reads()) return wrong("only reads, and is a command");
  if (refers(*asked(sending, place))) wrong("was begun without an id that it refers to");
  if (request.stream != sending.batch.client.owner) wrong("is in another stream");
  if (request.actor != "key_1") wrong("has another actor");
  if (request.traceparent != kTraceparent) wrong("has another trace");
  if (request.farm_limit != parts_.farm_limit) wrong("has another limit of farms");
  if (request.idempotency.has_value() != !sending.batch.key.empty()) {
    wrong("has a key, or none, unlike its batch");
  }
  if (request.if_match != wish.if_match) wrong("has another If-Match");
}

std::string SentBatches::wrong_in(const Sending& sending, const HttpResponse& response) const {
  const auto json = parse_json(response.body);
  if (!json) return "a batch's response is no JSON";
  if (response.status != 200) return wrong_refusal(sending, response);
  if (sending.batch.is_another) return {};  // its key may not count any more
  const auto& answers = json->find("data")->children;
  if (answers.size() != sending.attempts.size()) return "a batch has more or fewer answers";
  std::size_t good = 0, skipped = 0;
  bool failed = false, failed_for_certain = false;
  for (std::size_t place = 0; place < answers.size(); ++place) {
    const auto& answer = answers[place].second;
    const auto& attempt = sending.attempts[place];
    if (auto wrong = wrong_in_place(sending, answer, place); !wrong.empty()) {
      return "request " + std::to_string(place) + " of a batch " + wrong;
    }
    good += is_success(status_of(answer)) ? 1 : 0;
    skipped += was_not_attempted(answer) ? 1 : 0;
    if (was_not_attempted(answer) && !(sending.batch.stops && failed)) {
      return "a request of a batch was not attempted, though none before it had failed";
    }
    if (failed_for_certain && attempt && took_effect(*attempt)) {
      return "a request of a batch was carried out, though one before it had failed";
    }
    if (is_success(status_of(answer))) continue;
    failed = true;
    const bool counts = sending.batch.stops && place >= sending.done_before;
    if (counts && !(attempt && is_unknown(*attempt))) failed_for_certain = true;
  }
  const auto says = [&](std::string_view name, std::size_t count) {
    return text_in(*json, {"meta", name}) == std::to_string(count);
  };
  if (!says("succeeded", good) || !says("notAttempted", skipped) ||
      !says("failed", answers.size() - good - skipped)) {
    return "a batch counts its answers wrong";
  }
  return wrong_order(sending, response);
}

std::string SentBatches::wrong_refusal(const Sending& sending, const HttpResponse& response) {
  const bool has_begun =
      std::ranges::any_of(sending.attempts, [](const auto& each) { return each != nullptr; });
  const bool may_come_again = response.header("Retry-After") != nullptr;
  if (response.status == 503 && may_come_again) return {};
  const bool for_its_key = response.status == 409 && !has_begun;
  if (for_its_key && (may_come_again || sending.batch.is_another)) return {};
  return "a batch was answered " + std::to_string(response.status) + ": " + response.body;
}

std::string SentBatches::wrong_in_place(const Sending& sending, const Json& answer,
                                        std::size_t place) {
  const auto& wish = sending.batch.wishes[place];
  const auto& attempt = sending.attempts[place];
  const auto status = status_of(answer);
  const auto code = text_in(answer, {"body", "code"});
  const auto id = text_in(answer, {"body", "data", "id"});
  if (text_in(answer, {"id"}) != "r" + std::to_string(place)) return "has another id";
  const bool refers_to_nothing = std::ranges::any_of(wish.refers_to, [&](std::size_t other) {
    const auto& its = sending.attempts[other];
    return !its || !succeeded(*its);
  });
  if (!attempt) {
    if (is_success(status) && !wish.reads()) return "was answered as done, and was not begun";
    if (is_success(status) && refers_to_nothing) return "was read without an id";
    const bool of_others =
        code == "NOT_ATTEMPTED" || (code == "FAILED_DEPENDENCY") == refers_to_nothing;
    const bool may_be = of_others && (wish.reads() || status == 424 || status == 503);
    return may_be ? "" : "was answered " + std::to_string(status) + " " + code + ", and not begun";
  }
  if (!attempt->result) return "was answered before its command was";
  const auto& result = *attempt->result;
  if (!result) {
    const bool held = was_not_attempted(answer) && is_unknown(*attempt);
    const bool same = held || (status >= 400 && code == name_of(result.error().code));
    return same ? ""
                : "was answered " + std::to_string(status) + " " + code + ", and not refused so";
  }
  if (result->refusal) {
    // It was refused when its batch was sent before; now one before it failed.
    const bool skipped = result->replayed && was_not_attempted(answer);
    const bool same = !is_success(status) && code == result->refusal->code;
    return skipped || same ? "" : "has another refusal";
  }
  const auto what = wish.asked->what;
  const bool completes = wish.asked->form == PlainRequest::Form::kCompletion;
  const auto expected = what == What::kRemove                 ? 204
                        : what == What::kCreate && !completes ? 201
                                                              : 200;
  if (status != expected) return "was done, and answered " + std::to_string(status);
  return what == What::kRemove || id == id_in(*result) ? "" : "shows another record";
}

// A read shows what was done before it in its batch.
std::string SentBatches::wrong_in_read(const Sending& sending, const Json& answer,
                                       std::size_t place) {
  const auto id_of = [&](std::size_t other) { return made_by(sending, other); };
  const auto subject = with_ids(sending.batch.wishes[place].subject, id_of);
  const bool is_there = is_success(status_of(answer));
  if (is_there && text_in(answer, {"body", "data", "id"}) != subject) return "shows another record";
  for (std::size_t other = 0; other < place; ++other) {
    const auto& attempt = sending.attempts[other];
    if (!is_there || !attempt || !took_effect(*attempt)) continue;
    const bool removes = attempt->asked->what == What::kRemove;
    const auto& result = **attempt->result;
    if ((removes ? attempt->asked->id : id_in(result)) != subject) continue;
    if (removes) return "shows what was removed before";
    const auto shown = text_in(answer, {"body", "data", "updatedAt"});
    if (!shown.empty() && shown < result.at.text()) return "shows a record as it was before";
  }
  return {};
}

// Since its key was tied to it: what was done before that under the same key no longer counts.
bool SentBatches::was_done_under_its_key(const Sending& sending, std::size_t place) {
  const auto done = sending.was_done.find(place);
  const bool is_tied = sending.claim && succeeded(*sending.claim);
  return is_tied && done != sending.was_done.end() && done->second >= (*sending.claim->result)->at;
}

// What a batch does happens in its order, after its key was tied to it, and its response says up to
// where.
std::string SentBatches::wrong_order(const Sending& sending, const HttpResponse& response) {
  std::int64_t last = -1;
  if (sending.claim && succeeded(*sending.claim) && (*sending.claim->result)->position) {
    last = (*sending.claim->result)->position->offset;
  }
  for (const auto& attempt : sending.attempts) {
    if (!attempt || !took_effect(*attempt)) continue;
    const auto at = (*attempt->result)->position->offset;
    if (at <= last) return "the requests of a batch happened in another order";
    last = at;
  }
  const auto* token = response.header("Tilth-Position");
  const auto shown = token == nullptr ? std::nullopt : read_position_token(*token);
  return last < 0 || (shown && shown->offset >= last) ? "" : "a batch shows an older position";
}

void SentBatches::check() {
  for (const auto& batch : batches_) {
    if (batch->key.empty() || parts_.ledger.was_erased(batch->client.owner)) continue;
    for (std::size_t place = 0; place < batch->wishes.size(); ++place) {
      std::optional<Timestamp> done_at;
      for (const auto& sending : batch->sendings) {
        const auto& attempt = sending->attempts[place];
        if (!attempt || !has_changed_something(*attempt)) continue;
        const auto at = attempt->record->envelope.time;
        if (done_at && at.at - done_at->at < kKeyCounts) {
          parts_.world.violated("Request " + std::to_string(place) +
                                " of a batch took effect twice, first in " + attempt->request_id);
        }
        done_at = at;
      }
    }
    for (const auto& sending : batch->sendings) {
      check_stop(*sending);
      check_not_attempted(*sending);
    }
  }
}

// By the log, whatever was answered.
void SentBatches::check_stop(const Sending& sending) {
  if (!sending.batch.stops) return;
  bool failed = false;
  for (std::size_t place = 0; place < sending.attempts.size(); ++place) {
    const auto& attempt = sending.attempts[place];
    if (!attempt) continue;
    if (failed && has_changed_something(*attempt)) {
      parts_.world.violated(attempt->request_id +
                            " of a batch happened, though one before it had failed");
    }
    const bool refused = attempt->result && !succeeded(*attempt) && !is_unknown(*attempt);
    if (refused && place >= sending.done_before) failed = true;
  }
}

// What was done before it was erased need not be remembered, and only the log says when that was.
void SentBatches::check_not_attempted(const Sending& sending) {
  if (!sending.response || sending.response->status != 200 || sending.batch.is_another) return;
  const auto answers = parse_json(sending.response->body)->find("data")->children;
  for (std::size_t place = 0; place < answers.size(); ++place) {
    if (!was_not_attempted(answers[place].second)) continue;
    if (!was_done_under_its_key(sending, place)) continue;
    parts_.world.violated(
        "A request of a batch is said not to have been attempted, and was done before");
  }
}

}  // namespace tilth::testing
