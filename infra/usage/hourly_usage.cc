#include "infra/usage/hourly_usage.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "events/values/big_endian.h"

namespace tilth {
namespace {

using std::chrono::floor;
using std::chrono::hours;

// The key of an entry: kLetter, the owner, a zero byte, the hour, the API key, a zero byte, the
// node. Its value: how many requests, and how many of them were limited.
constexpr char kLetter = 'h';
constexpr std::size_t kNumberBytes = sizeof(std::int64_t);
constexpr std::size_t kLookedAtOnce = 200;  // entries, by a keep()
constexpr std::int64_t kHoursAtOnce = 24;   // that a query reads

std::string number_bytes(std::int64_t number) {
  return big_endian(static_cast<std::uint64_t>(number));
}

std::int64_t read_number(std::string_view bytes) {
  return static_cast<std::int64_t>(read_big_endian(bytes));
}

// Nothing is counted before 1970.
std::int64_t hour_of(Timestamp at) {
  return std::max<std::int64_t>(floor<hours>(at.at).time_since_epoch().count(), 0);
}
Timestamp beginning_of(std::int64_t hour) { return {Timestamp{}.at + hours(hour)}; }

std::int64_t oldest_hour(Timestamp now) { return hour_of({now.at - UsageHistory::kKept}); }

std::string beginning_of_key(std::string_view owner, std::int64_t hour) {
  return std::string(1, kLetter).append(owner).append(1, '\0').append(number_bytes(hour));
}

std::string entry_key(std::string_view owner, std::int64_t hour, std::string_view key_id,
                      std::string_view node) {
  return beginning_of_key(owner, hour).append(key_id).append(1, '\0').append(node);
}

struct EntryKey {
  std::int64_t hour = 0;
  std::string_view key_id;
};

std::optional<EntryKey> read_entry_key(std::string_view key) {
  const auto owner_ends = key.find('\0');
  if (owner_ends == key.npos || key.size() < owner_ends + 1 + kNumberBytes) return std::nullopt;
  key.remove_prefix(owner_ends + 1);
  const auto hour = read_number(key.substr(0, kNumberBytes));
  key.remove_prefix(kNumberBytes);
  const auto key_ends = key.find('\0');
  if (key_ends == key.npos) return std::nullopt;
  return EntryKey{hour, key.substr(0, key_ends)};
}

std::string entry_value(std::int64_t requests, std::int64_t limited) {
  return number_bytes(requests) + number_bytes(limited);
}

std::pair<std::int64_t, std::int64_t> read_value(std::string_view bytes) {
  if (bytes.size() != 2 * kNumberBytes) return {0, 0};
  return {read_number(bytes.substr(0, kNumberBytes)), read_number(bytes.substr(kNumberBytes))};
}

// Another node may send anything as a number or a name.
bool makes_sense(const HourlyTotal& total, Timestamp now) {
  const auto clean = [](const std::string& text) { return text.find('\0') == text.npos; };
  return clean(total.owner) && clean(total.key_id) && total.hour >= oldest_hour(now) &&
         total.hour <= hour_of(now) + 24 && total.requests >= 0 && total.limited >= 0;
}

}  // namespace

void HourlyUsage::count(const std::string& owner, const std::string& key_id, Timestamp at,
                        bool limited) {
  const std::lock_guard lock(mutex_);
  auto& counted = counted_[{owner, hour_of(at), key_id}];
  ++counted.requests;
  if (limited) ++counted.limited;
}

Result<std::vector<HourlyTotal>> HourlyUsage::keep(Timestamp now) {
  const std::lock_guard lock(mutex_);
  std::vector<HourlyTotal> totals;
  UsageStore::Changes changes;
  if (const auto added = add_old(changes, now); !added) return added.error();
  for (const auto& [which, counted] : counted_) {
    const auto& [owner, hour, key_id] = which;
    auto key = entry_key(owner, hour, key_id, node_);
    const auto before = store_.find_entry(key);
    if (!before) return before.error();
    auto [requests, limited] = read_value(before->value_or(""));
    requests += counted.requests;
    limited += counted.limited;
    totals.push_back({owner, hour, key_id, requests, limited});
    changes.emplace_back(std::move(key), entry_value(requests, limited));
  }
  if (const auto done = store_.change_entries(changes); !done) return done.error();
  counted_.clear();
  return totals;
}

// Adds the deletion of what is too old among the next entries.
Status HourlyUsage::add_old(UsageStore::Changes& changes, Timestamp now) {
  const auto oldest = oldest_hour(now);
  const std::string begin(1, kLetter), end(1, kLetter + 1);
  std::string last;
  std::size_t looked = 0;
  const auto from = std::max(looked_until_, begin);
  const auto read = store_.read_between(from, end, [&](std::string_view key, std::string_view) {
    const auto entry = read_entry_key(key);
    if (!entry || entry->hour < oldest) changes.emplace_back(key, std::nullopt);
    last = key;
    return ++looked < kLookedAtOnce;
  });
  if (!read) return read.error();
  looked_until_ = looked < kLookedAtOnce ? std::string() : last;
  return kDone;
}

Status HourlyUsage::apply(const std::string& node, const std::vector<HourlyTotal>& totals,
                          Timestamp now) {
  const std::lock_guard lock(mutex_);
  UsageStore::Changes changes;
  for (const auto& total : totals) {
    if (!makes_sense(total, now)) continue;
    auto key = entry_key(total.owner, total.hour, total.key_id, node);
    const auto before = store_.find_entry(key);
    if (!before) return before.error();
    // An older total may arrive again.
    if (read_value(before->value_or("")).first >= total.requests) continue;
    changes.emplace_back(std::move(key), entry_value(total.requests, total.limited));
  }
  return store_.change_entries(changes);
}

Result<std::vector<HourOfKey>> HourlyUsage::find(const std::string& owner, Timestamp since,
                                                 Timestamp now) {
  catch_up_();
  std::map<std::pair<std::int64_t, std::string>, Counted> sums;
  const auto add = [&](std::int64_t hour, std::string_view key_id, std::int64_t requests,
                       std::int64_t limited) {
    auto& sum = sums[{hour, std::string(key_id)}];
    sum.requests += requests;
    sum.limited += limited;
  };
  const auto oldest = std::max(hour_of(since), oldest_hour(now));
  const auto newest = std::max(oldest, hour_of(now));
  // Not all at once: what counts and keeps would wait.
  for (auto first = oldest; first <= newest; first += kHoursAtOnce) {
    const auto next = first + kHoursAtOnce;
    const bool is_last = next > newest;
    const auto end = is_last ? std::string(1, kLetter).append(owner).append(1, '\1')
                             : beginning_of_key(owner, next);
    const std::lock_guard lock(mutex_);
    const auto read = store_.read_between(beginning_of_key(owner, first), end,
                                          [&](std::string_view key, std::string_view value) {
                                            const auto [requests, limited] = read_value(value);
                                            if (const auto entry = read_entry_key(key)) {
                                              add(entry->hour, entry->key_id, requests, limited);
                                            }
                                            return true;
                                          });
    if (!read) return read.error();
    for (auto at = counted_.lower_bound({owner, first, {}});
         at != counted_.end() && std::get<0>(at->first) == owner; ++at) {
      if (!is_last && std::get<1>(at->first) >= next) break;
      add(std::get<1>(at->first), std::get<2>(at->first), at->second.requests, at->second.limited);
    }
  }
  std::vector<HourOfKey> found;
  found.reserve(sums.size());
  for (const auto& [which, sum] : sums) {
    found.push_back({beginning_of(which.first), which.second, sum.requests, sum.limited});
  }
  return found;
}

}  // namespace tilth
