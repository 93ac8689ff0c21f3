#include "api/platform/joint_queries.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string_view>
#include <utility>

#include "api/http/refusal.h"
#include "api/platform/busy.h"
#include "api/platform/forwarding.h"
#include "api/platform/metered_rows.h"
#include "api/routing/resource_route.h"
#include "events/log/streams.h"
#include "projections/market/market.h"

namespace tilth {
namespace {

constexpr std::chrono::seconds kTimeout{5};    // over all that it waits for
constexpr int kMostRounds = 3;                 // what is known may have changed in between
constexpr std::size_t kMuchToJoin = 32 << 10;  // bytes: takes more than a millisecond
constexpr const char* kTooLate = "The latest changes cannot be read yet.";

std::uint64_t hash_of(const Call& call) {
  const auto hash = std::hash<std::string_view>{}(call.request().query);
  return hash == 0 ? 1 : hash;
}

// Questions with the same key have the same response, at the same moment. Other nodes are told
// which position it must have reached by the first one's header.
std::string key_of(const JointQueries::Asked& asked) {
  const auto& request = asked.call.request();
  auto key = asked.stream + ' ' + request.path + '?' + request.query;
  if (const auto& since = asked.since) {
    key += ' ' + std::to_string(since->partition) + ':' + std::to_string(since->offset);
  }
  return key;
}

// Of an exchange for several clients: it ends early once all of them are gone. What they are
// answered does not go through it.
class Together final : public Responder {
 public:
  explicit Together(std::vector<std::shared_ptr<Exchange>> of) : of_(std::move(of)) {}

  void respond(HttpResponse /*response*/) override {}
  std::unique_ptr<BodyStream> stream(HttpResponse /*head*/) override { return nullptr; }
  bool abandoned() const override {
    return std::ranges::all_of(of_, [](const auto& each) { return each->abandoned(); });
  }

