#include "tests/api/history/history_description.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include "events/json/json.h"
#include "events/json/schema.h"
#include "events/log/catalogue.h"
#include "events/log/personal_members.h"

namespace tilth::testing {
namespace {

struct Header {
  std::string_view name, schema, what;
  bool always = true;
};

constexpr std::array<Header, 17> kHeaders = {{
    {"ce_specversion", R"("const":"1.0")", "The version of CloudEvents."},
    {"ce_id", R"("format":"uuid")", "The event's id; copies of an event have the same id."},
    {"ce_source", R"("format":"uri")", "The node that decided the event."},
    {"ce_type", "", "The type of the event."},
    {"ce_subject", "",
     "The stream: the owner's id, `access` for users, keys and operators, `audit` for the audit "
     "trail, `reference` for reference data."},
    {"ce_time", R"("format":"date-time")", "The time of the decision."},
    {"content-type", R"("const":"application/json")", "The media type of the value."},
    {"ce_streamversion", R"("pattern":"^[0-9]+$")",
     "The expected version: how many events of its stream counted at the decision."},
    {"ce_schemaversion", R"("pattern":"^[0-9]+$")", "The version of the value's shape."},
    {"ce_correlationid", "", "The request that led to it."},
    {"ce_causationid", "", "The request or event that caused it."},
    {"ce_actor", "", "The key, the user, the operator or the clock that requested it."},
    {"ce_idempotencykey", R"("format":"uuid")", "The request's `Idempotency-Key`, if it had one.",
     false},
    {"ce_requesthash", "", "A hash of that request.", false},
    {"ce_traceparent", R"("pattern":"^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$")",
     "The trace of its request (W3C Trace Context), if there was one.", false},
    {"ce_predecessor", R"("format":"uuid")",
     "The event of its stream before it, if that was not known to count at the decision.", false},
    {"ce_sealed", R"("contentEncoding":"base64")",
     "Its personal data, sealed; only on Kafka, where `{\"sealed\":true}` replaces it in the "
     "value.",
     false},
}};

std::string json_string(std::string_view text) {
  std::string json;
  append_json_string(text, json);
  return json;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string all;
  for (const auto& part : parts) all.append(all.empty() ? "" : ",").append(part);
  return all;
}

std::string golden(std::string_view type, int version) {
  const auto path = std::filesystem::path("tests/golden") /
                    (std::string(type) + ".v" + std::to_string(version) + ".json");
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  auto json = text.str();
  while (json.ends_with('\n')) json.pop_back();
  return json;
}

// "tilth.soil_sample.recorded" is "Soil sample recorded".
std::string title_of(std::string_view type) {
  std::string title(type.substr(type.find('.') + 1));
  std::replace(title.begin(), title.end(), '.', ' ');
  std::replace(title.begin(), title.end(), '_', ' ');
  title[0] = static_cast<char>(title[0] - 'a' + 'A');
  return title;
}

std::string headers_schema() {
  std::vector<std::string> properties, required;
  for (const auto& [name, schema, what, always] : kHeaders) {
    properties.push_back(json_string(name) + R"(:{"type":"string",)" + std::string(schema) +
                         (schema.empty() ? "" : ",") + "\"description\":" + json_string(what) +
                         "}");
    if (always) required.push_back(json_string(name));
  }
  return R"({"type":"object","required":[)" + joined(required) + R"(],"properties":{)" +
         joined(properties) + "}}";
}

// Allows {"sealed":true} for the member with that dotted path. Arrays have no name of their own.
void allow_sealed(Json& schema, std::string_view path) {
  Json* inner = &schema;
  const auto enter = [&inner](std::string_view name) {
    for (auto& [member, child] : inner->children) {
      if (member == name) return inner = &child, true;
    }
    return false;
  };
  while (enter("anyOf") ? (inner = &inner->children.front().second, true) : enter("items")) {
  }
  const auto end = std::min(path.find('.'), path.size());
  if (!enter("properties") || !enter(path.substr(0, end))) std::abort();
  if (end < path.size()) return allow_sealed(*inner, path.substr(end + 1));
  auto sealed = *parse_json(R"({"$ref":"#/components/schemas/sealed"})");
  Json either = Json::object();
  either.add("anyOf", Json::array({std::move(*inner), std::move(sealed)}));
  *inner = std::move(either);
}

std::string sealable(const DescribedEvent& event) {
  auto schema = *parse_json(event.schema);
  for (const auto& member : personal_members(event.type)) allow_sealed(schema, member);
  return text_of(schema);
}

std::string message_of(const DescribedEvent& event) {
  const auto parted = take_personal(event.type, event.example);
  return R"({"name":)" + json_string(event.type) + R"(,"title":)" +
         json_string(title_of(event.type)) +
         R"(,"contentType":"application/json","headers":{"allOf":[)"
         R"({"$ref":"#/components/schemas/headers"},{"type":"object","properties":)"
         R"({"ce_type":{"const":)" +
         json_string(event.type) + R"(},"ce_schemaversion":{"const":")" +
         std::to_string(event.version) + R"("}}}]},"payload":)" + sealable(event) +
         R"(,"bindings":{"kafka":{"key":{"type":"string","description":"The stream."},)"
         R"("bindingVersion":"0.5.0"}},"examples":[{"payload":)" +
         event.example + "}" + (parted ? R"(,{"payload":)" + parted->open + "}" : "") + "]}";
}

