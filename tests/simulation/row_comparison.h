// Whether the rows of nodes are those that the log leads to, once everything is at rest.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "projections/fold/cell_layout.h"
#include "projections/fold/projector.h"
#include "projections/rows/row_batch.h"
#include "tests/simulation/asked_prices.h"
#include "tests/simulation/plain_market.h"
#include "tests/simulation/plain_rates.h"
#include "tests/simulation/plain_records.h"
#include "tests/simulation/plain_rules.h"
#include "tests/simulation/simulated_node.h"
#include "tests/simulation/world.h"

namespace tilth::testing {

// Reports each difference to the world.
class RowComparison {
 public:
  using Nodes = std::vector<std::unique_ptr<SimulatedNode>>;

  // What follows from the events of the log alone.
  struct Expected {
    std::map<std::string, PlainRules> rules;        // by stream
    std::map<std::string, RowBatch> rows;           // by stream
    PlainRates rates;                               // of currencies
    std::map<std::string, std::int64_t> erased_at;  // by stream, offset of its last erasure
  };

  // `expected` outlives it, and ages with the rows that are compared with it.
  RowComparison(World& world, SimulatedTopic& topic, Expected& expected)
      : world_(world), topic_(topic), expected_(expected) {}

  // The rows of a node's cells together are those of the whole, each in one cell, but for the
  // reference data, which is in all. What queries show of the whole is compared, too.
  void compare(const Nodes& nodes);
  // The rows of each cell that a node of a divided cluster holds.
  void compare_cells(const Nodes& nodes);

 private:
  // `cell`: these are its rows; null: all.
  void check_rows(const SimulatedNode& node, const std::string& projection, RowBatch& rows,
                  Timestamp now, std::optional<int> cell = {});
  void check_remembered(const SimulatedNode& node, const RowBatch& rows, Timestamp now);
  void check_books(const RowReader& rows, const CellLayout* layout = nullptr, int cell = 0);
  void check_analytics(const RowReader& rows, Timestamp now);
  void check_past(EventLog* log);
  void check_market(const RowReader& rows, const PlainMarket& plain);
  void check_prices(const AskedPrices& prices, const std::vector<const RowReader*>& cells,
                    const PlainMarket& plain);
  void check_prices_of_cells(const PlainMarket& plain, Timestamp now);
  std::multimap<std::string, const PlainRecords*> records_by_stream() const;
  bool fold_log(Projector& fold);

  World& world_;
  SimulatedTopic& topic_;
  Expected& expected_;
};

}  // namespace tilth::testing
