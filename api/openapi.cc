#include "api/openapi.h"

#include <map>

#include "events/json_writer.h"

namespace tilth {
namespace {

std::string quoted(std::string_view text) {
  std::string json;
  append_json_string(text, json);
  return json;
}

// The members of an object's schema as parameters `in` the path or the query.
std::string parameters(const std::string& schema, std::string_view in) {
  const auto object = parse_json(schema);
  std::string json;
  const auto* properties = object ? object->find("properties") : nullptr;
  if (properties == nullptr) return json;
  for (const auto& [name, property] : properties->children) {
    std::string text;
    write_json(property, text);
    json.append(json.empty() ? "" : ",").append("{\"name\":").append(quoted(name));
    json.append(",\"in\":").append(quoted(in));
    json.append(",\"required\":").append(in == "path" ? "true" : "false");
    json.append(",\"schema\":").append(text).append(1, '}');
  }
  return json;
}

std::string paging() {
  return R"({"name":"page","in":"query","schema":{"type":"integer","minimum":0,"default":1}},)"
         R"({"name":"limit","in":"query","schema":{"type":"integer","minimum":1,"default":20}},)"
         R"({"name":"sort","in":"query","schema":{"type":"string"}},)"
         R"({"name":"order","in":"query","schema":{"type":"string","enum":["asc","desc"]}})";
}

std::string operation(const Route& route) {
  std::string json = "{\"summary\":" + quoted(route.summary);
  json.append(",\"security\":[{\"apiKey\":[").append(quoted(scope_name(route.scope))).append("]}]");
  auto all = parameters(route.path_schema ? route.path_schema() : "{}", "path");
  if (route.query_schema) {
    const auto filters = parameters(route.query_schema(), "query");
    for (const auto& more : {filters, route.paged ? paging() : std::string()}) {
      if (!more.empty()) all.append(all.empty() ? "" : ",").append(more);
    }
  }
  if (!all.empty()) json.append(",\"parameters\":[").append(all).append("]");
  if (route.body_schema) {
    json.append(R"(,"requestBody":{"required":true,"content":{"application/json":{"schema":)");
    json.append(route.body_schema()).append("}}}");
  }
  json.append(",\"responses\":{\"").append(std::to_string(route.status)).append("\":{");
  json.append("\"description\":").append(quoted(route.status == 204 ? "Done" : "The record"));
  if (route.data_schema) {
    json.append(
        R"(,"content":{"application/json":{"schema":{"type":"object","required":["data"],)");
    json.append("\"properties\":{\"data\":").append(route.data_schema());
    if (route.query_schema && route.paged)
      json.append(R"(,"pagination":{"$ref":"#/components/schemas/Pagination"})");
    json.append("}}}}");
  }
  return json.append(R"(},"default":{"$ref":"#/components/responses/Refusal"}}})");
}

std::string lower(std::string_view method) {
  std::string text(method);
  for (auto& c : text) c = static_cast<char>(c - 'A' + 'a');
  return text;
}

}  // namespace

std::string openapi_document(const std::vector<Route>& routes) {
  std::map<std::string, std::string> paths;
  for (const auto& route : routes) {
    auto& path = paths["/api/v1" + std::string(route.pattern)];
    path.append(path.empty() ? "" : ",").append(quoted(lower(route.method))).append(1, ':');
    path.append(operation(route));
  }
  std::string json = R"({"openapi":"3.1.0","info":{"title":"Tilth","version":"1"},"paths":{)";
  for (const auto& [path, operations] : paths) {
    if (json.back() != '{') json.push_back(',');
    json.append(quoted(path)).append(":{").append(operations).append(1, '}');
  }
  json.append(
      R"(},"components":{"securitySchemes":{"apiKey":{"type":"http","scheme":"bearer"}},)"
      R"("schemas":{"Pagination":{"type":"object","required":["page","limit","total","totalPages"],)"
      R"("properties":{"page":{"type":"integer"},"limit":{"type":"integer"},)"
      R"("total":{"type":"integer"},"totalPages":{"type":"integer"}}},)"
      R"("Error":{"type":"object","required":["error","code","message"],"properties":{)"
      R"("error":{"type":"string"},"code":{"type":"string"},"message":{"type":"string"},)"
      R"("details":{"type":"object"}}}},)"
      R"("responses":{"Refusal":{"description":"Why not","content":{"application/json":{"schema":)"
      R"({"$ref":"#/components/schemas/Error"}}}}}}})");
  return json;
}

}  // namespace tilth
