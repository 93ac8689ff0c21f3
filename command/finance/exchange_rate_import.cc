#include "command/finance/exchange_rate_import.h"

#include <utility>

#include "command/finance/exchange_rate.h"
#include "command/finance/exchange_rate_file.h"
#include "command/loop/import_tally.h"
#include "events/log/streams.h"

namespace tilth {
namespace {

constexpr std::size_t kRatesAtOnce = 2'000;  // per event: 100 KB
constexpr std::size_t kUnderWay = 4;

Result<ImportedExchangeRates> check(std::string_view text) {
  auto file = ExchangeRateFile::open(text);
  if (!file) return file.error();
  ImportedExchangeRates imported;
  while (true) {
    const auto day = file->next();
    if (!day) return day.error();
    if (!*day) return imported;
    ++imported.days;
    imported.rates += static_cast<std::int64_t>((*day)->rates.size());
  }
}

// The next part of a valid file; it has no days once all of it is read.
ImportExchangeRates next_part(ExchangeRateFile& file, const std::string& source) {
  ImportExchangeRates part{source, {}};
  for (std::size_t rates = 0; rates < kRatesAtOnce;) {
    auto day = *file.next();
    if (!day) break;
    rates += day->rates.size();
    if (!day->rates.empty()) part.days.push_back(std::move(*day));
  }
  return part;
}

}  // namespace

Result<ImportedExchangeRates> ExchangeRateImport::run(std::string_view file,
                                                      const std::string& source) const {
  auto imported = check(file);
  if (!imported) return imported;
  ImportTally tally(kUnderWay,
                    [](const Event& event) { return event.get<ExchangeRatesImported>().changed; });
  auto again = *ExchangeRateFile::open(file);
  for (auto part = next_part(again, source); !part.days.empty() && tally.begin();
       part = next_part(again, source)) {
    commands.carry_out({.stream = std::string(kReferenceStream),
                        .actor = actor,
                        .request_id = request_id,
                        .traceparent = traceparent,
                        .decide = deciding(std::move(part))},
                       [&tally](const Result<CommandResult>& outcome) { tally.end(outcome); });
  }
  const auto changed = tally.wait();
  if (!changed) return changed.error();
  imported->changed = *changed;
  return imported;
}

}  // namespace tilth
