// Imports exchange rates: those of a file, or of a part of it.

#pragma once

#include <string>
#include <vector>

#include "command/decision.h"
#include "events/finance/exchange_rate.h"

namespace tilth {

struct ImportExchangeRates {
  std::string source;
  std::vector<PublishedDay> days;
};

// ExchangeRatesImported; nothing if all rates and their source are unchanged. Of two rates for one
// day the later one counts. Decided on the reference stream.
Decision decide(const Rows&, const ImportExchangeRates&, const Context&);

}  // namespace tilth
