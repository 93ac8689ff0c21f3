#include "command/integrations/webhook.h"

#include <utility>

#include "api/platform/idempotency.h"
#include "api/platform/read_point.h"
#include "api/routing/resource_route.h"
#include "api/v1/routes.h"
#include "api/webhooks/webhook_deliveries.h"
#include "query/integrations/webhook.h"

namespace tilth {
namespace {

constexpr auto kRead = Scope::kWebhooksRead, kWrite = Scope::kWebhooksWrite;
constexpr std::string_view kMany = "/webhooks", kOne = "/webhooks/{id}";

Operation& operation_of(Route& route) { return std::get<Operation>(route.action); }

void check_url(const std::optional<Url>& url, const WebhookDeliveries& deliveries, Issues& issues) {
  if (!url || issues.contains("url")) return;
  if (auto problem = problem_of(*url, deliveries.safety()); !problem.empty()) {
    issues["url"].push_back(std::move(problem));
  }
}

Mutation about(const WebhookPath& at, Decide decide) {
  return {std::move(decide), Webhook::kTable, at.row_id()};
}

Webhook row_of(const CommandResult& outcome) {
  return RowCodec<Webhook>::decode(outcome.row.value().bytes);
}

// With its secret, which the tag does not depend on: no later response shows it.
HttpResponse with_secret(int status, const Webhook& row, const WebhookDeliveries& deliveries) {
  auto shown = render_json(row);
  const auto tag = entity_tag(shown);
  shown.pop_back();
  shown.append(",\"secret\":");
  JsonWriter::write(deliveries.secret(row.secret_id), shown);
  return row_response(status, shown + "}", tag);
}

Json webhook_schema() { return renamed(answer_schema<Webhook::Shown>(), "Webhook"); }

Json shown_schema() { return data_schema(webhook_schema()); }

Json secret_schema() {
  auto schema = webhook_schema();
  add_property(schema, "secret", simple_schema("string"), true);
  return data_schema(renamed(schema, "WebhookWithSecret"));
}

// Activity is no part of the history: as of an earlier time, later attempts are not shown.
Webhook shown_at(const Webhook& row, const WebhookDeliveries& deliveries, Timestamp now) {
  auto activity = deliveries.activity(row.id);
  if (activity.last_success_at > now) activity.last_success_at.reset();
  if (activity.last_failure_at > now) activity.last_failure_at.reset();
  return row.with(activity);
}

template <class Path>
Result<Path> read_path_of(const Call& call, RequestIssues problems = {}) {
  Path at{};
  read_path(call, at, problems);
  if (const auto verdict = problems.verdict(); !verdict) return verdict.error();
  return at;
}

struct NoMembers {
  template <class Archive>
  void serialize(Archive&) {}
};

// Of a deed that takes nothing: its path. A body must be an object even so.
template <class Path>
Result<Path> read_bare_deed(const Call& call) {
  NoMembers none;
  RequestIssues problems;
  read_body(call.request().body, none, problems.values);
  return read_path_of<Path>(call, std::move(problems));
}

Route creating(WebhookDeliveries* deliveries) {
  auto route = creation<CreateWebhook, Webhook>(kMany, kWrite, "Create a webhook");
  operation_of(route).read = [deliveries](const Call& call) -> Result<Intent> {
    CreateWebhook command{};
    RequestIssues problems;
    read_body(call.request().body, command, problems.values);
    if (!problems.values.contains("body") && !command.details.url.address.empty()) {
      check_url(command.details.url, *deliveries, problems.values);
    }
    if (const auto verdict = problems.verdict(); !verdict) return verdict.error();
    return Intent(Mutation{deciding(command)});
  };
  operation_of(route).show = [deliveries](std::string_view path, const CommandResult& outcome) {
    const auto row = row_of(outcome);
    auto response = with_secret(201, row, *deliveries);
    response.headers.emplace_back("Location", std::string(path) + "/" + row.id.text());
    return response;
  };
  route.description->answer = secret_schema;
  return explained(std::move(route),
                   "From then on each of your events whose type fits is sent to the URL, signed as "
                   "Standard Webhooks says. The response is the only one that has this `secret`.");
}

Route listing_all(WebhookDeliveries* deliveries) {
  auto route = listing<ListWebhooks>(kMany, kRead, "List the webhooks");
  route.description->answer = [] { return page_schema(array_schema(webhook_schema())); };
  operation_of(route).read = [deliveries](const Call& call) -> Result<Intent> {
    RequestIssues problems;
    QueryReader query(call.query, problems);
    const auto page = read_page(query, Webhook::kSorts, problems);
    if (const auto verdict = problems.verdict(); !verdict) return verdict.error();
    return Intent(
        RowQuery([page, deliveries](const Rows& rows, Timestamp now) -> Result<QueryResult> {
          auto listed = run_query(rows, ListWebhooks{}, page);
          if (!listed) return listed.error();
          for (auto& row : listed->rows) row = shown_at(row, *deliveries, now);
          return list_response(*listed, page.page, page.limit, now);
        }));
  };
  return route;
}

Route showing(WebhookDeliveries* deliveries) {
  auto route = single<WebhookPath, Webhook>(kOne, kRead, "Show a webhook");
  route.description->answer = shown_schema;
  operation_of(route).read = [deliveries](const Call& call) -> Result<Intent> {
    const auto at = read_path_of<WebhookPath>(call);
    if (!at) return at.error();
    return Intent(
        RowQuery([at = *at, deliveries](const Rows& rows, Timestamp now) -> Result<QueryResult> {
          const auto row = find(rows, at);
          if (!row) return there_is_no<Webhook>();
          return QueryResult(row_response(200, shown_at(*row, *deliveries, now), now));
        }));
  };
  return route;
}

Route amending(WebhookDeliveries* deliveries) {
  auto route = amendment<Update<Webhook>, Webhook>(kOne, kWrite, "Update a webhook");
  route.description->answer = shown_schema;
  operation_of(route).read = [deliveries](const Call& call) -> Result<Intent> {
    Update<Webhook> command{};
    RequestIssues problems;
    read_path(call, command.at, problems);
    read_body(call.request().body, command, problems.values);
    check_url(command.changes.url.to, *deliveries, problems.values);
    if (const auto verdict = problems.verdict(); !verdict) return verdict.error();
    return Intent(
        about(command.at, [command, deliveries](const Rows& rows, const Context& context) {
          const auto latest = deliveries->activity(command.at.webhook_id);
          return decide(rows, AmendWebhook{command.at, command.changes, latest}, context);
        }));
  };
  return explained(std::move(route),
                   "Made active again, it carries on with the first event that it has not got.");
}

Route removing(WebhookDeliveries* deliveries) {
  auto route = removal<Delete<Webhook>>(kOne, kWrite, "Remove a webhook");
  operation_of(route).read = [deliveries](const Call& call) -> Result<Intent> {
    const auto at = read_path_of<WebhookPath>(call);
    if (!at) return at.error();
    return Intent(about(*at, [at = *at, deliveries](const Rows& rows, const Context& context) {
      return decide(rows, RemoveWebhook{at, deliveries->activity(at.webhook_id)}, context);
    }));
  };
  return explained(std::move(route), "Its deliveries are removed with it.");
}

Route rotating(WebhookDeliveries* deliveries) {
  auto route = amendment<RotateWebhook, Webhook>("/webhooks/{id}/rotate", kWrite,
                                                 "Replace a webhook's secret", "POST");
  operation_of(route).read = [deliveries](const Call& call) -> Result<Intent> {
    const auto at = read_bare_deed<WebhookPath>(call);
    if (!at) return at.error();
    return Intent(about(*at, [at = *at, deliveries](const Rows& rows, const Context& context) {
      return decide(rows, RotateWebhook{at, deliveries->activity(at.webhook_id)}, context);
    }));
  };
  operation_of(route).show = [deliveries](std::string_view, const CommandResult& outcome) {
    return with_secret(200, row_of(outcome), *deliveries);
  };
  route.description->name = "rotateWebhook";
  route.description->body = {};
  route.description->answer = secret_schema;
  route.description->about =
      "Returns the webhook with a new `secret`, which no other response contains. For 24 hours "
      "deliveries are also signed with the previous one; of the secrets replaced within 24 hours, "
      "only the newest five sign. Repeating the request replaces the secret again.";
  return route;
}

// Nothing is stored, so a repeated test is another test.
void test(WebhookDeliveries& deliveries, const Call& call) {
  const auto since = min_position(call.request());
  if (!since) return call.answer(since.error());
  const auto idempotency = read_idempotency(call.request());
  if (!idempotency) return call.answer(idempotency.error());
  const auto at = read_bare_deed<WebhookPath>(call);
  if (!at) return call.answer(at.error());
  deliveries.test(call.user_id(), at->webhook_id, *since,
                  [call](const Result<WebhookTest>& tested) {
                    if (!tested) return call.answer(tested.error());
                    call.answer(json_response(200, "{\"data\":" + JsonWriter::text(*tested) + "}"));
                  });
}

Route testing(WebhookDeliveries* deliveries) {
  return {.method = "POST",
          .pattern = "/webhooks/{id}/test",
          .summary = "Send a test to a webhook",
          .scope = kWrite,
          .action = Handler([deliveries](const Call& call) { test(*deliveries, call); }),
          .needs_rows = true,
          .description = Description{
              .name = "testWebhook",
              .about = "Sends an event of the type `tilth.webhook.test` at once, even if the "
                       "webhook is not active, and returns the outcome: the receiver's HTTP status "
                       "or an error, the milliseconds, and the first 1,000 bytes of its response. "
                       "A test is not repeated and not listed.",
              .path = request_schema<WebhookPath>,
              .answer = row_schema<WebhookTest>,
              .refusals = {400, 404}}};
}

struct DeliveriesQuestion {
  WebhookPath at;
  std::optional<DeliveryStatus> status;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("status", status));
  }
};

