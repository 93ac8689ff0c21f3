#include "events/json/codec.h"

#include <array>
#include <cmath>

namespace tilth {

std::optional<std::int64_t> read_whole(std::string_view text) {
  const auto written = WrittenNumber::parse(text);
  if (!written || written->exponent < 0 || written->whole_digits() > 19) return std::nullopt;
  std::string digits =
      written->digits + std::string(static_cast<std::size_t>(written->exponent), '0');
  if (digits.empty()) digits = "0";
  if (written->negative) digits.insert(digits.begin(), '-');
  std::int64_t value = 0;
  const auto end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, value);
  return read.ec == std::errc{} && read.ptr == end ? std::optional(value) : std::nullopt;
}

std::optional<double> read_double(std::string_view text) {
  if (!WrittenNumber::parse(text)) return std::nullopt;
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec != std::errc{} || read.ptr != end || !std::isfinite(value)) return std::nullopt;
  return value == 0 ? 0.0 : value;  // no -0
}

bool stands_for(double value, std::string_view text) {
  // The decimal places that programs write for a double: 15 by default in maps, at most 17.
  constexpr std::int64_t kMostPlaces = 17;
  std::array<char, 32> room = {};
  const char* end = std::to_chars(room.data(), room.data() + room.size(), value).ptr;
  const std::string_view shortest(room.data(), end);
  if (shortest == text) return true;
  const auto kept = WrittenNumber::parse(shortest), written = WrittenNumber::parse(text);
  if (!kept || !written) return false;
  if (kept->digits == written->digits && kept->exponent == written->exponent) return true;
  return written->exponent >= -kMostPlaces && value != std::trunc(value);
}

}  // namespace tilth
