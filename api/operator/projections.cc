// Operators control projections: rebuild, verify, pause, or skip an event.

#include <algorithm>
#include <utility>

#include "api/keys/operator_ring.h"
#include "api/operator/commands.h"
#include "api/operator/member_json.h"
#include "api/operator/projection_state.h"
#include "events/values/utf8.h"

namespace tilth {
namespace {

struct SkipOrder {
  std::int64_t partition = 0;
  std::int64_t offset = 0;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("partition", partition, {.required = true, .min = 0, .max = INT32_MAX}),
       member("offset", offset, {.required = true, .min = 0}));
  }
};

// The projections that the path names: one, or with `all` every one.
struct Named {
  std::vector<OperatedProjection*> projections;
  bool all = false;
};

Result<Named> named(const OperatorParts& parts, const Call& call, bool may_be_all) {
  const auto name = call.id("name");
  if (may_be_all && name == "all") return Named{parts.projections, true};
  const auto found = std::find_if(parts.projections.begin(), parts.projections.end(),
                                  [&](const auto* each) { return each->name() == name; });
  if (found == parts.projections.end()) {
    std::string there;
    for (const auto* each : parts.projections) there += (there.empty() ? "" : ", ") + each->name();
    return Error{ErrorCode::kNotFound, "There is no projection '" + well_formed(name) +
                                           "'; there are " + there +
                                           (may_be_all ? ", and all for every one." : ".")};
  }
  return Named{{*found}};
}

const std::string& name_of_operator(const Call& call) { return call.operated_by->name; }

// Whether a parameter is given whose only valid value is `value`.
Result<bool> flag(const Call& call, std::string_view name, std::string_view value) {
  RequestIssues problems;
  const auto* text = QueryReader(call.query, problems).find(name);
  if (text != nullptr && *text != value) {
    problems.values[std::string(name)] = {"must be " + std::string(value)};
  }
  if (const auto verdict = problems.verdict(); !verdict) return verdict.error();
  return text != nullptr;
}

// {"data": …} for one, or a list for all.
HttpResponse answer_of(int status, const Named& named, const std::vector<std::string>& each) {
  std::string json = named.all ? "{\"data\":[" : "{\"data\":";
  for (const auto& text : each) {
    if (json.back() == '}') json.push_back(',');
    json.append(text);
  }
  return json_response(status, json.append(named.all ? "]}" : "}"));
}

// Responds with their current state, as in the status.
void answer_standing(const OperatorParts& parts, const Call& call, Named named) {
  const auto answer = [&parts, exchange = call.exchange,
                       named = std::move(named)](const LogEnds& ends) {
    std::vector<std::string> each;
    for (const auto* projection : named.projections) {
      each.push_back(projection_json(*projection, ends, parts.clock.now()));
    }
    exchange->answer(answer_of(200, named, each));
  };
  ask_ends(parts.log, answer, parts.streams->hold());
}

// Runs a change on each, on a thread of its own, until one fails.
void order(const OperatorParts& parts, const Call& call, bool may_be_all,
           std::function<Status(OperatedProjection&)> give) {
  auto on = named(parts, call, may_be_all);
  if (!on) return call.answer(on.error());
  run_aside(parts, call, [&parts, call, on = std::move(*on), give = std::move(give)] {
    for (auto* projection : on.projections) {
      if (const auto given = give(*projection); !given) {
        return call.answer(given.error());
      }
    }
    answer_standing(parts, call, on);
  });
}

void pause(const OperatorParts& parts, const Call& call) {
  order(parts, call, true, [by = name_of_operator(call)](auto& each) { return each.pause(by); });
}

void resume(const OperatorParts& parts, const Call& call) {
  order(parts, call, true, [by = name_of_operator(call)](auto& each) { return each.resume(by); });
}

void release(const OperatorParts& parts, const Call& call) {
  order(parts, call, true, [](OperatedProjection& each) { return each.release(); });
}

void skip(const OperatorParts& parts, const Call& call) {
  if (const auto on = named(parts, call, false); !on) return call.answer(on.error());
  SkipOrder at;
  Issues issues;
  read_body(call.request().body, at, issues);
  if (!issues.empty()) return call.answer(invalid(issues));
  const Position position{static_cast<int>(at.partition), at.offset};
  order(parts, call, false,
        [position, by = name_of_operator(call)](auto& each) { return each.skip(position, by); });
}

void switch_over(const OperatorParts& parts, const Call& call) {
  const auto back = flag(call, "to", "previous");
  if (!back) return call.answer(back.error());
  order(parts, call, false,
        [back = *back](OperatedProjection& each) { return each.switch_over(back); });
}

void rebuild(const OperatorParts& parts, const Call& call) {
  auto on = named(parts, call, true);
  if (!on) return call.answer(on.error());
  const auto manual = flag(call, "switch", "manual");
  if (!manual) return call.answer(manual.error());
  run_aside(parts, call, [call, on = std::move(*on), manual = *manual] {
    const auto by = name_of_operator(call);
    for (const auto* projection : on.projections) {
      const auto building = projection->standing().building;
      if (!building || building->state == ProjectionState::kFaulted) continue;
      return call.answer(Error{ErrorCode::kConflict,
                               "Generation " + std::to_string(building->generation) + " of " +
                                   projection->name() + " is being built already."});
    }
    std::vector<std::string> each;
    for (auto* projection : on.projections) {
      const auto generation = projection->rebuild(manual, by);
      if (!generation) return call.answer(generation.error());
      std::string json = "{";
      append_member(json, "name", projection->name());
      append_member(json, "generation", *generation);
      each.push_back(json + "}");
    }
    call.answer(answer_of(202, on, each));
  });
}

void verify(const OperatorParts& parts, const Call& call) {
  auto on = named(parts, call, true);
  if (!on) return call.answer(on.error());
  run_aside(parts, call, [call, on = std::move(*on)] {
    std::vector<std::string> each;
    for (auto* projection : on.projections) {
      const auto compared = projection->verify();
      if (!compared) return call.answer(compared.error());
      std::string json = "{";
      append_member(json, "name", projection->name());
      append_member(json, "rows", compared->rows);
      append_member(json, "found", compared->found);
      append_member(json, "differences", compared->differences);
      each.push_back(json + "}");
    }
    call.answer(answer_of(200, on, each));
  });
}

}  // namespace

std::vector<OperatorRoute> operator_projection_routes() {
  const auto post = [](std::string_view pattern, std::string_view summary, auto serve) {
    return operator_route("POST", pattern, summary, serve);
  };
  return {
      post("/operator/v1/projections/{name}/rebuild", "Fold the log into another generation",
           rebuild),
      post("/operator/v1/projections/{name}/switch", "Read another generation", switch_over),
      post("/operator/v1/projections/{name}/verify", "Fold the log again and compare", verify),
      post("/operator/v1/projections/{name}/pause", "Stand still", pause),
      post("/operator/v1/projections/{name}/resume", "Go on", resume),
      post("/operator/v1/projections/{name}/release", "Remove the former generation", release),
      post("/operator/v1/projections/{name}/skip", "Pass over an event that cannot be read", skip),
  };
}

}  // namespace tilth
