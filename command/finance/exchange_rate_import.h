// Brings the exchange rates to what a file says: one command, and at most one event, for each part
// of it.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "command/decision.h"

namespace tilth {

// What an import found, and how many rates are new or different now.
struct ImportedExchangeRates {
  std::int64_t days = 0;
  std::int64_t rates = 0;
  std::int64_t changed = 0;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("days", days), member("rates", rates), member("changed", changed));
  }
};

// What an import is done with, and on whose behalf.
struct ExchangeRateImport {
  Commands& commands;
  std::string actor;
  std::string request_id;

  // Reads the whole file (exchange_rate_file.h) before the first command is carried out, so that
  // one with a bad line changes nothing. Waits: for threads that may.
  //
  //   kInvalid      a line is not in the ECB's form; the issue under "body" says which.
  //   kUnavailable  the log did not answer in time. Some rates may be there already: import it
  //                 again.
  Result<ImportedExchangeRates> run(std::string_view file, const std::string& source) const;
};

}  // namespace tilth
