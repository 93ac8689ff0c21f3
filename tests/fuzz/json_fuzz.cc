// parse_json returns for any bytes, and what it accepts is written so that it reads back the same.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "events/json/json.h"
#include "tests/fuzz/require.h"

namespace {

using tilth::fuzz::require;

bool same(const tilth::Json& a, const tilth::Json& b) {
  if (a.kind != b.kind || a.text != b.text || a.children.size() != b.children.size()) return false;
  for (std::size_t i = 0; i < a.children.size(); ++i) {
    if (a.children[i].first != b.children[i].first) return false;
    if (!same(a.children[i].second, b.children[i].second)) return false;
  }
  return true;
}

int depth(const tilth::Json& json) {
  int deepest = 0;
  for (const auto& [name, child] : json.children) deepest = std::max(deepest, depth(child));
  using Kind = tilth::Json::Kind;
  return deepest + (json.kind == Kind::kArray || json.kind == Kind::kObject ? 1 : 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  const auto first = tilth::parse_json(text);
  if (!first) return 0;
  require(depth(*first) <= 64);
  std::string written;
  tilth::write_json(*first, written);
  const auto second = tilth::parse_json(written);
  require(second && same(*first, *second));
  std::string again;
  tilth::write_json(*second, again);
  require(again == written);
  return 0;
}
