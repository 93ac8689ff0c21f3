// The parameters of any query, the segments of any path and the tags of any header are read, and
// what was encoded is decoded.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "api/http/conditional.h"
#include "api/http/path_segments.h"
#include "api/http/query_string.h"
#include "api/http/traceparent.h"
#include "tests/fuzz/require.h"

namespace {

using tilth::fuzz::require;

std::string encoded(const std::string& text) {
  std::string out;
  for (const char c : text) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    out.append({'%', kDigits[byte >> 4], kDigits[byte & 15]});
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(bytes), size);

  const auto parameters = tilth::read_query(text);
  require(parameters.size() <= static_cast<std::size_t>(std::ranges::count(text, '&')) + 1);
  for (const auto& [name, value] : parameters) require(name.size() + value.size() <= size);

  if (const auto plain = tilth::percent_decoded(text, false)) {
    require(tilth::percent_decoded(encoded(*plain), true) == *plain);
    const auto query = tilth::read_query(encoded(*plain) + "=" + encoded(*plain));
    if (!plain->empty())
      require(query.size() == 1 && query[0].first == *plain && query[0].second == *plain);
  }

  const tilth::PathSegments segments(text);
  require(segments.all().size() <= tilth::PathSegments::kMost);

  for (const auto& tag : tilth::read_entity_tags(text)) {
    require(tag == "*" ||
            (tag.ends_with('"') && (tag.starts_with('"') || tag.starts_with("W/\""))));
    require(tilth::matches_weakly({tag}, tag.starts_with("W/") ? tag.substr(2) : tag));
  }

  if (const auto parent = tilth::Traceparent::parse(text)) {
    require(tilth::Traceparent::parse(parent->text()) == parent);
  }
  return 0;
}
