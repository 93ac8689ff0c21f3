#include "infra/traces/tracer.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tilth {
namespace {

constexpr std::size_t kTraceIdBytes = 16, kSpanIdBytes = 8;

// The pattern with the segments below which it is mounted: those of the path that it does not have.
std::string whole_route(std::string_view path, std::string_view pattern) {
  auto further = std::ranges::count(path, '/') - std::ranges::count(pattern, '/');
  std::size_t end = 0;
  for (; further > 0 && end != path.npos; --further) end = path.find('/', end + 1);
  const auto mount = path.substr(0, end);
  const bool as_mounted = mount.find('%') == mount.npos;  // a client may encode it in many ways
  return std::string(pattern.empty() || !as_mounted ? "" : mount).append(pattern);
}

}  // namespace

std::shared_ptr<RequestSpan> Tracer::begin(std::string_view traceparent) const {
  const auto parent = Traceparent::parse(traceparent);
  if (parent ? !parent->sampled : !draw()) return nullptr;
  auto span = std::make_shared<RequestSpan>();
  span->self = {.trace_id = parent ? parent->trace_id : fresh_id(kTraceIdBytes),
                .span_id = fresh_id(kSpanIdBytes),
                .sampled = true};
  if (parent) span->parent_id = parent->span_id;
  span->began_at = std::chrono::system_clock::now();
  span->began = std::chrono::steady_clock::now();
  return span;
}

std::vector<Span> Tracer::end(const Answered& answer) const {
  if (answer.span == nullptr) return {};
  const auto& [self, parent_id, began_at, began, command] = *answer.span;
  const Span::Nanoseconds start(began_at);
  std::vector<Span> spans;
  spans.push_back({.trace_id = self.trace_id,
                   .span_id = self.span_id,
                   .parent_id = parent_id,
                   .began = start,
                   .ended = start + answer.took,
                   .method = std::string(answer.method),
                   .route = whole_route(answer.path, answer.route),
                   .status = answer.status});
  const auto add_part = [&, &id = self, &zero = began](const char* name,
                                                       const CommandTimes::Part& part) {
    if (part.begun == CommandTimes::Instant() || part.ended < part.begun) return;
    spans.push_back({.trace_id = id.trace_id,
                     .span_id = fresh_id(kSpanIdBytes),
                     .parent_id = id.span_id,
                     .name = name,
                     .began = start + (part.begun - zero),
                     .ended = start + (part.ended - zero)});
  };
  add_part("decide", command.deciding());
  add_part("append", command.appending());
  add_part("project", command.projecting());
  return spans;
}

bool Tracer::draw() const {
  if (share_ <= 0) return false;
  std::uint32_t drawn = 0;
  random_(reinterpret_cast<std::uint8_t*>(&drawn), sizeof drawn);
  constexpr double kAll = 4'294'967'296;
  return drawn < share_ * kAll;
}

std::string Tracer::fresh_id(std::size_t bytes) const {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::array<std::uint8_t, kTraceIdBytes> id{};
  while (std::ranges::all_of(id, [](auto byte) { return byte == 0; })) random_(id.data(), bytes);
  std::string text;
  for (std::size_t i = 0; i < bytes; ++i) {
    text.append(1, kDigits[id.at(i) >> 4]).append(1, kDigits[id.at(i) & 15]);
  }
  return text;
}

}  // namespace tilth
