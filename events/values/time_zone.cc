#include "events/values/time_zone.h"

#include <array>
#include <exception>
#include <fstream>
#include <iterator>
#include <map>

#include <date/tz.h>

#include "events/values/posix_zone.h"

namespace tilth {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::seconds;
using std::chrono::sys_seconds;

struct WallClock::Installed {
  const date::time_zone* table;
  std::optional<PosixZone> afterwards;  // the library stops at the last change of its table
};

namespace {

using Zones = std::map<std::string, WallClock::Installed, std::less<>>;

// The rule in the last line of a tz database file (RFC 8536, 3.3).
std::optional<PosixZone> rule_of(const std::string& name) {
  std::ifstream file("/usr/share/zoneinfo/" + name, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (bytes.empty() || bytes.back() != '\n') return std::nullopt;
  const auto begin = bytes.rfind('\n', bytes.size() - 2) + 1;
  return PosixZone::parse(std::string_view(bytes).substr(begin, bytes.size() - begin - 1));
}

// Read on first use; empty if there is no tz database.
const Zones& installed_zones() {
  static const Zones zones = [] {
    Zones read;
    try {
      for (const auto& zone : date::get_tzdb().zones) {
        // The machine's own setting, and not a name of the tz database.
        if (zone.name() != "localtime") read.insert({zone.name(), {&zone, rule_of(zone.name())}});
      }
    } catch (const std::exception&) {
      read.clear();
    }
    return read;
  }();
  return zones;
}

// Looks in the list that was read, so that no text ever becomes part of a path.
const WallClock::Installed* find_zone(std::string_view name) {
  const auto found = installed_zones().find(name);
  return found != installed_zones().end() ? &found->second : nullptr;
}

template <class Info>
bool is_last(const Info& info) {
  return info.end >= date::sys_days(date::year::max() / date::December / 1);
}

}  // namespace

std::optional<TimeZone> TimeZone::parse(std::string_view text) {
  // The database's name for no zone at all, which the library omits.
  const bool known = find_zone(text) != nullptr || text == "Factory";
  return known ? std::optional(TimeZone{std::string(text)}) : std::nullopt;
}

WallClock::WallClock(const TimeZone& zone) : zone_(find_zone(zone.name)) {}

seconds WallClock::offset_at(sys_seconds at) const {
  if (zone_ == nullptr) return seconds(0);
  const auto info = zone_->table->get_info(at);
  return is_last(info) && zone_->afterwards ? zone_->afterwards->offset_at(at) : info.offset;
}

WallTime WallClock::shows(sys_seconds at) const {
  return WallTime(at.time_since_epoch() + offset_at(at));
}

sys_seconds WallClock::when(WallTime time) const {
  const sys_seconds as_utc(time.time_since_epoch());
  if (zone_ == nullptr) return as_utc;
  const auto info = zone_->table->get_info(date::local_seconds(time.time_since_epoch()));
  if (!is_last(info.first) || !zone_->afterwards) return as_utc - info.first.offset;
  // Rules change the clocks months apart: at most once within these two days.
  const auto before = zone_->afterwards->offset_at(as_utc - days(1));
  const auto after = zone_->afterwards->offset_at(as_utc + days(1));
  for (const auto offset : {std::max(before, after), std::min(before, after)}) {
    if (offset_at(as_utc - offset) == offset) return as_utc - offset;
  }
  return as_utc - before;
}

Date date_in(const TimeZone& zone, const Timestamp& now) {
  const auto shown = WallClock(zone).shows(floor<seconds>(now.at));
  return {std::chrono::sys_days(floor<days>(shown).time_since_epoch())};
}

// If the clocks skip midnight, the day begins at that change.
Timestamp start_of(const Date& date, const TimeZone& zone) {
  const WallClock clock(zone);
  const WallTime midnight(date.day.time_since_epoch());
  auto first = clock.when(midnight);
  for (auto before = first - (clock.shows(first) - midnight); first - before > seconds(1);) {
    const auto middle = before + (first - before) / 2;
    (clock.shows(middle) < midnight ? before : first) = middle;
  }
  return {first};
}

}  // namespace tilth