 private:
  const std::vector<std::shared_ptr<Exchange>> of_;
};

// The first one's, for all of them.
Call call_of(const std::vector<JointQueries::Asked>& askers) {
  std::vector<std::shared_ptr<Exchange>> of;
  for (const auto& asked : askers) of.push_back(asked.call.exchange);
  Call call = askers.front().call;
  const auto& first = *call.exchange;
  auto together = std::make_shared<Exchange>(
      first.request(), std::make_unique<Together>(std::move(of)), first.request_id(), nullptr);
  together->set_trace(first.traceparent());
  call.exchange = std::move(together);
  return call;
}

}  // namespace

// The cells here that are asked, one after another.
struct JointQueries::Here {
  Asked asked;
  CellTexts asks;
  std::vector<Position> since;     // what they have to have read
  std::vector<std::size_t> cells;  // that are waited for
  std::size_t next = 0;            // of these
  bool is_late = false;            // whether that one was waited for in vain
  OnParts done;
};

// A question under way, of one client or of several.
struct JointQueries::Joint {
  std::string key;            // empty: the next one with the same question does not wait for it
  std::vector<Asked> askers;  // who get the response
  Asked asked;                // the first one, for all of them, until the first deadline
  int rounds = 0;
  std::mutex mutex;  // guards what follows
  int missing = 0;   // answers: for the cells here, and for those of other nodes
  CellTexts parts;
  std::optional<Error> failed;
};

bool JointQueries::has_to_join(const Cells& cells) const {
  return parts_.forwarding != nullptr || cells.count() > 1;
}

// What is asked of other nodes is asked by one question at a time: equal ones that come meanwhile
// are asked together afterwards. They cannot have its response, since a client may have written
// after a cell was asked.
void JointQueries::answer(Asked asked) {
  asked.until = parts_.steady() + kTimeout;
  std::string key;
  if (parts_.forwarding != nullptr && !all_are_here(*asked.cells)) {
    key = key_of(asked);
    const std::lock_guard lock(mutex_);
    const auto [waiting, is_first] = waiting_.try_emplace(key);
    if (!is_first) return waiting->second.push_back(std::move(asked));
  }
  std::vector<Asked> askers;
  askers.push_back(std::move(asked));
  begin(std::move(key), std::move(askers));
}

void JointQueries::begin(std::string key, std::vector<Asked> askers) {
  const auto joint = std::make_shared<Joint>();
  joint->asked = askers.front();
  if (!key.empty()) joint->asked.call = call_of(askers);
  for (const auto& asked : askers) {
    joint->asked.until = std::min(joint->asked.until, asked.until);
  }
  joint->key = std::move(key);
  joint->askers = std::move(askers);
  begin_round(joint);
}

void JointQueries::finish(Joint& joint, const HttpResponse& response) {
  for (const auto& asked : std::exchange(joint.askers, {})) asked.call.answer(response);
  while (!joint.key.empty()) {
    std::vector<Asked> next;
    {
      const std::lock_guard lock(mutex_);
      const auto waiting = waiting_.find(joint.key);
      next = std::exchange(waiting->second, {});
      if (next.empty()) return void(waiting_.erase(waiting));
    }
    std::erase_if(next, [now = parts_.steady()](const auto& asked) {
      const bool too_late = asked.until <= now;
      if (too_late) asked.call.answer(busy(kTooLate));
      return too_late;
    });
    if (!next.empty()) return begin(std::exchange(joint.key, {}), std::move(next));
  }
}

void JointQueries::answer_parts(Asked asked) {
  const auto& request = asked.call.request();
  auto asks = read_cell_texts(request.body);
  if (!asks) return asked.call.answer(Error{ErrorCode::kBadRequest, "These are no cells."});
  const auto cells = parts_.forwarding->cells();
  const bool alike = *request.header(Forwarding::kParts) == std::to_string(cells);
  std::erase_if(*asks, [&](const auto& ask) {
    return ask.first >= cells || !is_answered_here(*asked.cells, ask.first);
  });
  if (!alike || asks->empty()) return asked.call.answer(Forwarding::not_here());
  asked.until = parts_.steady() + std::min<std::chrono::milliseconds>(
                                      kTimeout, Forwarding::within(request).value_or(kTimeout));
  ask_here(asked, std::move(*asks), [call = asked.call](const Result<CellTexts>& parts) {
    parts ? call.answer(json_response(200, written(*parts))) : call.answer(parts.error());
  });
}

// One that has stopped folding may go on elsewhere.
bool JointQueries::is_answered_here(const Cells& cells, std::size_t cell) const {
  return parts_.forwarding->is_here(cell) && !cells.at(cell).projector().lacks_events();
}

bool JointQueries::all_are_here(const Cells& cells) const {
  for (std::size_t cell = 0; cell < parts_.forwarding->cells(); ++cell) {
    if (!is_answered_here(cells, cell)) return false;
  }
  return true;
}

std::chrono::milliseconds JointQueries::left_of(const Asked& asked) const {
  return std::chrono::ceil<std::chrono::milliseconds>(asked.until - parts_.steady());
}

void JointQueries::ask_here(const Asked& asked, CellTexts asks, OnParts done) {
  const auto here = std::make_shared<Here>();
  here->asked = asked;
  here->asks = std::move(asks);
  here->since = parts_.registry.read_so_far();  // so that clients read their own writes
  if (asked.since) here->since.push_back(*asked.since);
  for (const auto& [cell, ask] : here->asks) here->cells.push_back(cell);
  const auto reference = asked.cells->number_of(kReferenceStream);  // has the names of crops
  if (!here->asks.contains(reference)) here->cells.push_back(reference);
  here->done = std::move(done);
  advance(here);
}

// Waits for one cell after another, and then has all of them answer.
void JointQueries::advance(const std::shared_ptr<Here>& here) {
  const auto& stream = here->asked.stream;
  auto& cells = *here->asked.cells;
  for (; here->next < here->cells.size(); ++here->next, here->is_late = false) {
    const auto cell = here->cells[here->next];
    auto& loop = cells.at(cell);
    const auto& projector = loop.projector();
    if (projector.lacks_events()) return here->done(read_model_lags());
    for (const auto& position : here->since) {
      if (!cells.concerns(cell, position) || projector.view(stream, position)) continue;
      if (here->is_late) {
        // Another owner's long removal must not delay this query.
        if (projector.view(here->asked.call.user_id(), position)) continue;
        return here->done(busy(kTooLate));
      }
      const auto left = left_of(here->asked);
      if (left.count() <= 0) return here->done(busy(kTooLate));
      return loop.when_reached(stream, position, left, [this, here](bool reached) {
        here->is_late = !reached;
        advance_later(here, true, kTooLate);
      });
    }
    const auto now = parts_.clock.now();
    if (prices_are_current(projector.view(stream)->rows, now)) continue;
    return loop.when_aged(stream, now, [=, this](bool aged) {
      advance_later(here, aged, "What is due cannot be listed at the moment.");
    });
  }
  compute(here);
}

void JointQueries::advance_later(const std::shared_ptr<Here>& here, bool waited,
                                 const char* otherwise) {
  if (!waited) return here->done(busy(otherwise));
  try {
    advance(here);
  } catch (const UnreadableRows& rows) {
    parts_.row_faults.report(rows);
    here->done(rows_unreadable());
  }
}

void JointQueries::compute(const std::shared_ptr<Here>& here) {
  const auto hash = hash_of(here->asked.call);
  if (expensive_.contains(hash)) return compute_later(here);
  RowMeter meter;
  try {
    return here->done(computed(*here, meter));
  } catch (const RowBudgetSpent&) {
    expensive_.insert(hash);
    compute_later(here);
  }
}

void JointQueries::run_later(const Call& call, std::function<void(WorkToken&)> work,
                             std::function<void(const Error&)> refused) {
  const auto posted = parts_.executor.post(
      {.owner = call.user_id(),
       .kind = WorkKind::kQuery,
       .run = [work = std::move(work),
               refused](WorkToken& token) { token.go_on() ? work(token) : refused(token.error()); },
       .abandoned = [exchange = call.exchange] { return exchange->abandoned(); }});
  if (!posted) refused(posted.error());
}

void JointQueries::compute_later(const std::shared_ptr<Here>& here) {
  const auto compute = [this, here](WorkToken& token) {
    RowMeter meter(token);
    try {
      here->done(computed(*here, meter));
    } catch (const QueryCancelled&) {
      here->done(token.error());
    }
    if (meter.spent() <= RowMeter::kStepsAtOnce) expensive_.erase(hash_of(here->asked.call));
  };
  run_later(here->asked.call, compute, [here](const Error& error) { here->done(error); });
}

Result<CellTexts> JointQueries::computed(const Here& here, RowMeter& meter) const {
  CellTexts parts;
  try {
    for (const auto& [cell, ask] : here.asks) {
      const auto view = here.asked.cells->at(cell).projector().view(here.asked.stream);
      const MeteredRows rows(*view->state, meter);
      auto part = here.asked.question->part(view->rows.read_through(rows), ask);
      if (!part) return part.error();
      parts[cell] = std::move(*part);
    }
  } catch (const UnreadableRows& rows) {
    parts_.row_faults.report(rows);
    return rows_unreadable();
  }
  return parts;
}

void JointQueries::begin_round(const std::shared_ptr<Joint>& joint) {
  const auto& asked = joint->asked;
  const auto left = left_of(asked);
  if (left.count() <= 0) return finish(*joint, refusal(busy(kTooLate)));
  auto* forwarding = parts_.forwarding;
  const auto cells = forwarding == nullptr ? asked.cells->count() : forwarding->cells();
  CellTexts here, others;
  for (std::size_t cell = 0; cell < cells; ++cell) {
    const bool is_here = forwarding == nullptr || is_answered_here(*asked.cells, cell);
    (is_here ? here : others)[cell] = asked.question->ask(cell, cells);
  }
  ++joint->rounds;
  joint->parts.clear();
  joint->missing = others.empty() ? 1 : 2;
  if (!others.empty()) {
    forwarding->ask_cells(
        asked.call, left, std::move(others),
        [this, joint](Result<CellTexts> parts) { on_parts(joint, std::move(parts)); });
  }
  try {
    ask_here(asked, std::move(here),
             [this, joint](Result<CellTexts> parts) { on_parts(joint, std::move(parts)); });
  } catch (const UnreadableRows& rows) {
    parts_.row_faults.report(rows);
    on_parts(joint, rows_unreadable());
  }
}

void JointQueries::on_parts(const std::shared_ptr<Joint>& joint, Result<CellTexts> parts) {
  {
    const std::lock_guard lock(joint->mutex);
    parts ? joint->parts.merge(*parts) : void(joint->failed = parts.error());
    if (--joint->missing > 0) return;
  }
  if (joint->failed) return finish(*joint, refusal(*joint->failed));
  std::size_t bytes = 0;
  for (const auto& [cell, part] : joint->parts) bytes += part.size();
  if (bytes <= kMuchToJoin) return join(joint);
  run_later(
      joint->asked.call, [this, joint](WorkToken&) { join(joint); },
      [this, joint](const Error& error) { finish(*joint, refusal(error)); });
}

// The reference data is in every cell, and a cell with nothing else is on every node.
void JointQueries::join(const std::shared_ptr<Joint>& joint) {
  auto& asked = joint->asked;
  std::vector<std::string> parts;
  for (auto& [cell, part] : joint->parts) parts.push_back(std::move(part));
  Result<std::optional<HttpResponse>> response = std::optional<HttpResponse>();
  try {
    const auto view = asked.cells->of(kReferenceStream).projector().view(asked.stream);
    response = asked.question->join(parts, view->rows);
  } catch (const UnreadableRows& rows) {
    parts_.row_faults.report(rows);
    response = rows_unreadable();
  }
  if (!response) return finish(*joint, refusal(response.error()));
  if (*response) return finish(*joint, **response);
  if (joint->rounds < kMostRounds) return begin_round(joint);
  finish(*joint, refusal(busy("The prices change too fast to be added up exactly at the moment.")));
}

}  // namespace tilth
