// Imports exchange rates from a file: one command, and at most one event, per part of the file.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "command/decision.h"

namespace tilth {

// What an import found, and how many rates are new or changed.
struct ImportedExchangeRates {
  std::int64_t days = 0;
  std::int64_t rates = 0;
  std::int64_t changed = 0;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("days", days), member("rates", rates), member("changed", changed));
  }
};

// What an import needs, and the actor it runs for.
struct ExchangeRateImport {
  Commands& commands;
  std::string actor;
  std::string request_id;
  std::string traceparent = {};  // empty: none

  // Reads the whole file (exchange_rate_file.h) before the first command runs, so that a file with
  // a bad line changes nothing. Blocks the thread.
  //
  //   kInvalid      a line is not in the ECB's form; the issue under "body" says which.
  //   kUnavailable  the log did not respond in time. Some rates may be imported already: import it
  //                 again.
  Result<ImportedExchangeRates> run(std::string_view file, const std::string& source) const;
};

}  // namespace tilth
