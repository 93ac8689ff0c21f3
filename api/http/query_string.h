// What stands in a URL: percent-encoded segments and parameters.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilth {

// `plus_is_blank` as in a query. Null where a % is not followed by two hex digits, or what comes
// out is not UTF-8.
std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_blank);

// The parameters of a query in the order sent: "a=1&b" is {{"a","1"},{"b",""}}. What cannot be
// decoded stays as it is.
std::vector<std::pair<std::string, std::string>> read_query(std::string_view query);

}  // namespace tilth
