#include "projections/market/market_backlog.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace tilth {
namespace {

// A range, stored under its bounds so that it is there once, with the last reviewed key.
struct Range {
  std::string key, begin, end, after;
};
constexpr char kRange = 'j', kAny = 'J';

std::string range_key(const Rows& market, std::string_view begin, std::string_view end) {
  const auto length = begin.size();
  return market.own_key(kRange)
      .append(1, static_cast<char>(length >> 8))
      .append(1, static_cast<char>(length))
      .append(begin)
      .append(end);
}

std::optional<Range> first_range(const Rows& market) {
  const auto all = market.own_key(kRange);
  const auto cursor = market.cursor();
  cursor->seek(all);
  if (!cursor->valid() || !cursor->key().starts_with(all)) return std::nullopt;
  auto bounds = cursor->key().substr(all.size());
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bounds[i]); };
  const auto length = static_cast<std::size_t>(byte(0) << 8 | byte(1));
  bounds.remove_prefix(2);
  return Range{std::string(cursor->key()), std::string(bounds.substr(0, length)),
               std::string(bounds.substr(length)), std::string(cursor->value())};
}

std::vector<std::string> keys_of(const Rows& market, const Range& range, std::size_t at_most) {
  std::vector<std::string> keys;
  const auto cursor = market.cursor();
  for (cursor->seek(std::max(range.begin, range.after));
       keys.size() < at_most && cursor->valid() && cursor->key() < range.end; cursor->next()) {
    if (cursor->key() != range.after) keys.emplace_back(cursor->key());
  }
  return keys;
}

}  // namespace

void enqueue_review(MutableRows& market, const std::string& begin, const std::string& end) {
  market.store().put(range_key(market, begin, end), {});
  market.store().put(market.own_key(kAny), {});
}

void enqueue_review(MutableRows& market, std::string prefix) {
  auto end = prefix;
  while (end.back() == '\xFF') end.pop_back();
  ++end.back();
  enqueue_review(market, prefix, end);
}

bool review_some(MutableRows& market, std::size_t at_most,
                 const std::function<void(std::string_view key)>& visit) {
  if (nothing_to_review(market)) return true;
  while (at_most > 0) {
    const auto range = first_range(market);
    if (!range) {
      market.store().erase(market.own_key(kAny));
      return true;
    }
    const auto keys = keys_of(market, *range, at_most);
    if (keys.size() == at_most) {
      market.store().put(range->key, keys.back());
    } else {
      market.store().erase(range->key);
    }
    at_most -= std::clamp<std::size_t>(keys.size(), 1, at_most);
    for (const auto& key : keys) visit(key);
  }
  return false;
}

bool nothing_to_review(const Rows& market) { return !market.own(market.own_key(kAny)); }

}  // namespace tilth
