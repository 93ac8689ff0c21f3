#include "api/openapi/openapi.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <utility>

#include "api/http/refusal.h"
#include "api/openapi/openapi_example.h"
#include "api/openapi/openapi_schemas.h"
#include "events/json/json.h"
#include "events/values/ascii.h"

namespace tilth {
namespace {

constexpr std::string_view kAbout =
    "Farms, fields, crops, tasks, money and market prices over JSON. Programs authenticate with an "
    "API key: `Authorization: Bearer svc_live_…`. A `POST`, `PUT` or `DELETE` with an "
    "`Idempotency-Key`, a UUID, takes effect once, however often it is sent within 24 hours. "
    "Responses with a single record have an `ETag` for `If-None-Match` and `If-Match`. The "
    "response to a change has a `Tilth-Position`; a read with that value as `Tilth-Min-Position` "
    "sees the change. A `GET` with `Tilth-As-Of` returns what the records were at that instant, "
    "without an `ETag`. Numbers may be sent as strings. Every error has `error`, `code`, "
    "`message` and, for some codes, `details`: the messages for each member by its dotted path.";

// Builds an object member by member.
class Object {
 public:
  Object& add(std::string_view name, Json value) & {
    json_.add(name, std::move(value));
    return *this;
  }
  Object& add(std::string_view name, std::string_view text) & {
    return add(name, Json::string(text));
  }
  Object&& add(std::string_view name, Json value) && {
    return std::move(add(name, std::move(value)));
  }
  Object&& add(std::string_view name, std::string_view text) && {
    return std::move(add(name, text));
  }
  operator Json() && { return std::move(json_); }  // NOLINT: implicit, a builder is its result
  operator Json() const& { return json_; }         // NOLINT

