#include "api/platform/batches.h"
#include "api/routing/route.h"
#include "events/json/json.h"

namespace tilth {
namespace {

Json batch_schema() {
  return *parse_json(R"({
    "title": "Batch",
    "type": "object",
    "properties": {
      "requests": {
        "type": "array", "minItems": 1, "maxItems": 1000,
        "description": "Carried out in this order, each by itself.",
        "items": {
          "title": "BatchRequest",
          "type": "object",
          "properties": {
            "id": {"type": ["string", "null"], "pattern": "^[A-Za-z0-9_-]{1,64}$",
              "description": "Unique within the batch. In the path of a later request, and as a whole string in its body, {$ID} stands for the data.id that this one answered."},
            "method": {"type": "string", "enum": ["POST", "PUT", "DELETE", "GET"],
              "description": "As of a request of its own."},
            "path": {"type": "string", "pattern": "^/v1/", "maxLength": 8192,
              "description": "As in this API without /api, with its query. Not /v1/batch or /v1/events."},
            "body": {"description": "The request's body, for POST and PUT.", "type": ["object", "null"]},
            "ifMatch": {"type": ["string", "null"], "description": "As the header If-Match."}},
          "required": ["method", "path"]}},
      "onError": {"type": "string", "enum": ["continue", "stop"], "default": "continue",
        "description": "Whether the requests after one that is not answered 2xx are carried out. If not, they are answered 424 NOT_ATTEMPTED."}},
    "required": ["requests"],
    "examples": [{"requests": [
      {"id": "farm", "method": "POST", "path": "/v1/farms", "body": {"name": "Wadi Farm", "totalArea": 12.5}},
      {"id": "field", "method": "POST", "path": "/v1/farms/{$farm}/fields", "body": {"name": "North", "area": 4}},
      {"method": "POST", "path": "/v1/tasks", "body": {"farmId": "{$farm}", "title": "Walk the field", "category": "inspection"}}],
      "onError": "stop"}]})");
}

Json answers_schema() {
  return *parse_json(R"({
    "title": "BatchAnswers",
    "type": "object",
    "properties": {
      "data": {
        "type": "array", "description": "One for each request, in their order.",
        "items": {
          "title": "BatchAnswer",
          "type": "object",
          "properties": {
            "id": {"type": ["string", "null"], "description": "Of the request."},
            "status": {"type": "integer",
              "description": "As of a request of its own; and 424 NOT_ATTEMPTED or FAILED_DEPENDENCY."},
            "headers": {"type": "object", "description": "Those of the response that matter here.", "properties": {
              "ETag": {"type": "string", "description": "The record's entity tag."},
              "Location": {"type": "string", "description": "Where the new record is."},
              "Retry-After": {"type": "string", "description": "After so many seconds, ask again."}}},
            "body": {"type": ["object", "null"], "description": "Null if there is none."}},
          "required": ["id", "status", "headers", "body"]}},
      "meta": {
        "title": "BatchMeta", "type": "object", "description": "How many requests were answered how.",
        "properties": {
          "succeeded": {"type": "integer", "description": "2xx."},
          "failed": {"type": "integer", "description": "Anything else but NOT_ATTEMPTED."},
          "notAttempted": {"type": "integer", "description": "424 NOT_ATTEMPTED."}},
        "required": ["succeeded", "failed", "notAttempted"]}},
    "required": ["data", "meta"],
    "examples": [{
      "data": [{"id": "farm", "status": 409, "headers": {}, "body": {"error": "Conflict", "code": "CONFLICT", "message": "Another farm has this name."}},
        {"id": "field", "status": 424, "headers": {}, "body": {"error": "Failed Dependency", "code": "NOT_ATTEMPTED", "message": "A request before this one failed, and onError is stop."}}],
      "meta": {"succeeded": 0, "failed": 1, "notAttempted": 1}}]})");
}

}  // namespace

// Without a scope: each request within needs its own.
std::vector<Route> batch_routes() {
  return {{.method = "POST",
           .pattern = "/batch",
           .summary = "Carry out many requests",
           .action = BatchOfRequests{},
           .most_body_bytes = Batches::kMostBody,
           .description = Description{
               .name = "carryOutBatch",
               .about = "Carries out up to 1,000 requests in their order, each decided by itself "
                        "and with the scopes of "
                        "its own. Later requests can refer to what earlier ones have made.",
               .body = batch_schema,
               .answer = answers_schema}}};
}

}  // namespace tilth
