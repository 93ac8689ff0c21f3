#include "api/openapi/openapi.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <map>
#include <utility>

#include "api/openapi/openapi_example.h"
#include "events/json/json.h"
#include "events/values/ascii.h"

namespace tilth {
namespace {

constexpr std::string_view kAbout =
    "Farms, fields, crops, blocks and plants, over JSON. Programs send an API key: "
    "`Authorization: Bearer svc_live_…`. A `POST`, `PUT` or `DELETE` may carry an "
    "`Idempotency-Key`, a UUID, and is then carried out once, however often it is sent within 24 "
    "hours. One record comes with an `ETag`; `If-None-Match` and `If-Match` take it. "
    "`Tilth-Position` in the answer to a change, sent back as `Tilth-Min-Position`, asks for an "
    "answer at least as new. A `GET` with `Tilth-As-Of` is answered as of that instant, and "
    "without "
    "an `ETag`. Numbers may be sent in quotes. Every refusal says `error`, `code`, "
    "`message` and, where there is more to say, `details`: the messages for each member by its "
    "dotted path.";

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
                      .add("required", Json::boolean(in == "path" || is_required(schema, name)))
                      .add("schema", property));
  }
  return all;
}

Json json_content(const Json& schema) {
  return Object().add(
      "application/json",
      Object().add("schema", schema).add("example", parsed(example_of({}, schema))));
}

// OpenAPI 3.1 cannot describe a sequence of such values.
Json lines_content(const Json& schema) {
  const Json lines = Object().add("schema", Object()
                                                .add("type", "string")
                                                .add("contentMediaType", "application/json")
                                                .add("contentSchema", schema));
  return Object().add("application/x-ndjson", lines).add("text/event-stream", lines);
}

// "Register a plant" becomes registerPlant.
std::string operation_id(std::string_view summary) {
  std::string id;
  for (std::string_view rest = summary; !rest.empty();) {
    const auto word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    if (word == "a" || word == "an" || word == "the" || word == "your") continue;
    for (std::size_t i = 0; i < word.size(); ++i) {
      const auto c = static_cast<unsigned char>(word[i]);
      if (std::isalnum(c) == 0) continue;
      const bool capital = i == 0 && !id.empty();
      id.push_back(static_cast<char>(capital ? std::toupper(c) : i == 0 ? std::tolower(c) : c));
    }
  }
  return id;
}

constexpr std::array kHeadersOfAll{"X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining",
                                   "X-RateLimit-Reset"};

Object header_references() {
  Object all;
  for (const auto* name : kHeadersOfAll) all.add(name, reference("headers", name));
  return all;
}

Json success_headers(const Route& route) {
  auto all = header_references();
  if (route.guard != Guard::kKey) return all;
  if (route.method != "GET") all.add("Tilth-Position", reference("headers", "Tilth-Position"));
  if (route.description->status == 201) all.add("Location", reference("headers", "Location"));
  return all;
}