 private:
  Json json_ = Json::object();
};

Json parsed(std::string_view text) { return *parse_json(text); }

Json reference(std::string_view kind, std::string_view name) {
  return Object().add("$ref", "#/components/" + std::string(kind) + "/" + std::string(name));
}

bool is_required(const Json& object, const std::string& name) {
  const auto* names = object.find("required");
  return names != nullptr &&
         std::any_of(names->children.begin(), names->children.end(),
                     [&](const auto& each) { return each.second.text == name; });
}

// Of a filter, which is left out instead of being null.
const Json& without_null(const Json& schema) {
  const auto* either = schema.find("anyOf");
  return either == nullptr ? schema : either->children.front().second;
}

std::string parameter_meaning(std::string_view in, const std::string& name, const Json& schema) {
  if (const auto* own = schema.find("description")) return own->text;
  if (in == "path")
    return name == "id" ? "The id in the path." : "The id of a record that the path goes through.";
  const auto own = meaning_of("Query." + name);
  return own.empty() ? "Returns only records with this `" + name + "`." : std::string(own);
}

// The members of an object's schema as parameters `in` the path or the query.
std::vector<Json> parameters(const Description::Schema& make_schema, std::string_view in) {
  std::vector<Json> all;
  if (!make_schema) return all;
  const auto schema = make_schema();
  const auto* properties = schema.find("properties");
  if (properties == nullptr) return all;
  for (const auto& [name, property] : properties->children) {
    all.push_back(Object()
                      .add("name", name)
                      .add("in", in)
                      .add("description", parameter_meaning(in, name, property))
                      .add("required", Json::boolean(in == "path" || is_required(schema, name)))
                      .add("schema", without_null(property)));
  }
  return all;
}

Json json_content(const Json& schema, NamedSchemas& named) {
  return Object().add(
      "application/json",
      Object().add("schema", named.refer(schema)).add("example", parsed(example_of({}, schema))));
}

// OpenAPI 3.1 cannot describe a sequence of such values.
Json lines_content(const Json& schema, NamedSchemas& named) {
  const Json lines = Object().add("schema", Object()
                                                .add("type", "string")
                                                .add("contentMediaType", "application/json")
                                                .add("contentSchema", named.refer(schema)));
  return Object().add("application/x-ndjson", lines).add("text/event-stream", lines);
}

constexpr std::array kHeadersOfAll{"X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining",
                                   "X-RateLimit-Reset"};

Object header_references() {
  Object all;
  for (const auto* name : kHeadersOfAll) all.add(name, reference("headers", name));
  return all;
}

// Whether it appends to the owner's stream, or may.
bool changes(const Route& route) {
  return route.guard == Guard::kKey && route.method != "GET" &&
         !std::holds_alternative<Handler>(route.action);
}

// Whether it reads rows that Tilth-Min-Position may be ahead of.
bool reads_rows(const Route& route) {
  const auto* operation = std::get_if<Operation>(&route.action);
  return (operation != nullptr && route.method == "GET") || route.needs_rows ||
         std::holds_alternative<BatchOfRequests>(route.action);
}

// Whether it reads one record, whose entity tag changes with it.
bool reads_a_record(const Route& route) {
  const auto& its = route.description->headers;
  return route.method == "GET" && std::find(its.begin(), its.end(), "ETag") != its.end();
}

Json success_headers(const Route& route) {
  auto all = header_references();
  for (const auto name : route.description->headers) all.add(name, reference("headers", name));
  if (changes(route)) {
    all.add("Tilth-Position", reference("headers", "Tilth-Position"));
    all.add("Idempotent-Replayed", reference("headers", "Idempotent-Replayed"));
  }
  return all;
}

Json not_modified() {
  auto headers = header_references();
  headers.add("ETag", reference("headers", "ETag"));
  return Object()
      .add("description", "The record has not changed: its entity tag is one of `If-None-Match`.")
      .add("headers", std::move(headers));
}

std::string_view success_meaning(const Route& route) {
  const auto& its = *route.description;
  if (its.status == 201) return "The new record.";
  if (its.status == 202) return "The request is accepted, and carried out in the background.";
  if (its.status == 204) return "The request succeeded. The response has no body.";
  if (its.of_lines) return "The events, one on each line or as server-sent events.";
  if (its.paged) return "One page of the list, and the total.";
  if (reads_a_record(route)) return "The record.";
  if (std::holds_alternative<BatchOfRequests>(route.action)) return "The response to each request.";
  if (changes(route)) return "The record after the change.";
  return route.method == "GET" ? "The requested data." : "The result.";
}

Json responses(const Route& route, NamedSchemas& named) {
  const auto& its = *route.description;
  Object all;
  Object success;
  success.add("description", success_meaning(route));
  success.add("headers", success_headers(route));
  if (its.answer) {
    const auto schema = its.answer();
    success.add("content",
                its.of_lines ? lines_content(schema, named) : json_content(schema, named));
  }
  all.add(std::to_string(its.status), std::move(success));
  if (reads_a_record(route)) all.add("304", not_modified());
  const auto refusals = refusals_of(route);
  for (const auto& refusal : described_refusals()) {
    if (std::find(refusals.begin(), refusals.end(), refusal.status) == refusals.end()) continue;
    all.add(std::to_string(refusal.status), reference("responses", refusal.name));
  }
  return all;
}

std::string scope_of(const Route& route) {
  return std::string(route.scope ? scope_name(*route.scope) : std::string_view());
}

Json security(const Route& route) {
  auto scopes = route.scope ? Json::array({Json::string(scope_of(route))}) : Json::array({});
  const Json by_key = Object().add("apiKey", std::move(scopes));
  const Json by_session = Object().add("session", Json::array({}));
  switch (route.guard) {
    case Guard::kKey:
      return Json::array({by_key});
    case Guard::kSession:
      return Json::array({by_session});
    case Guard::kSessionOrKey:
      return Json::array({by_key, by_session});
    case Guard::kOperator:  // not described
    case Guard::kAddress:
    case Guard::kIfGiven:
    case Guard::kNone:
      return Json::array({});
  }
  std::abort();
}

constexpr std::string_view kDashboardTag = "dashboard", kBatchTag = "batch";

struct Tag {
  std::string_view name;  // the first word of the scopes of its routes
  std::string_view about;
};
constexpr std::array kTags{
    Tag{"farms", "Farms: the root of land, work and money."},
    Tag{"fields",
        "Fields and what is on them: blocks, plants, irrigations, fertigations, samples."},
    Tag{"crops", "Crops: what is planted on a field, from the plan to the harvest."},
    Tag{"tasks", "Tasks, the templates they are made of, and the rules by which they recur."},
    Tag{"library", "The library of crops and varieties, and the owner's shortlist of them."},
    Tag{"finance", "Sales, expenses and overheads, and their summary in one currency."},
    Tag{"market", "Prices that owners report, and what crops cost in a country."},
    Tag{"analytics", "Scores and predictions, computed from the records."},
    Tag{"events", "The owner's history: every change, in order."},
    Tag{"webhooks", "Where the owner wants events sent, and what became of each."},
    Tag{kBatchTag, "Many requests in one, each with the scopes of its own."},
    Tag{kDashboardTag, "What the dashboard uses: sessions, API keys, the plan."},
};

Json tags() {
  std::vector<Json> all;
  for (const auto& [name, about] : kTags) {
    all.push_back(Object().add("name", name).add("description", about));
  }
  return Json::array(std::move(all));
}

std::string tag_of(const Route& route) {
  const auto scope = scope_of(route);
  if (route.guard != Guard::kKey) return std::string(kDashboardTag);
  return std::string(route.scope ? scope.substr(0, scope.find(':')) : kBatchTag);
}

bool is_of_the_past(const Route& route) {
  const auto* operation = std::get_if<Operation>(&route.action);
  return operation != nullptr && route.method == "GET" && operation->of_the_past;
}

std::vector<const char*> header_parameters(const Route& route) {
  std::vector<const char*> all;
  const bool by_key = route.guard == Guard::kKey;
  if (by_key && route.method != "GET") all.push_back("Idempotency-Key");
  if (by_key && (route.method == "PUT" || route.method == "DELETE")) all.push_back("If-Match");
  if (reads_a_record(route)) all.push_back("If-None-Match");
  if (by_key && reads_rows(route)) all.push_back("Tilth-Min-Position");
  if (is_of_the_past(route)) all.push_back("Tilth-As-Of");
  if (route.description->of_lines) all.push_back("Last-Event-ID");
  return all;
}

// An empty body counts as {}, which is valid if no member is required.
Json body_json(const Json& schema, NamedSchemas& named) {
  return Object()
      .add("required", Json::boolean(schema.find("required") != nullptr))
      .add("content", json_content(schema, named));
}

Json operation_json(const Route& route, NamedSchemas& named) {
  const auto& its = *route.description;
  Object json;
  json.add("operationId", its.name).add("summary", route.summary).add("description", its.about);
  if (!its.alias_of.empty()) json.add("x-alias-of", its.alias_of);
  json.add("tags", Json::array({Json::string(tag_of(route))}));
  json.add("security", security(route));
  auto all = parameters(its.path, "path");
  for (auto& filter : parameters(its.query, "query")) all.push_back(std::move(filter));
  if (its.paged) {
    for (const auto* name : {"page", "limit", "order"})
      all.push_back(reference("parameters", name));
  }
  for (const auto* name : header_parameters(route)) all.push_back(reference("parameters", name));
  if (!all.empty()) json.add("parameters", Json::array(std::move(all)));
  if (its.body) json.add("requestBody", body_json(its.body(), named));
  json.add("responses", responses(route, named));
  return json;
}

// What the details of an error with the code look like; null: it has none.
const char* example_details(std::string_view code) {
  if (code == "VALIDATION_ERROR") return R"({"name":["is required"]})";
  if (code == "INSUFFICIENT_SCOPE") return R"({"requiredScope":"farms:write"})";
  if (code == "PLAN_LIMIT_EXCEEDED") return R"({"limit":3,"current":3})";
  if (code == "KEY_LIMIT_EXCEEDED") return R"({"limit":10})";
  return nullptr;
}

Json refusal_responses() {
  Object all;
  for (const auto& refusal : described_refusals()) {
    Object examples;
    std::string codes;
    for (const auto code : refusal.codes) {
      Object value;
      value.add("error", error_name(refusal.status))
          .add("code", code)
          .add("message", refusal.meaning);
      if (const auto* details = example_details(code)) value.add("details", parsed(details));
      examples.add(code, Object().add("value", value));
      codes.append(codes.empty() ? " `" : ", `").append(code).append("`");
    }
    const Json media =
        Object().add("schema", reference("schemas", "Error")).add("examples", examples);
    Object response;
    response.add("description", std::string(refusal.meaning) + " Codes:" + codes + ".");
    auto headers = header_references();
    if (refusal.status == 401) {
      headers.add("WWW-Authenticate", reference("headers", "WWW-Authenticate"));
    }
    if (refusal.status == 409 || refusal.status == 429 || refusal.status == 503) {
      headers.add("Retry-After", reference("headers", "Retry-After"));
    }
    response.add("headers", std::move(headers));
    response.add("content", Object().add("application/json", media));
    all.add(refusal.name, response);
  }
  return all;
}

Json header_components() {
  const auto header = [](std::string_view about, std::string_view schema) -> Json {
    return Object().add("description", about).add("schema", parsed(schema));
  };
  constexpr std::string_view kText = R"({"type":"string"})";
  return Object()
      .add("X-Request-Id", header("The `X-Request-Id` of the request, or a new one.", kText))
      .add("X-RateLimit-Limit",
           header("The number of requests allowed in a window.", R"({"type":"integer"})"))
      .add("X-RateLimit-Remaining",
           header("The number of requests left in the window.", R"({"type":"integer"})"))
      .add("X-RateLimit-Reset", header("When the oldest counted request leaves the window. In a "
                                       "429, when the next request would be allowed.",
                                       R"({"type":"string","format":"date-time"})"))
      .add("Tilth-Position",
           header("The position of the change, for `Tilth-Min-Position`. Opaque.", kText))
      .add("ETag", header("The version of the record, for `If-None-Match` and `If-Match`.", kText))
      .add("Location", header("The path of the new record.", kText))
      .add("Idempotent-Replayed",
           header(
               "`true`: the response repeats that to an earlier request with this Idempotency-Key.",
               R"({"type":"string","enum":["true"]})"))
      .add("Retry-After", header("The number of seconds to wait before the next attempt.",
                                 R"({"type":"integer","minimum":0})"))
      .add("WWW-Authenticate", header("The authentication scheme, `Bearer`.", kText));
}

Json parameter_components() {
  const auto parameter = [](std::string_view name, std::string_view in, std::string_view about,
                            std::string_view schema) -> Json {
    return Object()
        .add("name", name)
        .add("in", in)
        .add("description", about)
        .add("schema", parsed(schema));
  };
  return Object()
      .add("page", parameter("page", "query", "The number of the page, from 1.",
                             R"({"type":"integer","minimum":0,"maximum":2147483647,"default":1})"))
      .add("limit", parameter("limit", "query", "The most records in a page.",
                              R"({"type":"integer","minimum":1,"default":20})"))
      .add("order",
           parameter("order", "query", "The direction of the sort: ascending or descending.",
                     R"({"type":"string","enum":["asc","desc"],"default":"desc"})"))
      .add("Idempotency-Key",
           parameter(
               "Idempotency-Key", "header",
               "Identifies the request, so that it takes effect once, however often it is sent.",
               R"({"type":"string","format":"uuid"})"))
      .add("If-Match",
           parameter("If-Match", "header",
                     "Changes the record only if its version has one of these entity tags.",
                     R"({"type":"string","examples":["\"0123456789abcdef\""]})"))
      .add("If-None-Match",
           parameter("If-None-Match", "header",
                     "Returns the record only if its version has none of these entity tags.",
                     R"({"type":"string","examples":["\"0123456789abcdef\""]})"))
      .add("Tilth-Min-Position",
           parameter("Tilth-Min-Position", "header",
                     "The Tilth-Position of a change: the response is at least as new.",
                     R"({"type":"string"})"))
      .add("Last-Event-ID",
           parameter("Last-Event-ID", "header",
                     "For server-sent events: continues after the event with this position.",
                     R"({"type":"string"})"))
      .add("Tilth-As-Of", parameter("Tilth-As-Of", "header",
                                    "Returns the records as of that instant, in ISO 8601.",
                                    R"({"type":"string","examples":["2026-11-20T00:00:00Z"]})"));
}

