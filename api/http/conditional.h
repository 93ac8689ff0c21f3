// Conditional requests: lists of entity tags (RFC 9110, 13.1).

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilth {

// The tags of If-Match or If-None-Match: `"a", W/"b"` or `*`. Skips anything that is not a tag. A
// tag that names a coding is that of the plain body: the record is the same in each.
std::vector<std::string> read_entity_tags(std::string_view header);

// If-None-Match compares weakly: W/"a" equals "a". "*" matches any tag.
bool matches_weakly(const std::vector<std::string>& wanted, std::string_view tag);

}  // namespace tilth