Json responses(const Route& route) {
  const auto& its = *route.description;
  Object all;
  Object success;
  success.add("description", its.status == 204 ? "Done." : "As asked.");
  success.add("headers", success_headers(route));
  if (its.answer) {
    const auto schema = its.answer();
    success.add("content", its.of_lines ? lines_content(schema) : json_content(schema));
  }
  all.add(std::to_string(its.status), std::move(success));
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

// What a resource's routes share: the first word of their scopes.
std::string tag_of(const Route& route) {
  const auto scope = scope_of(route);
  if (route.guard != Guard::kKey) return "dashboard";
  return route.scope ? scope.substr(0, scope.find(':')) : std::string(route.pattern.substr(1));
}

bool is_of_the_past(const Route& route) {
  const auto* operation = std::get_if<Operation>(&route.action);
  return operation != nullptr && route.method == "GET" && operation->of_the_past;
}

// An empty body counts as {}, which is valid if no member is required.
Json body_json(const Json& schema) {
  return Object()
      .add("required", Json::boolean(schema.find("required") != nullptr))
      .add("content", json_content(schema));
}

Json operation_json(const Route& route, const std::string& id) {
  const auto& its = *route.description;
  Object json;
  json.add("operationId", id).add("summary", route.summary);
  json.add("tags", Json::array({Json::string(tag_of(route))}));
  json.add("security", security(route));
  auto all = parameters(its.path, "path");
  for (auto& filter : parameters(its.query, "query")) all.push_back(std::move(filter));
  if (its.paged) {
    for (const auto* name : {"page", "limit", "order"})
      all.push_back(reference("parameters", name));
  }
  if (route.guard == Guard::kKey && route.method != "GET") {
    all.push_back(reference("parameters", "Idempotency-Key"));
  }
  if (is_of_the_past(route)) all.push_back(reference("parameters", "Tilth-As-Of"));
  if (!all.empty()) json.add("parameters", Json::array(std::move(all)));
  if (its.body) json.add("requestBody", body_json(its.body()));
  json.add("responses", responses(route));
  return json;
}

Json refusal_responses() {
  Object all;
  for (const auto& refusal : described_refusals()) {
    Object examples;
    std::string codes;
    for (const auto code : refusal.codes) {
      Object value;
      value.add("error", refusal.name).add("code", code).add("message", refusal.meaning);
      examples.add(code, Object().add("value", value));
      codes.append(codes.empty() ? " `" : ", `").append(code).append("`");
    }
    const Json media =
        Object().add("schema", reference("schemas", "Error")).add("examples", examples);
    Object response;
    response.add("description", std::string(refusal.meaning) + " Codes:" + codes + ".");
    response.add("headers", header_references());
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
      .add("X-Request-Id", header("The caller's, or a new one.", kText))
      .add("X-RateLimit-Limit", header("Requests in a window.", R"({"type":"integer"})"))
      .add("X-RateLimit-Remaining", header("What is left.", R"({"type":"integer"})"))
      .add("X-RateLimit-Reset", header("When the oldest counted request leaves the window; after a "
                                       "429 when a request would pass.",
                                       R"({"type":"string","format":"date-time"})"))
      .add("Tilth-Position", header("From where on reads see the change. Opaque.", kText))
      .add("Location", header("Where the new record is.", kText));
}

Json parameter_components() {
  const auto parameter = [](std::string_view name, std::string_view in,
                            std::string_view schema) -> Json {
    return Object().add("name", name).add("in", in).add("schema", parsed(schema));
  };
  return Object()
      .add("page", parameter("page", "query",
                             R"({"type":"integer","minimum":0,"maximum":2147483647,"default":1})"))
      .add("limit", parameter("limit", "query", R"({"type":"integer","minimum":1,"default":20})"))
      .add("order", parameter("order", "query",
                              R"({"type":"string","enum":["asc","desc"],"default":"desc"})"))
      .add("Idempotency-Key",
           parameter("Idempotency-Key", "header", R"({"type":"string","format":"uuid"})"))
      .add("Tilth-As-Of",
           parameter("Tilth-As-Of", "header",
                     R"({"type":"string","description":"An instant in ISO 8601."})"));
}

constexpr std::string_view kSchemas =
    R"({"Pagination":{"type":"object","required":["page","limit","total","totalPages"],)"
    R"("properties":{"page":{"type":"integer"},"limit":{"type":"integer"},)"
    R"("total":{"type":"integer"},"totalPages":{"type":"integer"}}},)"
    R"("Error":{"type":"object","required":["error"],"properties":{)"
    R"("error":{"type":"string"},"code":{"type":"string"},"message":{"type":"string"},)"
    R"("details":{"type":"object"}}}})";

constexpr std::string_view kSecuritySchemes =
    R"({"apiKey":{"type":"http","scheme":"bearer","bearerFormat":"svc_(live|test)_[a-f0-9]{48}"},)"
    R"("session":{"type":"apiKey","in":"cookie","name":"tilth_session",)"
    R"("description":"Over TLS its name is __Host-tilth_session."}})";

}  // namespace

std::string openapi_document(const std::vector<Route>& routes) {
  std::map<std::string, Object> paths;
  std::map<std::string, int> named;
  for (const auto& route : routes) {
    if (!route.description) continue;
    auto id = operation_id(route.summary);
    const int times = ++named[id];  // a route with two spellings appears twice
    if (times > 1) id += std::to_string(times);
    paths[route.path()].add(to_lower(route.method), operation_json(route, id));
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
                              .add("schemas", parsed(kSchemas))
                              .add("parameters", parameter_components())
                              .add("headers", header_components())
                              .add("responses", refusal_responses());
  return text_of(Object()
                     .add("openapi", "3.1.0")
                     .add("info", about)
                     .add("servers", parsed(R"([{"url":"/"}])"))
                     .add("paths", std::move(all_paths))
                     .add("components", components));
}

}  // namespace tilth