constexpr std::string_view kSchemas =
    R"({"Pagination":{"type":"object","required":["page","limit","total","totalPages"],)"
    R"("properties":{"page":{"type":"integer","description":"The number of this page, from 1."},)"
    R"("limit":{"type":"integer","description":"The most records in a page."},)"
    R"("total":{"type":"integer","description":"How many records match in all."},)"
    R"("totalPages":{"type":"integer","description":"How many pages they fill."}}},)"
    R"("Error":{"type":"object","required":["error"],"properties":{)"
    R"("error":{"type":"string","description":"The name of the error."},)"
    R"("code":{"type":"string","description":"The reason as a constant that programs compare."},)"
    R"("message":{"type":"string","description":"The reason in a sentence."},)"
    R"("details":{"type":"object","description":"The messages for each member, by dotted path; or facts.",)"
    R"("properties":{)"
    R"("requiredScope":{"type":"string","description":"The scope that the key lacks."},)"
    R"("limit":{"description":"The most that there may be; or the messages for the parameter `limit`.",)"
    R"("anyOf":[{"type":"integer"},{"type":"array","items":{"type":"string"}}]},)"
    R"("current":{"type":"integer","description":"How many there are."}},)"
    R"("additionalProperties":{"type":"array","items":{"type":"string"}}}}}})";

