#include "api/http/traceparent.h"

#include <algorithm>
#include <cstddef>

namespace tilth {
namespace {

// "00-" trace id "-" span id "-" flags
constexpr std::size_t kTraceId = 3, kTraceDigits = 32, kSpanId = 36, kSpanDigits = 16, kFlags = 53,
                      kLength = 55;

bool is_digit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

bool is_hex(std::string_view text) { return std::all_of(text.begin(), text.end(), is_digit); }

bool is_id(std::string_view text) {
  return is_hex(text) && text.find_first_not_of('0') != text.npos;
}

bool is_valid(std::string_view text) {
  return text.size() == kLength && text.starts_with("00-") && text[kSpanId - 1] == '-' &&
         text[kFlags - 1] == '-' && is_id(text.substr(kTraceId, kTraceDigits)) &&
         is_id(text.substr(kSpanId, kSpanDigits)) && is_hex(text.substr(kFlags));
}

}  // namespace

std::optional<Traceparent> Traceparent::parse(std::string_view text) {
  if (!is_valid(text)) return std::nullopt;
  const char last = text.back();  // its lowest bit says "sampled"; no other has a meaning yet
  const int bits = last >= 'a' ? last - 'a' + 10 : last - '0';
  return Traceparent{std::string(text.substr(kTraceId, kTraceDigits)),
                     std::string(text.substr(kSpanId, kSpanDigits)), bits % 2 == 1};
}

std::string Traceparent::text() const {
  return "00-" + trace_id + "-" + span_id + (sampled ? "-01" : "-00");
}

std::string_view traceparent_of(const HttpRequest& request) {
  const auto* sent = request.header("traceparent");
  const bool usable = sent != nullptr && is_valid(*sent) && !request.repeats("traceparent");
  return usable ? std::string_view(*sent) : std::string_view();
}

}  // namespace tilth
