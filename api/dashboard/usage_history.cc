// A user's requests over time, by API key.

#include <chrono>
#include <map>
#include <utility>

#include "api/dashboard/dashboard.h"

namespace tilth {
namespace {

enum class UsageSpan : std::uint8_t { kHour, kDay };
constexpr auto labels(UsageSpan) { return named<UsageSpan>("hour", "day"); }

constexpr std::chrono::hours kHoursShown{24};
constexpr std::chrono::days kDaysShown{30};

struct UsageHistoryQuery {
  std::optional<UsageSpan> by;
  std::optional<Timestamp> since;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("by", by,
              {.doc = "What requests are added up by: hour, the default, or day, in UTC."}),
       member(
           "since", since,
           {.doc = "The hour or day that this instant is in is the first. By default 24 hours or "
                   "30 days ago. Nothing is known of hours more than 35 days ago."}));
  }
};

struct UsageOfKeyShown {
  Timestamp at = {};
  std::string key_id;
  std::optional<std::string> name;
  std::int64_t requests = 0;
  std::int64_t limited = 0;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("at", at, {.doc = "When the hour or day begins."}),
       member("keyId", key_id, {.doc = "The API key."}),
       member("name", name, {.doc = "The key's name, also when it is revoked."}),
       member(
           "requests", requests,
           {.doc =
                "How many requests came with the key, whatever their responses. A batch is one."}),
       member("limited", limited, {.doc = "How many of them were answered with 429."}));
  }
};

struct UsageHistoryMeta {
  UsageSpan by = {};
  Timestamp since = {};
  Timestamp until = {};
  std::int64_t requests_per_hour = 0;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("by", by, {.doc = "The interval of the request."}),
       member("since", since, {.doc = "When the first hour or day begins."}),
       member("until", until,
              {.doc = "When it was counted: the last hour or day is not over yet."}),
       member(
           "requestsPerHour", requests_per_hour,
           {.doc = "How many requests the plan allows in any hour, over all keys. A key may have "
                   "a limit of its own."}));
  }
};

Timestamp beginning(UsageSpan by, Timestamp at) {
  if (by == UsageSpan::kHour) return {std::chrono::floor<std::chrono::hours>(at.at)};
  return {std::chrono::floor<std::chrono::days>(at.at)};
}

// An instant at the beginning of all time has no beginning of its day.
Timestamp not_forgotten(Timestamp at, Timestamp now) {
  return std::max(at, Timestamp{now.at - UsageHistory::kKept});
}

std::optional<std::string> name_of(const Rows& rows, const std::string& key_id) {
  const auto bits = nanoid_bits(ApiKey::kIdPrefix, key_id);
  const auto key = bits ? rows.find(Id<ApiKey>{*bits}) : std::nullopt;
  return key ? std::optional(key->details.name) : std::nullopt;
}

void answer_since(Dashboard& dashboard, const Call& call, UsageSpan by, Timestamp since) {
  const auto hours = dashboard.parts().usage_history.find(call.user->user_id, since, call.now);
  if (!hours) return call.answer(hours.error());
  std::map<std::pair<Timestamp, std::string>, UsageOfKeyShown> shown;
  const auto view = dashboard.access_view();
  std::map<std::string, std::optional<std::string>> names;  // by key
  for (const auto& hour : *hours) {
    const auto at = beginning(by, hour.hour);
    const auto [place, is_new] = shown.try_emplace({at, hour.key_id});
    auto& sum = place->second;
    if (is_new) {
      const auto [name, is_first] = names.try_emplace(hour.key_id);
      if (is_first) name->second = name_of(view.rows, hour.key_id);
      sum.at = at;
      sum.key_id = hour.key_id;
      sum.name = name->second;
    }
    sum.requests += hour.requests;
    sum.limited += hour.limited;
  }
  const auto& plans = dashboard.settings().plans;
  const auto plan = plans.find(call.user->plan);
  const auto most = plan == plans.end() ? 0 : plan->second.requests_per_hour;
  std::string body = "{\"data\":[";
  for (const auto& [_, each] : shown) {
    if (body.back() != '[') body.push_back(',');
    body.append(JsonWriter::text(each));
  }
  const UsageHistoryMeta meta{by, since, call.now, most};
  call.answer(json_response(200, body + "],\"meta\":" + JsonWriter::text(meta) + "}"));
}

void usage_history(Dashboard& dashboard, const Call& call) {
  RequestIssues problems;
  QueryReader query(call.query, problems);
  UsageHistoryQuery wanted;
  wanted.serialize(static_cast<MemberVisitor&>(query));
  if (const auto verdict = problems.verdict(); !verdict) return call.answer(verdict.error());
  const auto by = wanted.by.value_or(UsageSpan::kHour);
  const Timestamp usual = {by == UsageSpan::kHour ? call.now.at - kHoursShown
                                                  : call.now.at - kDaysShown};
  const auto since = beginning(by, not_forgotten(wanted.since.value_or(usual), call.now));
  // Too much for the server's thread: many keys have many hours.
  dashboard.run_on(
      dashboard.parts().queries, WorkKind::kQuery, call.user_id(), call,
      [&dashboard, call, by, since] { answer_since(dashboard, call, by, since); },
      [call](const Error& error) { call.answer(error); });
}

Json answer() {
  return object_schema(
      {{"data", array_schema(renamed(answer_schema<UsageOfKeyShown>(), "KeyUsage"))},
       {"meta", answer_schema<UsageHistoryMeta>()}});
}

}  // namespace

std::vector<DashboardRoute> usage_history_routes() {
  auto its = dashboard_route(
      "GET", "/api/billing/usage/history", Guard::kSessionOrKey, "Show the requests over time",
      usage_history,
      Description{.name = "getUsageHistory",
                  .about =
                      "Counts the requests of each hour or day by API key, and those that were "
                      "refused since a limit was used up. Ordered by time and key; a key "
                      "without requests in an hour or day is left out.",
                  .query = request_schema<UsageHistoryQuery>,
                  .answer = answer,
                  .refusals = {400}});
  its.route.scope = Scope::kBillingRead;
  return {its};
}

}  // namespace tilth
