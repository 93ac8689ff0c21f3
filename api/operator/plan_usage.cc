// The plans, and what a user has of theirs.

#include <chrono>
#include <cstdint>

#include "api/http/refusal.h"
#include "api/operator/commands.h"
#include "api/usage/named_plan.h"
#include "events/log/log_end.h"
#include "events/values/month.h"
#include "projections/access/ai_request.h"
#include "projections/land/farm.h"

namespace tilth {
namespace {

struct PlanUsage {
  std::int64_t farms = 0;
  std::int64_t ai_requests = 0;
  std::int64_t events = 0;  // events in the owner's history

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("farms", farms), member("aiRequestsThisMonth", ai_requests),
       member("events", events));
  }
};

void list_plans(const OperatorParts& parts, const Call& call) {
  std::string json = "{\"data\":[";
  for (const auto& [name, plan] : *parts.plans) {
    if (json.back() != '[') json.push_back(',');
    json.append(JsonWriter::text(NamedPlan{name, plan}));
  }
  call.answer(json_response(200, json + "]}"));
}

void answer_usage(const OperatorParts& parts, const Call& call) {
  answer_from(access_stream(parts), call, [&](const Rows& rows) -> Result<HttpResponse> {
    const auto user = find_user(rows, call.id("id"));
    if (!user) return Error{ErrorCode::kNotFound, "There is no such user."};
    const auto use = rows.find(Id<AiUse>{user->id.uuid});
    const auto own = parts.registry.of(user->user_id).projector().view(user->user_id);
    const PlanUsage used{
        static_cast<std::int64_t>(own->rows.count<Farm>({})),
        use ? use->in(Month::of(parts.clock.now())) : 0,
        static_cast<std::int64_t>(parts.index.version_at(user->user_id, INT64_MAX))};
    return json_response(200, "{\"data\":" + JsonWriter::text(used) + "}");
  });
}

// The index of the history may be some events behind.
void show_usage(const OperatorParts& parts, const Call& call) {
  using namespace std::chrono_literals;
  if (const auto held = parts.holds(call.id("id")); !held) return call.answer(held.error());
  const OperatorStream farms{.commands = parts.registry,
                             .projector = parts.registry.of(call.id("id")).projector(),
                             .name = call.id("id"),
                             .ready = parts.ready};
  if (const auto whole = has_whole_rows(farms); !whole) return call.answer(whole.error());
  run_aside(parts, call, [&parts, call] {
    const auto partition = parts.log.partition_of(call.id("id"));
    const auto end = end_of(parts.log, partition);
    if (!end) return call.answer(end.error());
    if (!parts.index.reach({partition, *end}, 10s)) return call.answer(read_model_lags());
    answer_usage(parts, call);
  });
}

}  // namespace

std::vector<OperatorRoute> operator_plan_routes() {
  return {
      operator_route("GET", "/operator/v1/plans", "List the plans", list_plans),
      operator_route("GET", "/operator/v1/users/{id}/usage", "Show what a user has of their plan",
                     show_usage),
  };
}

}  // namespace tilth
