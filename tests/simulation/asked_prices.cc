#include "tests/simulation/asked_prices.h"

namespace tilth::testing {

std::string AskedPrices::ask(const AskRegionalPrices& query,
                             const std::vector<const RowReader*>& cells) const {
  constexpr int kMostRounds = 2;  // the second one for what was cut
  RegionalPricesQuestion question(prices_, query);
  const auto rows_of = [&](std::size_t cell) { return Rows(*cells[cell], kMarketStream, 0); };
  for (int round = 0; round < kMostRounds; ++round) {
    std::vector<std::string> answers;
    for (std::size_t cell = 0; cell < cells.size(); ++cell) {
      const auto part =
          RegionalPricesQuestion::part(rows_of(cell), question.ask(cell, cells.size()));
      if (!part) return part.error().message;
      answers.push_back(*part);
    }
    const auto joined = question.join(answers, rows_of(0));
    if (!joined) return joined.error().message;
    if (*joined) return **joined;
  }
  return "The cells are asked without end.";
}

}  // namespace tilth::testing
