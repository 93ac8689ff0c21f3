#include "api/openapi.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "api/openapi_example.h"
#include "events/ascii.h"
#include "events/json_writer.h"

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

// Appends to a JSON object that is not closed yet.
class Object {
 public:
  Object& add(std::string_view name, std::string_view json) {
    if (text_.size() > 1) text_.push_back(',');
    append_json_string(name, text_);
    text_.append(1, ':').append(json);
    return *this;
  }
  Object& say(std::string_view name, std::string_view text) {
    std::string json;
    append_json_string(text, json);
    return add(name, json);
  }
  std::string end() const { return text_ + "}"; }

 private:
  std::string text_ = "{";
};

std::string array(const std::vector<std::string>& items) {
  std::string json = "[";
  for (const auto& item : items) json.append(json.size() > 1 ? "," : "").append(item);
  return json + "]";
}

std::string reference(std::string_view kind, std::string_view name) {
  return Object().say("$ref", "#/components/" + std::string(kind) + "/" + std::string(name)).end();
}

std::string schema_text(const Json& schema) {
  std::string text;
  write_json(schema, text);
  return text;
}

bool is_required(const Json& object, const std::string& name) {
  const auto* names = object.find("required");
  return names != nullptr &&
         std::any_of(names->children.begin(), names->children.end(),
                     [&](const auto& each) { return each.second.text == name; });
}

// The members of an object's schema as parameters `in` the path or the query.
std::vector<std::string> parameters(const std::string& schema, std::string_view in) {
  std::vector<std::string> all;
  const auto object = parse_json(schema.empty() ? "{}" : schema);
  const auto* properties = object ? object->find("properties") : nullptr;
  if (properties == nullptr) return all;
  for (const auto& [name, property] : properties->children) {
    all.push_back(
        Object()
            .say("name", name)
            .say("in", in)
            .add("required", in == "path" || is_required(*object, name) ? "true" : "false")
            .add("schema", schema_text(property))
            .end());
  }
  return all;
}

std::string json_content(const std::string& schema) {
  const auto parsed = parse_json(schema);
  Object media;
  media.add("schema", schema);
  if (parsed) media.add("example", example_of({}, *parsed));
  return Object().add("application/json", media.end()).end();
}

// OpenAPI 3.1 has no word for what is a sequence of such.
std::string lines_content(const std::string& schema) {
  const auto lines = Object()
                         .add("schema", R"({"type":"string","contentMediaType":"application/json",)"
                                        R"("contentSchema":)" +
                                            schema + "}")
                         .end();
  return Object().add("application/x-ndjson", lines).add("text/event-stream", lines).end();
}

// "Register a plant" is registerPlant.
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

std::string headers(const DescribedOperation& operation, bool refused) {
  Object all;
  for (const auto* name :
       {"X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"}) {
    all.add(name, reference("headers", name));
  }
  const bool of_v1 = operation.security == Security::kKey;
  if (!refused && of_v1 && operation.method != "GET") {
    all.add("Tilth-Position", reference("headers", "Tilth-Position"));
  }
  if (!refused && operation.status == 201 && of_v1) {
    all.add("Location", reference("headers", "Location"));
  }
  return all.end();
}

std::string responses(const DescribedOperation& operation) {
  Object all;
  Object success;
  success.say("description", operation.status == 204 ? "Done." : "As asked.");
  success.add("headers", headers(operation, false));
  if (operation.of_lines) {
    success.add("content", lines_content(operation.answer_schema));
  } else if (!operation.answer_schema.empty()) {
    success.add("content", json_content(operation.answer_schema));
  }
  all.add(std::to_string(operation.status), success.end());
  for (const auto& refusal : described_refusals()) {
    const bool may = std::find(operation.refusals.begin(), operation.refusals.end(),
                               refusal.status) != operation.refusals.end();
    if (may) all.add(std::to_string(refusal.status), reference("responses", refusal.name));
  }
  return all.end();
}

std::string security(const DescribedOperation& operation) {
  const auto by_key = R"({"apiKey":[)" + JsonWriter::text(operation.scope) + "]}";
  switch (operation.security) {
    case Security::kNone:
      return "[]";
    case Security::kKey:
      return "[" + by_key + "]";
    case Security::kSession:
      return R"([{"session":[]}])";
    case Security::kSessionOrKey:
      return "[" + by_key + R"(,{"session":[]}])";
  }
  std::abort();
}

