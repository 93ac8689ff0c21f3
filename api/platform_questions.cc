// How the Api answers a question: from which rows, once they are new enough, whole or piece by
// piece.

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/as_of.h"
#include "api/platform.h"
#include "api/refusal.h"
#include "projections/aging.h"
#include "projections/market.h"

namespace tilth {
namespace {

constexpr int kMostStreams = 32;

// The last record that was read of each partition, whosever it is.
std::vector<Position> read_of_all(const Projector& projector) {
  std::vector<Position> read;
  for (const auto& [partition, offset] : projector.progress().next) {
    if (offset > 0) read.push_back({partition, offset - 1});
  }
  return read;
}

}  // namespace

// Whatever computes an answer from rows does it in here, on whichever thread. Rows that cannot be
// read are 503, and fault the projection whose they are.
void Api::from_rows(const Shared& exchange, const std::function<void()>& answer) {
  try {
    answer();
  } catch (const UnreadableRows& rows) {
    cannot_read(rows);
    exchange->answer(unreadable());
  }
}

void Api::cannot_read(const UnreadableRows& rows) {
  parts_.registry.projector().cannot_read(rows);
  for (const auto& [name, other] : parts_.others) other->projector().cannot_read(rows);
}

void Api::ask(Work work) {
  const auto exchange = work.exchange;
  from_rows(exchange, [&] {
    if (work.route->projection == kRegistry) return ask_registry(std::move(work));
    const bool of_all = !work.route->stream.empty();
    auto since = of_all ? read_of_all(parts_.registry.projector())
                        : parts_.registry.read_so_far(work.owner());
    ask_other(std::move(work), since);
  });
}

void Api::ask_registry(Work work) {
  const auto& owner = work.owner();
  const auto& registry = parts_.registry.projector();
  if (registry.lacks_events()) return work.exchange->answer(stands_still());
  auto now = parts_.clock.now();
  auto view = registry.view(owner);
  if (work.route->ages) {
    const auto as_of = lists_as_of(view->rows, now);
    if (!as_of) return ask_when_aged(std::move(work), parts_.registry, owner, now);
    now = *as_of;
  }
  answer_from(work, std::move(*view), now);
}

// Once it is as new as the registry was, so that whoever changed something reads that.
void Api::ask_other(Work work, const std::vector<Position>& since) {
  auto& other = *parts_.others.at(work.route->projection);
  const auto& projector = other.projector();
  if (projector.lacks_events()) return work.exchange->answer(stands_still());
  const auto stream = work.stream();
  for (const auto& position : since) {
    if (projector.view(stream, position)) continue;
    return other.when_reached(stream, position, kPatience, [=, this, &other](bool reached) {
      // What others remove at length holds up nobody.
      if (reached || other.projector().view(work.owner(), position)) {
        return from_rows(work.exchange,
                         [&] { ask_other(work, reached ? since : std::vector<Position>()); });
      }
      work.exchange->answer(Error{.code = ErrorCode::kUnavailable,
                                  .message = "What was changed last cannot be told just yet.",
                                  .retry_after_seconds = 1});
    });
  }
  const auto now = parts_.clock.now();
  auto view = projector.view(stream);
  if (work.route->ages && !prices_stand(view->rows, now)) {
    return ask_when_aged(std::move(work), other, stream, now);
  }
  answer_from(work, std::move(*view), now);
}

// Of an earlier time nothing is kept, so there is nothing that an entity tag could name.
void Api::ask_past(Work work) {
  const auto& route = *work.route;
  const auto owner = work.owner();
  const auto at = *work.as_of;
  parts_.as_of->fold(route.projection, owner, at, route.ages,
                     [this, at, work = std::move(work)](Result<RowView> past) {
                       if (!past) return work.exchange->answer(past.error());
                       from_rows(work.exchange, [&] { answer_from(work, std::move(*past), at); });
                     });
}

void Api::answer_from(const Work& work, RowView view, Timestamp now) {
  const auto& exchange = work.exchange;
  const auto& question = std::get<Question>(*work.intent);
  auto answer = question(view.rows, now);
  if (!answer) return exchange->answer(answer.error());
  if (!answer->next) {
    if (work.as_of) {
      std::erase_if(answer->response.headers,
                    [](const auto& header) { return header.first == "ETag"; });
    }
    return exchange->answer(std::move(answer->response));
  }
  if (exchange->request().method == "HEAD") {
    return exchange->stream(std::move(answer->response))->end();
  }
  // The rows of a view that is kept stay where they are.
  const auto kept = std::make_shared<RowView>(std::move(view));
  auto long_answer = question(kept->rows, now);
  if (!long_answer) return exchange->answer(long_answer.error());
  send_piece_by_piece(exchange, kept, std::move(*long_answer));
}

void Api::ask_when_aged(Work work, CommandLoop& loop, const std::string& stream, Timestamp now) {
  loop.when_aged(stream, now, [this, work = std::move(work)](bool aged) {
    if (aged) return ask(work);
    work.exchange->answer(Error{.code = ErrorCode::kUnavailable,
                                .message = "What fell due cannot be listed just now.",
                                .retry_after_seconds = 1});
  });
}

void Api::send_piece_by_piece(const Shared& exchange, const std::shared_ptr<RowView>& view,
                              Answer answer) {
  const bool runs = parts_.streams.run(
      kMostStreams, [this, exchange, view, answer = std::move(answer)]() mutable {
        auto piece = std::exchange(answer.response.body, {});
        const auto body = exchange->stream(std::move(answer.response));
        try {
          bool open = body->write(std::move(piece));
          for (bool more = true; open && more;) {
            std::string following;
            more = answer.next(following);
            open = body->write(std::move(following));
          }
          if (open) body->end();
        } catch (const UnreadableRows& rows) {  // the answer breaks off, and its client can tell
          cannot_read(rows);
        }
      });
  if (runs) return;
  exchange->answer(Error{.code = ErrorCode::kUnavailable,
                         .message = "Too many long answers are under way.",
                         .retry_after_seconds = 1});
}

}  // namespace tilth
