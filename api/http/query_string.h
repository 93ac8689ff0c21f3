// Percent-encoded segments and parameters of a URL.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilth {

// `plus_is_blank` as in a query. Null if a % is not followed by two hex digits, or the result is
// not UTF-8.
std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_blank);

// The parameters of a query in the order sent: "a=1&b" is {{"a","1"},{"b",""}}. Text that cannot be
// decoded stays as sent.
std::vector<std::pair<std::string, std::string>> read_query(std::string_view query);

}  // namespace tilth
