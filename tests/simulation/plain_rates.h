// What currencies are worth, as the imported files say: without the rows that keep it.

#pragma once

#include <map>
#include <optional>
#include <string>

#include "events/finance/exchange_rate.h"
#include "events/values/exact.h"

namespace tilth::testing {

class PlainRates {
 public:
  void take(const ExchangeRatesImported& imported);

  // What one unit of `from` is worth in `into`, both as codes, on a day: by the rates that were
  // published last until then. Null: there is none of one of them.
  std::optional<Fraction> on(const std::string& from, const std::string& into,
                             const Date& day) const;

 private:
  std::optional<Fraction> per_euro(const std::string& currency, const Date& day) const;

  std::map<std::string, std::map<Date, Fraction>> published_;  // by code; units per euro
};

}  // namespace tilth::testing
