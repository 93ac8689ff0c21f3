// A user's usage of their plan, and their subscription.

#include "api/dashboard/dashboard.h"
#include "api/usage/named_plan.h"
#include "events/values/month.h"
#include "projections/access/ai_request.h"
#include "projections/land/farm.h"

namespace tilth {
namespace {

struct Usage {
  std::int64_t farms = 0;
  std::int64_t ai_requests = 0;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("farmsCount", farms), member("aiRequestsThisMonth", ai_requests));
  }
};

struct Subscription {
  std::string id;
  std::string user_id;
  std::string plan;
  std::string status;
  Timestamp period_start;
  Timestamp period_end;
  bool cancels = false;
  Timestamp created_at;
  Timestamp updated_at;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("id", id), member("userId", user_id), member("plan", plan), member("status", status),
       member("currentPeriodStart", period_start), member("currentPeriodEnd", period_end),
       member("cancelAtPeriodEnd", cancels), member("createdAt", created_at),
       member("updatedAt", updated_at));
  }
};

void usage(Dashboard& dashboard, const Call& call) {
  const auto& parts = dashboard.parts();
  const auto& user = call.user->user_id;
  const auto& registry = parts.registry.of(user).projector();
  if (registry.lacks_events()) {
    return call.answer(
        Error{ErrorCode::kUnavailable, "The farms cannot be counted at the moment."});
  }
  const auto farms = registry.view(user)->rows.count<Farm>({});
  const auto use = dashboard.access_view().rows.find(Id<AiUse>{call.user->id.uuid});
  const Usage used{static_cast<std::int64_t>(farms),
                   use ? use->in(Month::of(parts.clock.now())) : 0};
  call.answer(json_response(200, JsonWriter::text(used)));
}

// The limits of the user's plan; null: unlimited.
void plan(Dashboard& dashboard, const Call& call) {
  const auto& plans = dashboard.settings().plans;
  const auto found = plans.find(call.user->plan);
  const NamedPlan its{call.user->plan, found == plans.end() ? Plan{0, 0, 0} : found->second};
  call.answer(json_response(200, "{\"plan\":" + JsonWriter::text(its) + "}"));
}

void subscription(Dashboard& dashboard, const Call& call) {
  const auto& user = *call.user;
  if (user.plan == "expired") return call.answer(json_response(200, R"({"subscription":null})"));
  const auto month = Month::of(dashboard.parts().clock.now());
  const Subscription current{"sub_" + user.user_id.substr(User::kIdPrefix.size()),
                             user.user_id,
                             user.plan,
                             user.plan == "trial" ? "trialing" : "active",
                             month.begin(),
                             month.end(),
                             false,
                             user.created_at,
                             user.updated_at};
  call.answer(json_response(200, "{\"subscription\":" + JsonWriter::text(current) + "}"));
}

}  // namespace

std::vector<DashboardRoute> billing_routes() {
  const auto subscription_schema = [] {
    return object_schema({{"subscription", nullable(answer_schema<Subscription>())}});
  };
  const auto plan_schema = [] { return object_schema({{"plan", answer_schema<NamedPlan>()}}); };
  auto usage_route = dashboard_route(
      "GET", "/api/billing/usage", Guard::kSessionOrKey, "Show what is used of the plan", usage,
      Description{.name = "getUsage",
                  .about = "Counts the farms, and this month's requests to the assistant.",
                  .answer = answer_schema<Usage>});
  usage_route.route.scope = Scope::kBillingRead;
  usage_route.route.needs_rows = true;
  return {
      usage_route,
      dashboard_route(
          "GET", "/api/billing/subscription", Guard::kSession, "Show the subscription",
          subscription,
          Description{
              .name = "getSubscription",
              .about = "The plan that is paid for, and the present period. Null if it has expired.",
              .answer = subscription_schema}),
      dashboard_route(
          "GET", "/api/billing/plan", Guard::kSession, "Show what the plan allows", plan,
          Description{.name = "getPlan",
                      .about = "The limits of the account's plan; null means unlimited.",
                      .answer = plan_schema}),
  };
}

}  // namespace tilth
