#include "infra/traces/otlp_json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "events/json/json.h"

namespace tilth {
namespace {

// Of opentelemetry/proto/trace/v1/trace.proto.
constexpr std::int64_t kInternalSpan = 1, kServerSpan = 2, kStatusError = 2;

constexpr std::string_view kOtherMethod = "_OTHER";

// What a client made up would be a new name for each request.
std::string_view known_method(std::string_view method) {
  constexpr std::array<std::string_view, 9> kKnown = {
      "GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "CONNECT", "TRACE"};
  return std::ranges::find(kKnown, method) == kKnown.end() ? kOtherMethod : method;
}

Json attribute(std::string_view key, std::string_view type, Json value) {
  auto json = Json::object();
  json.add("key", Json::string(key));
  json.add("value", Json::object()).add(type, std::move(value));
  return json;
}

Json text_attribute(std::string_view key, std::string_view text) {
  return attribute(key, "stringValue", Json::string(text));
}

// Integers of 64 bits are strings in JSON.
Json integer(std::int64_t value) { return Json::string(std::to_string(value)); }

Json nanoseconds(Span::Nanoseconds at) {
  return integer(static_cast<std::int64_t>(at.time_since_epoch().count()));
}

std::string name_of(const Span& span) {
  if (!span.is_request()) return span.name;
  const auto method = known_method(span.method);
  const std::string name(method == kOtherMethod ? "HTTP" : method);
  return span.route.empty() ? name : name + " " + span.route;
}

Json attributes_of(const Span& span) {
  std::vector<Json> all;
  if (span.is_request()) {
    all.push_back(text_attribute("http.request.method", known_method(span.method)));
    if (!span.route.empty()) all.push_back(text_attribute("http.route", span.route));
    all.push_back(attribute("http.response.status_code", "intValue", integer(span.status)));
    if (span.status >= 500) {
      all.push_back(text_attribute("error.type", std::to_string(span.status)));
    }
  }
  return Json::array(std::move(all));
}

Json json_of(const Span& span) {
  auto json = Json::object();
  json.add("traceId", Json::string(span.trace_id));
  json.add("spanId", Json::string(span.span_id));
  if (!span.parent_id.empty()) json.add("parentSpanId", Json::string(span.parent_id));
  json.add("name", Json::string(name_of(span)));
  json.add("kind", Json::number(span.is_request() ? kServerSpan : kInternalSpan));
  json.add("startTimeUnixNano", nanoseconds(span.began));
  json.add("endTimeUnixNano", nanoseconds(span.ended));
  json.add("attributes", attributes_of(span));
  auto& status = json.add("status", Json::object());
  if (span.status >= 500) status.add("code", Json::number(kStatusError));
  return json;
}

}  // namespace

std::string otlp_json(const TraceResource& resource, std::span<const Span> spans) {
  std::vector<Json> all;
  all.reserve(spans.size());
  for (const auto& span : spans) all.push_back(json_of(span));
  auto scope = Json::object();
  scope.add("name", Json::string("tilth"));
  scope.add("version", Json::string(resource.version));
  auto of_scope = Json::object();
  of_scope.add("scope", std::move(scope));
  of_scope.add("spans", Json::array(std::move(all)));
  auto of_resource = Json::object();
  of_resource.add("resource", Json::object())
      .add("attributes", Json::array({text_attribute("service.name", "tilth"),
                                      text_attribute("service.version", resource.version),
                                      text_attribute("service.instance.id", resource.instance)}));
  of_resource.add("scopeSpans", Json::array({std::move(of_scope)}));
  auto request = Json::object();
  request.add("resourceSpans", Json::array({std::move(of_resource)}));
  std::string text;
  write_json(request, text);
  return text;
}

std::uint64_t rejected_spans(std::string_view response) {
  const auto json = parse_json(response);
  const auto* partial = json ? json->find("partialSuccess") : nullptr;
  const auto* rejected = partial != nullptr ? partial->find("rejectedSpans") : nullptr;
  if (rejected == nullptr) return 0;
  std::uint64_t count = 0;
  const auto& text = rejected->text;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), count);
  return read.ec == std::errc() ? count : 0;
}

}  // namespace tilth
