#include "api/platform/joint_queries.h"

#include <algorithm>
#include <chrono>
#include <mutex>
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
constexpr int kMostRounds = 3;  // what is known may have changed in between

Error busy(const char* message) {
  return {.code = ErrorCode::kUnavailable, .message = message, .retry_after_seconds = 1};
}

}  // namespace

// The cells here that are asked, one after another.
struct JointQueries::Here {
  Asked asked;
  CellTexts asks;
  std::vector<Position> since;  // what they have to have read
  CellTexts::const_iterator next = {};
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

bool JointQueries::are_several(const Cells& cells) const {
  return parts_.elsewhere != nullptr || cells.count() > 1;
}

void JointQueries::answer(Asked asked) {
  const auto joint = std::make_shared<Joint>();
  joint->asked = std::move(asked);
  begin_round(joint);
}

void JointQueries::answer_parts(Asked asked) {
  auto asks = read_cell_texts(asked.call.request().body);
  if (!asks) return asked.call.answer(Error{ErrorCode::kBadRequest, "These are no cells."});
  const bool all_here = std::ranges::all_of(
      *asks, [this](const auto& ask) { return parts_.elsewhere->is_here(ask.first); });
  if (!all_here) return asked.call.answer(Elsewhere::not_here());
  ask_here(asked, std::move(*asks), [call = asked.call](const Result<CellTexts>& parts) {
    parts ? call.answer(json_response(200, written(*parts))) : call.answer(parts.error());
  });
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
  here->next = here->asks.begin();
  here->done = std::move(done);
  advance(here);
}

// Waits for one cell after another, and then has all of them answer.
void JointQueries::advance(const std::shared_ptr<Here>& here) {
  const auto& stream = here->asked.stream;
  auto& cells = *here->asked.cells;
  for (; here->next != here->asks.end(); ++here->next) {
    auto& loop = cells.at(here->next->first);
    const auto& projector = loop.projector();
    if (projector.lacks_events()) return here->done(read_model_lags());
    for (const auto& position : here->since) {
      if (!cells.concerns(here->next->first, position)) continue;
      if (projector.view(stream, position)) continue;
      return loop.when_reached(stream, position, kTimeout, [=, this, &projector](bool reached) {
        // Another owner's long removal must not delay this query.
        const bool enough =
            reached || projector.view(here->asked.call.user_id(), position).has_value();
        if (!reached && enough) here->since.clear();
        advance_later(here, enough, "The latest changes cannot be read yet.");
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
  RowMeter meter;
  try {
    return here->done(computed(*here, meter));
  } catch (const RowBudgetSpent&) {
    compute_later(here);
  }
}

void JointQueries::compute_later(const std::shared_ptr<Here>& here) {
  const auto posted = parts_.executor.post(
      {.owner = here->asked.call.user_id(),
       .kind = WorkKind::kQuery,
       .run =
           [this, here](WorkToken& token) {
             if (!token.go_on()) return here->done(token.error());
             RowMeter meter(token);
             try {
               here->done(computed(*here, meter));
             } catch (const QueryCancelled&) {
               here->done(token.error());
             }
           },
       .abandoned = [exchange = here->asked.call.exchange] { return exchange->abandoned(); }});
  if (!posted) here->done(posted.error());
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
    const bool is_here = elsewhere == nullptr || elsewhere->is_here(cell);
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
  if (joint->failed) return joint->asked.call.answer(*joint->failed);
  parts_.row_faults.guard(joint->asked.call.exchange, [&] { join(joint); });
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
