// Instants, dates, durations and rules of time zones: any text is read or refused, and what is
// written of it reads back the same.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "events/values/duration.h"
#include "events/values/posix_zone.h"
#include "events/values/time.h"
#include "tests/fuzz/require.h"

namespace {

using tilth::fuzz::require;

template <class Value>
void reads_back(const std::string& text) {
  const auto value = Value::parse(text);
  if (value) require(Value::parse(value->text()) == value);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace std::chrono;
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  reads_back<tilth::Timestamp>(text);
  reads_back<tilth::Date>(text);
  reads_back<tilth::CalendarDuration>(text);

  if (const auto duration = tilth::CalendarDuration::parse(text)) {
    const auto start = *tilth::Timestamp::parse("2026-01-31T12:00:00Z");
    if (const auto end = tilth::after(start, *duration)) require(*end >= start);
  }

  const auto zone = tilth::PosixZone::parse(text);
  if (!zone) return 0;
  for (const auto year_of : {1970, 2024, 2026, 9999}) {
    for (unsigned month_of = 1; month_of <= 12; ++month_of) {
      const sys_days day = year(year_of) / month(month_of) / 15;
      require(abs(zone->offset_at(day)) <= hours(26));
    }
  }
  return 0;
}
