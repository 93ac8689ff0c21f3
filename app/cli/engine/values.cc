#include <algorithm>
#include <cstdint>

#include "api/http/address.h"
#include "app/cli/engine/command.h"
#include "app/cli/engine/whole_number.h"
#include "events/values/duration.h"
#include "events/values/time.h"

namespace tilth::cli {

Values whole_numbers(std::int64_t least) {
  return {"a whole number from " + std::to_string(least) + " on", [least](std::string_view text) {
            const auto number = whole_number(text);
            return number && *number >= least;
          }};
}

Values instants() {
  return {std::string(Timestamp::kExpected),
          [](std::string_view text) { return Timestamp::parse(text).has_value(); }};
}

Values durations() {
  return {std::string(CalendarDuration::kExpected),
          [](std::string_view text) { return CalendarDuration::parse(text).has_value(); }};
}

Values one_of(std::vector<std::string> choices) {
  std::string expected;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const auto* separator = i == 0 ? "" : i + 1 == choices.size() ? " or " : ", ";
    expected += separator + choices[i];
  }
  const auto accepts = [choices](std::string_view text) {
    return std::find(choices.begin(), choices.end(), text) != choices.end();
  };
  return {std::move(expected), accepts, choices};
}

Values networks() {
  return {"addresses or networks, separated by commas", [](std::string_view text) {
            while (true) {
              const auto comma = text.find(',');
              if (!Network::parse(text.substr(0, comma))) return false;
              if (comma == text.npos) return true;
              text.remove_prefix(comma + 1);
            }
          }};
}

}  // namespace tilth::cli