Route listing_deliveries(WebhookDeliveries* deliveries) {
  static constexpr std::array<std::string_view, 1> kSorts{"at"};
  const auto read = [deliveries](const Call& call) -> Result<Intent> {
    DeliveriesQuestion question{};
    RequestIssues problems;
    QueryReader query(call.query, problems);
    read_question(call, question, query, problems);
    const auto page = read_page(query, kSorts, problems);
    if (const auto verdict = problems.verdict(); !verdict) return verdict.error();
    return Intent(
        RowQuery([question, page, deliveries](const Rows& rows, Timestamp) -> Result<QueryResult> {
          if (!find(rows, question.at)) return there_is_no<Webhook>();
          const auto found =
              deliveries->list(question.at.webhook_id, {.status = question.status,
                                                        .order = page.order,
                                                        .skip = (page.page - 1) * page.limit,
                                                        .limit = page.limit});
          if (!found) return found.error();
          ListBody body;
          for (const auto& delivery : found->deliveries) body.add(JsonWriter::text(delivery));
          return QueryResult(json_response(200, body.end(found->total, page.page, page.limit)));
        }));
  };
  return {.method = "GET",
          .pattern = "/webhooks/{id}/deliveries",
          .summary = "List a webhook's deliveries",
          .scope = kRead,
          .action = Operation{.read = read, .of_the_past = false, .is_long = true},
          .description = Description{.name = "listWebhookDeliveries",
                                     .about = "By default the newest first: each event that was "
                                              "sent, with its last attempt. They are "
                                              "kept for 30 days, 10,000 of each webhook.",
                                     .path = request_schema<WebhookPath>,
                                     .query = request_schema<DeliveriesQuestion>,
                                     .answer =
                                         [] {
                                           return page_schema(array_schema(renamed(
                                               answer_schema<Delivery>(), "WebhookDelivery")));
                                         },
                                     .paged = true}};
}