// Those of the routes, and those that are in every response.
Json schema_components(const NamedSchemas& named) {
  auto all = parsed(kSchemas);
  for (auto& [name, schema] : named.all().children) all.add(name, schema);
  return all;
}

constexpr std::string_view kSecuritySchemes =
    R"({"apiKey":{"type":"http","scheme":"bearer","description":"An API key with the scope that the operation names.","bearerFormat":"svc_(live|test)_[a-f0-9]{48}"},)"
    R"("session":{"type":"apiKey","in":"cookie","name":"tilth_session",)"
    R"("description":"Over TLS its name is __Host-tilth_session."}})";

}  // namespace

std::string openapi_document(const std::vector<Route>& routes) {
  std::map<std::string, Object> paths;
  NamedSchemas named;
  for (const auto& route : routes) {
    if (!route.description) continue;
    paths[route.path()].add(to_lower(route.method), operation_json(route, named));
  }
  Object all_paths;
  for (auto& [path, methods] : paths) all_paths.add(path, std::move(methods));
  const Json about =
      Object()
          .add("title", "Tilth")
          .add("version", "1")
          .add("description", kAbout)
          .add("license", parsed(R"({"name":"Apache-2.0","identifier":"Apache-2.0"})"));
  const Json components = Object()
                              .add("securitySchemes", parsed(kSecuritySchemes))
                              .add("schemas", schema_components(named))
                              .add("parameters", parameter_components())
                              .add("headers", header_components())
                              .add("responses", refusal_responses());
  return text_of(Object()
                     .add("openapi", "3.1.0")
                     .add("info", about)
                     .add("servers", parsed(R"([{"url":"/"}])"))
                     .add("tags", tags())
                     .add("paths", std::move(all_paths))
                     .add("components", components));
}

}  // namespace tilth
