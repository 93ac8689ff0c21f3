#include "api/platform/joint_queries.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string_view>
#include <utility>

#include "api/http/refusal.h"
#include "api/platform/elsewhere.h"
#include "api/platform/metered_rows.h"
#include "api/routing/resource_route.h"
#include "events/log/streams.h"
#include "projections/market/market.h"

namespace tilth {
namespace {

constexpr std::chrono::seconds kTimeout{2};
constexpr int kMostRounds = 3;                 // what is known may have changed in between
constexpr std::size_t kMuchToJoin = 32 << 10;  // bytes: takes more than a millisecond

Error busy(const char* message) {
  return {.code = ErrorCode::kUnavailable, .message = message, .retry_after_seconds = 1};
}

std::uint64_t hash_of(const Call& call) {
  const auto hash = std::hash<std::string_view>{}(call.request().query);
  return hash == 0 ? 1 : hash;
}

}  // namespace

// The cells here that are asked, one after another.
struct JointQueries::Here {
  Asked asked;
  CellTexts asks;
  std::vector<Position> since;     // what they have to have read
  std::vector<std::size_t> cells;  // that are waited for
  std::size_t next = 0;            // of these
  bool is_recent = false;          // whether that one need not be waited for any more
  OnParts done;
};

// A question under way.
struct JointQueries::Joint {
  Asked asked;
  int rounds = 0;
  std::mutex mutex;  // guards what follows
  int missing = 0;   // answers: for the cells here, and for those of other nodes
  CellTexts parts;
  std::optional<Error> failed;
};

bool JointQueries::has_to_join(const Cells& cells) const {
  return parts_.elsewhere != nullptr || cells.count() > 1;
}

void JointQueries::answer(Asked asked) {
  const auto joint = std::make_shared<Joint>();
  joint->asked = std::move(asked);
  begin_round(joint);
}

void JointQueries::answer_parts(Asked asked) {
  const auto& request = asked.call.request();
  auto asks = read_cell_texts(request.body);
  if (!asks) return asked.call.answer(Error{ErrorCode::kBadRequest, "These are no cells."});
  const auto cells = parts_.elsewhere->cells();
  const bool alike = *request.header(Elsewhere::kParts) == std::to_string(cells);
  std::erase_if(*asks, [&](const auto& ask) {
    return ask.first >= cells || !is_answered_here(*asked.cells, ask.first);
  });
  if (!alike || asks->empty()) return asked.call.answer(Elsewhere::not_here());
  ask_here(asked, std::move(*asks), [call = asked.call](const Result<CellTexts>& parts) {
    parts ? call.answer(json_response(200, written(*parts))) : call.answer(parts.error());
  });
}

// One that has stopped folding may go on elsewhere.
bool JointQueries::is_answered_here(const Cells& cells, std::size_t cell) const {
  return parts_.elsewhere->is_here(cell) && !cells.at(cell).projector().lacks_events();
}

// So that clients read their own writes.
std::vector<Position> JointQueries::recent_enough(const Asked& asked) const {
  auto since = parts_.registry.read_so_far();
  if (asked.since) since.push_back(*asked.since);
  return since;
}

void JointQueries::ask_here(const Asked& asked, CellTexts asks, OnParts done) {
  const auto here = std::make_shared<Here>();
  here->asked = asked;
  here->asks = std::move(asks);
  here->since = recent_enough(asked);
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
  for (; here->next < here->cells.size(); ++here->next, here->is_recent = false) {
    const auto cell = here->cells[here->next];
    auto& loop = cells.at(cell);
    const auto& projector = loop.projector();
    if (projector.lacks_events()) return here->done(read_model_lags());
    for (const auto& position : here->since) {
      if (here->is_recent || !cells.concerns(cell, position)) continue;
      if (projector.view(stream, position)) continue;
      return loop.when_reached(stream, position, kTimeout, [=, this, &projector](bool reached) {
        // Another owner's long removal must not delay this query.
        here->is_recent =
            !reached && projector.view(here->asked.call.user_id(), position).has_value();
        advance_later(here, reached || here->is_recent, "The latest changes cannot be read yet.");
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
  auto* elsewhere = parts_.elsewhere;
  const auto cells = elsewhere == nullptr ? asked.cells->count() : elsewhere->cells();
  CellTexts here, others;
  for (std::size_t cell = 0; cell < cells; ++cell) {
    const bool is_here = elsewhere == nullptr || is_answered_here(*asked.cells, cell);
    (is_here ? here : others)[cell] = asked.question->ask(cell, cells);
  }
  ++joint->rounds;
  joint->parts.clear();
  joint->missing = others.empty() ? 1 : 2;
  if (!others.empty()) {
    elsewhere->ask_cells(asked.call, std::move(others), [this, joint](Result<CellTexts> parts) {
      on_parts(joint, std::move(parts));
    });
  }
  parts_.row_faults.guard(asked.call.exchange, [&] {
    ask_here(asked, std::move(here),
             [this, joint](Result<CellTexts> parts) { on_parts(joint, std::move(parts)); });
  });
}

void JointQueries::on_parts(const std::shared_ptr<Joint>& joint, Result<CellTexts> parts) {
  {
    const std::lock_guard lock(joint->mutex);
    parts ? joint->parts.merge(*parts) : void(joint->failed = parts.error());
    if (--joint->missing > 0) return;
  }
  const auto& call = joint->asked.call;
  if (joint->failed) return call.answer(*joint->failed);
  std::size_t bytes = 0;
  for (const auto& [cell, part] : joint->parts) bytes += part.size();
  const auto join_parts = [this, joint] {
    parts_.row_faults.guard(joint->asked.call.exchange, [&] { join(joint); });
  };
  if (bytes <= kMuchToJoin) return join_parts();
  run_later(
      call, [join_parts](WorkToken&) { join_parts(); },
      [call](const Error& error) { call.answer(error); });
}

// The reference data is in every cell, and a cell with nothing else is on every node.
void JointQueries::join(const std::shared_ptr<Joint>& joint) {
  const auto& [call, question, cells, stream, since] = joint->asked;
  std::vector<std::string> parts;
  for (auto& [cell, part] : joint->parts) parts.push_back(std::move(part));
  const auto view = cells->of(kReferenceStream).projector().view(stream);
  auto response = question->join(parts, view->rows);
  if (!response) return call.answer(response.error());
  if (*response) return call.answer(std::move(**response));
  if (joint->rounds < kMostRounds) return begin_round(joint);
  call.answer(busy("The prices change too fast to be added up exactly at the moment."));
}

}  // namespace tilth