struct DeliveryPath {
  WebhookPath webhook;
  Uuid delivery_id;

  template <class Archive>
  void serialize(Archive& ar) {
    webhook.serialize(ar);
    ar(member("deliveryId", delivery_id));
  }
};

HttpResponse accepted(std::string_view, const CommandResult& outcome) {
  return json_response(202, "{\"data\":" + render_json(row_of(outcome)) + "}");
}

Route resending(WebhookDeliveries* deliveries) {
  const auto read = [deliveries](const Call& call) -> Result<Intent> {
    const auto at = read_bare_deed<DeliveryPath>(call);
    if (!at) return at.error();
    const auto found = deliveries->find(at->webhook.webhook_id, at->delivery_id);
    if (!found) return found.error();
    const auto& known = *found;
    return Intent(about(
        at->webhook,
        deciding(ResendDelivery{at->webhook, at->delivery_id,
                                known ? std::optional(known->event_version) : std::nullopt})));
  };
  return {.method = "POST",
          .pattern = "/webhooks/{id}/deliveries/{deliveryId}/resend",
          .summary = "Send a delivery's event again",
          .scope = kWrite,
          .action = Operation{.read = read, .show = accepted},
          .description = Description{
              .name = "resendWebhookDelivery",
              .about = "Returns 202 with the webhook. A pending delivery is attempted at once. For "
                       "one that arrived or was given up, a new delivery is made with the same "
                       "`webhook-id`, by which receivers recognize it.",
              .path = request_schema<DeliveryPath>,
              .answer = shown_schema,
              .status = 202}};
}

Route replaying(WebhookDeliveries* deliveries) {
  auto route = amendment<ReplayWebhook, Webhook>("/webhooks/{id}/replay", kWrite,
                                                 "Send past events again", "POST");
  operation_of(route).read = [deliveries](const Call& call) -> Result<Intent> {
    ReplayWebhook command{};
    RequestIssues problems;
    read_path(call, command.at, problems);
    read_body(call.request().body, command, problems.values);
    if (const auto verdict = problems.verdict(); !verdict) return verdict.error();
    return Intent(about(
        command.at, [command, deliveries](const Rows& rows, const Context& context) -> Decision {
          const auto replays = deliveries->replays(command.at.webhook_id);
          if (!replays) return replays.error();
          auto informed = command;
          informed.replays = *replays;
          return decide(rows, informed, context);
        }));
  };
  operation_of(route).show = accepted;
  route.description->name = "replayWebhook";
  route.description->answer = shown_schema;
  route.description->status = 202;
  route.description->headers.clear();
  route.description->about =
      "Returns 202 with the webhook. Your events from `since` on and before `until`, or up to this "
      "request, are sent again, whether or not they arrived: those whose type matches one of "
      "`types`, or one of the webhook's if there are none. They may be older than the webhook.";
  return route;
}

}  // namespace

std::vector<Route> webhook_routes(const V1Settings& settings) {
  auto* deliveries = settings.webhooks;
  return {creating(deliveries), listing_all(deliveries),        showing(deliveries),
          amending(deliveries), removing(deliveries),           rotating(deliveries),
          testing(deliveries),  listing_deliveries(deliveries), resending(deliveries),
          replaying(deliveries)};
}

}  // namespace tilth