// An empty body counts as {}, which is enough where no member is required.
bool is_required_body(const DescribedOperation& operation) {
  const auto schema = parse_json(operation.body_schema);
  return schema && schema->find("required") != nullptr;
}

std::string operation_json(const DescribedOperation& operation, const std::string& id) {
  Object json;
  json.say("operationId", id).say("summary", operation.summary);
  json.add("tags", "[" + JsonWriter::text(operation.tag) + "]");
  json.add("security", security(operation));
  auto all = parameters(operation.path_schema, "path");
  for (auto& filter : parameters(operation.query_schema, "query")) all.push_back(std::move(filter));
  if (!operation.query_schema.empty() && operation.paged) {
    for (const auto* name : {"page", "limit", "order"})
      all.push_back(reference("parameters", name));
  }
  if (operation.security == Security::kKey && operation.method != "GET") {
    all.push_back(reference("parameters", "Idempotency-Key"));
  }
  if (operation.of_the_past) all.push_back(reference("parameters", "Tilth-As-Of"));
  if (!all.empty()) json.add("parameters", array(all));
  if (!operation.body_schema.empty()) {
    const auto content = json_content(operation.body_schema);
    json.add("requestBody", Object()
                                .add("required", is_required_body(operation) ? "true" : "false")
                                .add("content", content)
                                .end());
  }
  return json.add("responses", responses(operation)).end();
}

std::string refusal_responses() {
  Object all;
  for (const auto& refusal : described_refusals()) {
    Object examples;
    std::string codes;
    for (const auto code : refusal.codes) {
      Object value;
      value.say("error", refusal.name).say("code", code).say("message", refusal.meaning);
      examples.add(code, Object().add("value", value.end()).end());
      codes.append(codes.empty() ? " `" : ", `").append(code).append("`");
    }
    const auto media =
        Object().add("schema", reference("schemas", "Error")).add("examples", examples.end()).end();
    Object response;
    response.say("description", std::string(refusal.meaning) + " Codes:" + codes + ".");
    response.add("headers", headers({}, true));
    response.add("content", Object().add("application/json", media).end());
    all.add(refusal.name, response.end());
  }
  return all.end();
}

std::string header_components() {
  const auto header = [](std::string_view about, std::string_view schema) {
    return Object().say("description", about).add("schema", schema).end();
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
      .add("Location", header("Where the new record is.", kText))
      .end();
}

std::string parameter_components() {
  const auto parameter = [](std::string_view name, std::string_view in, std::string_view schema) {
    return Object().say("name", name).say("in", in).add("schema", schema).end();
  };
  return Object()
      .add("page", parameter("page", "query",
                             R"({"type":"integer","minimum":0,"maximum":2147483647,"default":1})"))
      .add("limit", parameter("limit", "query", R"({"type":"integer","minimum":1,"default":20})"))
      .add("order", parameter("order", "query",
                              R"({"type":"string","enum":["asc","desc"],"default":"desc"})"))
      .add("Idempotency-Key",
           parameter("Idempotency-Key", "header", R"({"type":"string","format":"uuid"})"))
      .add("Tilth-As-Of", parameter("Tilth-As-Of", "header",
                                    R"({"type":"string","description":"An instant in ISO 8601."})"))
      .end();
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
    R"("session":{"type":"apiKey","in":"cookie","name":"tilth_session"}})";

}  // namespace

std::string openapi_document(const std::vector<DescribedOperation>& operations) {
  std::map<std::string, Object> paths;
  std::map<std::string, int> named;
  for (const auto& operation : operations) {
    auto id = operation_id(operation.summary);
    const int times = ++named[id];  // what has two spellings is there twice
    if (times > 1) id += std::to_string(times);
    paths[operation.path].add(to_lower(operation.method), operation_json(operation, id));
  }
  Object all_paths;
  for (const auto& [path, methods] : paths) all_paths.add(path, methods.end());
  const auto license = R"({"name":"Apache-2.0","identifier":"Apache-2.0"})";
  const auto about = Object()
                         .say("title", "Tilth")
                         .say("version", "1")
                         .say("description", kAbout)
                         .add("license", license);
  const auto components = Object()
                              .add("securitySchemes", kSecuritySchemes)
                              .add("schemas", kSchemas)
                              .add("parameters", parameter_components())
                              .add("headers", header_components())
                              .add("responses", refusal_responses());
  return Object()
      .say("openapi", "3.1.0")
      .add("info", about.end())
      .add("servers", R"([{"url":"/"}])")
      .add("paths", all_paths.end())
      .add("components", components.end())
      .end();
}

}  // namespace tilth
