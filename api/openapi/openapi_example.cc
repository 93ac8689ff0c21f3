#include "api/openapi/openapi_example.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tilth {
namespace {

struct Usual {
  std::string_view member;  // "area", or "SaleCreate.area"
  std::string_view value;   // JSON
};

// What members are usually like. A member that differs in one schema, most often because a rule
// spans several members, is named together with it.
constexpr auto kUsual = std::to_array<Usual>({
    {"ApiKey.id", R"("key_V1StGXR8_Z5jdHi6B-myT")"},
    {"ApiKey.name", R"("Irrigation controller")"},
    {"ApiKey.revokedAt", "null"},
    {"ApiKey.revokedFrom", "null"},
    {"ApiKeyCreate.name", R"("Irrigation controller")"},
    {"ApplyTemplate.description", R"("Look for leaks and blocked emitters.")"},
    {"Block.name", R"("Block A")"},
    {"BlockCreate.name", R"("Block A")"},
    {"BlockUpdate.name", R"("Block A")"},
    {"CropCreate.actualHarvestDate", "null"},
    {"CropCreate.actualYield", "null"},
    {"CropCreate.status", R"("growing")"},
    {"CropUpdate.actualHarvestDate", "null"},
    {"CropUpdate.actualYield", "null"},
    {"CropUpdate.status", R"("growing")"},
    {"Error.message", R"("The request is not valid.")"},
    {"ExpenseCreate.fieldId", "null"},
    {"Field.name", R"("North Grove")"},
    {"FieldCreate.name", R"("North Grove")"},
    {"FieldUpdate.name", R"("North Grove")"},
    {"HealthFactor.detail", R"("9 of 10 tasks were completed in time.")"},
    {"KeyUsage.keyId", R"("key_V1StGXR8_Z5jdHi6B-myT")"},
    {"LoggedRequest.address", R"("192.0.2.7")"},
    {"LoggedRequest.keyId", R"("key_V1StGXR8_Z5jdHi6B-myT")"},
    {"LoggedRequest.method", R"("GET")"},
    {"LoggedRequest.path", R"("/api/v1/farms")"},
    {"LoggedRequest.requestId", R"("01a1fd7b-5b6b-739f-bf1a-2f54453353b8")"},
    {"LoggedRequest.status", "200"},
    {"MoveCrop.status", R"("harvested")"},
    {"NewApiKey.id", R"("key_V1StGXR8_Z5jdHi6B-myT")"},
    {"NewApiKey.name", R"("Irrigation controller")"},
    {"NewApiKey.revokedAt", "null"},
    {"NewApiKey.revokedFrom", "null"},
    {"OwnSession.address", R"("192.0.2.7")"},
    {"OwnSession.id", R"("session_49f6d8afa8fe8c939f6a066d")"},
    {"Plant.plantedAt", R"("2026-03-15T00:00:00.000Z")"},
    {"PredictionFactor.detail", R"("Two of 144 plants are dead.")"},
    {"RecurringTaskCreate.dayOfMonth", "null"},
    {"RecurringTaskCreate.monthOfYear", "null"},
    {"RecurringTaskCreate.pattern", R"("weekly")"},
    {"RecurringTaskUpdate.dayOfMonth", "null"},
    {"RecurringTaskUpdate.monthOfYear", "null"},
    {"RecurringTaskUpdate.pattern", R"("weekly")"},
    {"ReplayWebhook.until", "null"},
    {"SignedInUser.id", R"("user_V1StGXR8_Z5jdHi6B-myT")"},
    {"SignedInUser.name", R"("Aisha")"},
    {"Subscription.id", R"("sub_V1StGXR8_Z5jdHi6B-myT")"},
    {"Task.description", R"("Look for leaks and blocked emitters.")"},
    {"TaskCreate.actualDuration", "null"},
    {"TaskCreate.completedDate", "null"},
    {"TaskCreate.completionNotes", "null"},
    {"TaskCreate.description", R"("Look for leaks and blocked emitters.")"},
    {"TaskTemplate.description", R"("Cut dry fronds and old stalks.")"},
    {"TaskTemplate.name", R"("Prune the palms")"},
    {"TaskTemplateCreate.description", R"("Cut dry fronds and old stalks.")"},
    {"TaskTemplateCreate.name", R"("Prune the palms")"},
    {"TaskTemplateUpdate.description", R"("Cut dry fronds and old stalks.")"},
    {"TaskTemplateUpdate.name", R"("Prune the palms")"},
    {"TaskUpdate.actualDuration", "null"},
    {"TaskUpdate.completedDate", "null"},
    {"TaskUpdate.completionNotes", "null"},
    {"TaskUpdate.description", R"("Look for leaks and blocked emitters.")"},
    {"WebhookDelivery.error", "null"},
    {"WebhookDelivery.eventId", R"("01a1fd7b-5b6b-739f-bf1a-2f54453353b8")"},
    {"WebhookDelivery.status", R"("delivered")"},
    {"WebhookTest.body", R"("Thank you.")"},
    {"WebhookTest.error", "null"},
    {"WebhookTest.status", "200"},
    {"actor", R"("key_V1StGXR8_Z5jdHi6B-myT")"},
    {"actualDuration", R"("2 hours")"},
    {"actualHarvestDate", R"("2026-09-18")"},
    {"actualYield", "1.8"},
    {"address", R"("Qurban Road 12")"},
    {"allowedIps", R"("192.0.2.0/24")"},
    {"amount", "25"},
    {"appliedAt", R"("2026-11-20T04:30:00Z")"},
    {"area", "1.5"},
    {"areaHectares", "1.5"},
    {"assignedTo", R"("Aisha")"},
    {"baseCurrency", R"("SAR")"},
    {"browser", R"("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")"},
    {"bushelWeightKg", "25.4"},
    {"buyer", R"("Medina Dates Cooperative")"},
    {"category", R"("irrigation")"},
    {"causationid", R"("01a1fd7b-5a82-79f9-b28d-45d753e0ffda")"},
    {"city", R"("Medina")"},
    {"columnCount", "12"},
    {"completedDate", R"("2026-12-03T09:10:00Z")"},
    {"completionNotes", R"("Two emitters were replaced.")"},
    {"correlationid", R"("01a1fd7b-5a82-79f9-b28d-45d753e0ffda")"},
    {"country", R"("Saudi Arabia")"},
    {"createdBy", R"("user_V1StGXR8_Z5jdHi6B-myT")"},
    {"cropName", R"("Date palm")"},
    {"cropType", R"("Date palm")"},
    {"currency", R"("SAR")"},
    {"datacontenttype", R"("application/json")"},
    {"dayOfMonth", "1"},
    {"defaultAssignee", R"("Aisha")"},
    {"depthFromCm", "0"},
    {"depthToCm", "30"},
    {"description", R"("Between the wadi and the old well.")"},
    {"detail", R"("Two tasks are overdue.")"},
    {"details", R"({"name":["is required"]})"},
    {"disabledReason", "null"},
    {"dripLineSpacingMeters", "2"},
    {"dueDate", R"("2026-12-03T15:00:00Z")"},
    {"durationMinutes", "90"},
    {"durationMs", "38"},
    {"ec", "1.4"},
    {"email", R"("aisha@farm.example")"},
    {"emittersPerPlant", "4"},
    {"endDate", R"("2027-11-30T03:00:00Z")"},
    {"entityId", R"("01a1fd7b-5a82-79f9-b28d-45d753e0ffda")"},
    {"error", R"("Invalid")"},
    {"estimatedDuration", R"("2 hours")"},
    {"expectedHarvestDate", R"("2026-09-20")"},
    {"expectedYield", "2.5"},
    {"expiresAt", R"("2036-01-01T00:00:00Z")"},
    {"farmType", R"("orchard")"},
    {"fieldName", R"("North Grove")"},
    {"gpsLat", "24.4396"},
    {"gpsLng", "39.6177"},
    {"growthStage", R"("fruit set")"},
    {"httpStatus", "200"},
    {"irrigationFlowRatePerEmitter", "4"},
    {"isActive", "true"},
    {"isVerified", "true"},
    {"key", R"("svc_live_49f6d8afa8fe8c939f6a066d23c6389fff5884ea8c26a694")"},
    {"keyPreview", R"("svc_live_49f...a694")"},
    {"lab", R"("Medina Soil Laboratory")"},
    {"label", R"("A-11-01")"},
    {"lat", "24.4396"},
    {"lng", "39.6177"},
    {"message", R"("The API key was revoked.")"},
    {"milliseconds", "38"},
    {"modelVersion", R"("1")"},
    {"name", R"("Quba Oasis")"},
    {"newPassword", R"("staple correct horse")"},
    {"note", R"("Paid in cash.")"},
    {"notes", R"("Checked in the morning.")"},
    {"observedOn", R"("2026-01-15")"},
    {"oldPassword", R"("correct horse battery")"},
    {"organicMatter", "1.2"},
    {"password", R"("correct horse battery")"},
    {"ph", "7.2"},
    {"photoUrl", R"("https://photos.example/quba/emitters.jpg")"},
    {"plan", R"("summit")"},
    {"plantCount", "144"},
    {"plantDensity", "100"},
    {"plantedAt", R"("2026-03-15")"},
    {"plantingDate", R"("2026-03-15")"},
    {"position", R"("AAAAAAAAAAE")"},
    {"price", "18.5"},
    {"pricePerUnit", "18.5"},
    {"primaryUse", R"("dates")"},
    {"priority", R"("medium")"},
    {"product", R"("Potassium nitrate")"},
    {"provider", R"("Farm Accounts")"},
    {"quantity", "120"},
    {"rateLimit", "1000"},
    {"rateSource", R"("ECB")"},
    {"region", R"("Medina")"},
    {"rowCount", "12"},
    {"rowOrientation", "90"},
    {"rrule", R"("DTSTART;TZID=Asia/Riyadh:20261201T060000\nRRULE:FREQ=WEEKLY;BYDAY=MO,TH")"},
    {"saleDate", R"("2026-10-01")"},
    {"sampledAt", R"("2026-11-18T05:00:00Z")"},
    {"scientificName", R"("Phoenix dactylifera")"},
    {"scopes", R"("farms:read")"},
    {"secret", R"("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=")"},
    {"soilPh", "7.2"},
    {"soilPhMax", "8"},
    {"soilPhMin", "6.5"},
    {"soilType", R"("sandy loam")"},
    {"source", R"("https://tilth.example/node-1")"},
    {"spacingX", "10"},
    {"spacingY", "10"},
    {"specversion", R"("1.0")"},
    {"startDate", R"("2026-12-01T03:00:00Z")"},
    {"startedAt", R"("2026-11-20T03:00:00Z")"},
    {"status", R"("active")"},
    {"subject", R"("user_V1StGXR8_Z5jdHi6B-myT")"},
    {"tagId", R"("QR-A1101")"},
    {"temperatureMaxC", "48"},
    {"temperatureMinC", "7"},
    {"texture", R"("sandy_loam")"},
    {"timezone", R"("Asia/Riyadh")"},
    {"title", R"("Check the drip lines")"},
    {"totalArea", "12.5"},
    {"traceparent", R"("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")"},
    {"transactionDate", R"("2026-10-01")"},
    {"type", R"("tilth.task.completed")"},
    {"types", R"("tilth.task.*")"},
    {"url", R"("https://farm.example/hooks/tilth")"},
    {"userId", R"("user_V1StGXR8_Z5jdHi6B-myT")"},
    {"variety", R"("Ajwa")"},
    {"varietyName", R"("Ajwa")"},
    {"waterVolume", "35"},
    {"yieldPerHectare", "6"},
    {"yieldUnit", R"("ton")"},
});

std::string_view usual(std::string_view member) {
  const auto found = std::find_if(kUsual.begin(), kUsual.end(),
                                  [&](const auto& each) { return each.member == member; });
  return found == kUsual.end() ? std::string_view() : found->value;
}

std::string quoted(std::string_view text) {
  std::string json;
  append_json_string(text, json);
  return json;
}

// The first type that the schema names.
std::string_view type_of(const Json& schema) {
  const auto* type = schema.find("type");
  if (type == nullptr) return {};
  return type->children.empty() ? type->text : type->children[0].second.text;
}

// Of text without a usual value, by its format.
std::string example_text(const Json& schema) {
  const auto* format = schema.find("format");
  const std::string_view form = format == nullptr ? std::string_view() : format->text;
  if (form == "uuid") return R"("01a1fd7b-5a82-79f9-b28d-45d753e0ffda")";
  if (form == "date-time") return R"("2026-11-21T09:41:22.178Z")";
  if (form == "date") return R"("2026-11-21")";
  if (form == "decimal") return R"("12.5")";
  if (form == "uri") return R"("https://farm.example/quba")";
  return R"("Palm grove")";
}

std::string example_number(const Json& schema) {
  const auto* least = schema.find("minimum");
  return least == nullptr || least->text == "0" || least->text.starts_with('-') ? "1" : least->text;
}

std::string example_choice(std::string_view value, const Json& choices) {
  for (const auto& [_, choice] : choices.children) {
    if (text_of(choice) == value) return std::string(value);
  }
  return text_of(choices.children[0].second);
}

// `value` is JSON for a text or a number; empty: there is no usual one.
std::string example_scalar(std::string_view value, const Json& schema) {
  if (const auto* choices = schema.find("enum")) return example_choice(value, *choices);
  const auto type = type_of(schema);
  if (type == "boolean") return value == "true" ? "true" : "false";
  const bool is_text = value.starts_with('"');
  if (type == "string") {
    if (value.empty()) return example_text(schema);
    return is_text ? std::string(value) : quoted(value);
  }
  return value.empty() || is_text ? example_number(schema) : std::string(value);
}

std::string example_member(std::string_view title, std::string_view name, const Json& schema) {
  const auto own = usual(std::string(title) + "." + std::string(name));
  if (own.empty()) return example_of(name, schema);
  const auto* either = schema.find("anyOf");
  return own == "null" ? "null" : example_scalar(own, either ? either->children[0].second : schema);
}

std::string example_object(const Json& schema) {
  const auto* title = schema.find("title");
  std::string json = "{";
  if (const auto* properties = schema.find("properties")) {
    for (const auto& [name, property] : properties->children) {
      if (json.size() > 1) json.push_back(',');
      json.append(quoted(name)).append(1, ':');
      json.append(example_member(title == nullptr ? "" : title->text, name, property));
    }
  }
  return json + "}";
}

}  // namespace

std::string example_of(std::string_view name, const Json& schema) {
  if (const auto* either = schema.find("anyOf"))
    return example_of(name, either->children[0].second);
  if (schema.find("$ref")) return R"({"page":1,"limit":20,"total":1,"totalPages":1})";
  const auto type = type_of(schema);
  const bool is_number = type == "number" || type == "integer";
  const auto value = usual(name);
  if (const auto* examples = schema.find("examples"); examples && !(is_number && !value.empty())) {
    return text_of(examples->children[0].second);
  }
  if (const auto* only = schema.find("const")) return text_of(*only);
  if (type == "object") return example_object(schema);
  if (type == "array") {
    const auto* items = schema.find("items");
    return "[" + (items == nullptr ? std::string() : example_of(name, *items)) + "]";
  }
  return type.empty() && schema.find("enum") == nullptr ? "null" : example_scalar(value, schema);
}

}  // namespace tilth
