// A file of exchange rates is read to its end, or up to the line that its error names.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "command/finance/exchange_rate_file.h"
#include "tests/fuzz/require.h"

namespace {

using tilth::fuzz::require;

void read_all(const std::string& text) {
  auto file = tilth::ExchangeRateFile::open(text);
  if (!file) return require(!file.error().issues.empty());
  const auto lines = std::ranges::count(text, '\n') + 1;
  for (std::ptrdiff_t days = 0;; ++days) {
    require(days < lines);
    const auto day = file->next();
    if (!day) return require(!day.error().issues.empty());
    if (!*day) return;
    for (const auto& rate : (*day)->rates) require(rate.per_euro > tilth::Decimal());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  read_all(text);
  read_all("Date,USD,JPY,\n" + text);
  read_all("Date,USD,JPY,\n2026-03-02," + text);
  return 0;
}
