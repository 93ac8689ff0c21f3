// Reads exchange rates as the European Central Bank publishes them, in its daily file or its file
// of all days, and other files in the same form:
//
//   Date,USD,JPY,
//   2026-03-02,1.0834,N/A,

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/finance/exchange_rate.h"
#include "events/values/result.h"

namespace tilth {

// A cursor over the days of a file, in the order of its lines.
class ExchangeRateFile {
 public:
  // Reads `text`, which must outlive it. kInvalid: the first line does not name columns as above.
  static Result<ExchangeRateFile> open(std::string_view text);

  // The rates of the next line, without missing values; null after the last line. kInvalid: the
  // line is not in that form; the message says which, and why.
  Result<std::optional<PublishedDay>> next();

 private:
  explicit ExchangeRateFile(std::string_view text) : rest_(text) {}

  bool next_line();
  Error fault(const std::string& what) const;

  std::string_view rest_;
  std::size_t number_ = 0;  // of the line, from 1
  std::vector<std::string_view> cells_;
  std::vector<Currency> currencies_;
};

}  // namespace tilth
