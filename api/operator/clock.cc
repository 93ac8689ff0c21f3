// Operators move the test clock.

#include "api/operator/commands.h"

namespace tilth {
namespace {

struct ClockMove {
  std::optional<CalendarDuration> advance;
  std::optional<Timestamp> now;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("advance", advance), member("now", now));
  }
};

const Error kNoTestClock{ErrorCode::kNotFound, "The service runs without a test clock."};

HttpResponse clock_response(const OperatorParts& parts) {
  return json_response(200, "{\"data\":{\"now\":" + JsonWriter::text(parts.clock.now()) + "}}");
}

void show_clock(const OperatorParts& parts, const Call& call) {
  parts.clock_mover ? call.answer(clock_response(parts)) : call.answer(kNoTestClock);
}

void move(const OperatorParts& parts, const Call& call) {
  if (!parts.clock_mover) return call.answer(kNoTestClock);
  ClockMove asked;
  Issues issues;
  read_body(call.request().body, asked, issues);
  if (issues.empty() && asked.advance.has_value() == asked.now.has_value()) {
    issues["now"].emplace_back("must be given, or else advance, but not both");
  }
  if (!issues.empty()) return call.answer(invalid(issues));
  // A clock that has moved before a 503 would move twice if that is tried again.
  for (const auto cell : parts.registry.held()) {
    const auto& projector = parts.registry.at(cell).projector();
    if (projector.is_halted()) return call.answer(cannot_decide(projector));
  }
  const auto moved = asked.advance ? parts.clock_mover->advance(*asked.advance)
                                   : parts.clock_mover->move_to(*asked.now);
  if (!moved && moved.error().code == ErrorCode::kInvalid) {
    return call.answer(invalid({{"advance", {moved.error().message}}}));
  }
  if (!moved) return call.answer(moved.error());
  if (!parts.run_due) return call.answer(clock_response(parts));
  parts.run_due([exchange = call.exchange, &parts](const Status& ran) {
    ran ? exchange->answer(clock_response(parts)) : exchange->answer(ran.error());
  });
}

}  // namespace

std::vector<OperatorRoute> operator_clock_routes() {
  return {
      operator_route("GET", "/operator/v1/clock", "What time the service takes it to be",
                     show_clock),
      operator_route("POST", "/operator/v1/clock", "Move the test clock", move),
  };
}

}  // namespace tilth
