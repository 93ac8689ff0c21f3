// To import exchange rates: those of a file, or of a part of it.

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

// ExchangeRatesImported; nothing if all of it is so already, and from that source. Of two rates for
// one day the later counts. Decided on the reference stream.
Decision decide(const Rows&, const ImportExchangeRates&, const Context&);

}  // namespace tilth