std::string reference(std::string_view kind, std::string_view name) {
  return R"({"$ref":"#/)" + std::string(kind) + "/" + std::string(name) + "\"}";
}

std::string type_text(const Json& schema);

std::string all_of(const Json& names) {
  std::string text;
  for (const auto& [_, each] : names.children) {
    text.append(text.empty() ? "" : ", ").append("`" + each.text + "`");
  }
  return text;
}

std::string type_text(const Json& schema) {
  if (const auto* either = schema.find("anyOf")) {
    return type_text(either->children.front().second) + ", or null";
  }
  if (const auto* names = schema.find("enum")) return all_of(*names);
  const auto* type = schema.find("type");
  const std::string name = type != nullptr ? type->text : "any";
  if (const auto* items = schema.find("items"); items != nullptr) {
    return "array of " + type_text(*items);
  }
  const auto* format = schema.find("format");
  return format != nullptr ? format->text : name;
}

const Json& without_null(const Json& schema) {
  const auto* either = schema.find("anyOf");
  return either != nullptr ? either->children.front().second : schema;
}

// Adds one row for each member, and recursively for the members of its value.
void add_rows(const Json& object, const std::string& path, std::string& page) {
  const auto* properties = object.find("properties");
  if (properties == nullptr) return;
  const auto* required = object.find("required");
  for (const auto& [name, schema] : properties->children) {
    const bool always =
        required != nullptr &&
        std::any_of(required->children.begin(), required->children.end(),
                    [&, member = &name](const auto& each) { return each.second.text == *member; });
    const auto* doc = schema.find("description");
    page += "| `" + path + name + "` | " + type_text(schema) + " | ";
    if (!always) page += "Optional. ";
    if (doc != nullptr) page += doc->text;
    while (page.ends_with(' ')) page.pop_back();
    page += " |\n";
    const Json* inner = &without_null(schema);
    std::string below = path + name + ".";
    if (const auto* items = inner->find("items")) {
      inner = items;
      below = path + name + "[].";
    }
    add_rows(*inner, below, page);
  }
}

std::string personal_line(std::string_view type) {
  std::string line;
  for (const auto& member : personal_members(type)) {
    line.append(line.empty() ? "\nPersonal: `" : ", `").append(member).append("`");
  }
  return line.empty() ? line : line + ".\n";
}

}  // namespace

std::vector<DescribedEvent> described_events() {
  std::vector<DescribedEvent> events;
  for (const auto& codec : event_codecs()) {
    const auto& [name, version] = *codec.type;
    events.push_back({std::string(name), version, text_of(schema_of(*codec.form, SchemaOf::kEvent)),
                      golden(name, version)});
  }
  return events;
}

std::string asyncapi_document(const std::vector<DescribedEvent>& events) {
  std::vector<std::string> in_channel, messages;
  for (const auto& event : events) {
    in_channel.push_back(json_string(event.type) + ":" +
                         reference("components/messages", event.type));
    messages.push_back(json_string(event.type) + ":\n" + message_of(event));
  }
  return R"({"asyncapi":"3.0.0","info":{"title":"The history of Tilth","version":"1","description":)" +
         json_string(
             "All events, as CloudEvents 1.0 in Kafka's binary mode: attributes are headers, the "
             "value is JSON, the key is the stream. A message counts if and only if its "
             "`ce_streamversion` is the number of messages of its key before it that counted, and "
             "its `ce_predecessor`, if it has one, is the `ce_id` of the last of these.") +
         R"(},"defaultContentType":"application/json","channels":{"history":{)"
         R"("address":"tilth.events","title":"The history","messages":{)" +
         joined(in_channel) +
         R"(},"bindings":{"kafka":{"topic":"tilth.events","partitions":12,"replicas":3,)"
         R"("topicConfiguration":{"cleanup.policy":["delete"],"retention.ms":-1,)"
         R"("retention.bytes":-1,"max.message.bytes":16777216},"bindingVersion":"0.5.0"}}}},)"
         R"("operations":{"tell":{"action":"send","title":"Publish events","channel":)" +
         reference("channels", "history") + R"(}},"components":{"schemas":{"headers":)" +
         headers_schema() +
         R"(,"sealed":{"type":"object","required":["sealed"],"additionalProperties":false,)"
         R"("properties":{"sealed":{"const":true}},"description":)" +
         json_string("On Kafka, replaces personal data, which is in `ce_sealed`.") + "}" +
         "},\"messages\":{\n" + joined(messages) + "}}}\n";
}

std::string events_page(const std::vector<DescribedEvent>& events) {
  std::string page =
      "# Events\n\n"
      "For readers of the history: with a Kafka tool, `tilth events export` or the operator API.\n"
      "A test generates this page and [asyncapi.json](asyncapi.json) from the\n"
      "[catalogue](../events/log/catalogue.h), and fails if either is out of date.\n\n"
      "Every event is a CloudEvents 1.0 event.\n\n"
      "| | Attributes | Data | Stream |\n|---|---|---|---|\n"
      "| on Kafka | headers | the value, the JSON below | the key |\n"
      "| in an export | members, without `ce_` | the member `data` | the member `subject` |\n\n"
      "An event counts if and only if its `ce_streamversion` is the number of events of its\n"
      "stream before it that counted, and its `ce_predecessor`, if it has one, is the `ce_id` of\n"
      "the last of these: see [consistency](consistency.md#an-append-carries-a-version).\n\n"
      "| Header | |\n|---|---|\n";
  for (const auto& [name, schema, what, always] : kHeaders) {
    page += "| `" + std::string(name) + "` | " + std::string(what) + " |\n";
  }
  page +=
      "\nA stored event is never rewritten. An event of an older version is read as one of the\n"
      "newest; [tests/golden](../tests/golden) has examples of older ones.\n\n"
      "Members with personal data are marked below. The log seals them, and once the person is\n"
      "[erased](operations.md#erase-a-person) they read as null. Where a value is required,\n"
      "a text reads as `[erased]`, a URL as `https://erased.invalid/`, and an object as `{}`.\n"
      "Paths are written without the `[]` of arrays.\n\n"
      "An event has an optional member if its request had it, even if the value stays the same,\n"
      "or if the member follows from others of the request.\n";
  for (const auto& event : events) {
    page += "\n## " + title_of(event.type) + "\n\n`" + event.type + "`, version " +
            std::to_string(event.version) + "\n\n| Member | Type | |\n|---|---|---|\n";
    if (const auto schema = parse_json(event.schema)) add_rows(*schema, "", page);
    page += personal_line(event.type);
    page += "\n```json\n" + event.example + "\n```\n";
  }
  return page;
}

}  // namespace tilth::testing
