// Makes the rows of tables from the events of one stream.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "api/tables/event_table.h"
#include "api/tables/record_table.h"
#include "events/json/json.h"
#include "events/log/event.h"
#include "projections/fold/projection.h"
#include "projections/rows/row_spill.h"
#include "query/finance/converted_sums.h"

namespace tilth {

// Takes the rows of tables. Returns an Error if it cannot.
using TableSink = std::function<Status(const ExportTable& table, const RowCells& cells)>;

// What belongs into the tables.
struct TableScope {
  Timestamp now = {};                     // tasks that were due by then are overdue
  std::optional<Timestamp> until = {};    // of events; null: all of those before `ends`
  std::map<int, std::int64_t> ends = {};  // of partitions
  std::optional<std::string> owner = {};  // null: all
  std::set<std::pair<int, std::int64_t>> skipped = {};  // by an operator: no projection folds them
};

// The library's crops and the exchange rates: the one table that no row type has.
const ExportTable& exchange_rate_table();

// Folds a stream's events into records, as the service does, and writes a row for each event, for
// each record that is removed, and in the end for each record that is there. Uses memory for the
// stream's records, whatever the number of its events; large ones are spilled.
//
// Threads: one. What reads a spilled row throws UnreadableRows.
class StreamTables {
 public:
  using MakeSpill = std::function<Result<std::unique_ptr<RowSpill>>()>;

  // `reference` is the finished reference stream, null for that stream itself; it must outlive
  // this.
  StreamTables(std::string stream, const TableScope& scope, TableSink sink, MakeSpill make_spill,
               const StreamTables* reference);
  ~StreamTables();

  // Takes a line of `tilth events export` of this stream. Returns whether more are wanted.
  //
  //   kDamaged  it is no event that this version knows.
  Result<bool> take(std::string_view line);

  // Writes the records that are there.
  Status finish();

  // The ids of all users that there ever were, in the order of their registration; of the stream
  // `access`.
  const std::vector<std::string>& user_ids() const { return user_ids_; }

 private:
  class WatchedRows;
  struct Removed {
    const RecordTable* table;
    Uuid id;
    std::string row;
  };

  Status write_event(const EventTable& table, const TabledEvent& event, const Json& data);
  Status fold(const Event& event, Timestamp at);
  Status write_removed(Timestamp at);
  Status write_record(const RecordTable& table, const Uuid& id, std::string_view row,
                      const std::optional<Timestamp>& removed);
  Status write_rates();
  std::optional<std::string> derive(const Derivation& how, const RowCells& cells);
  std::optional<std::string> dollars(const Derivation& how, const RowCells& cells);
  std::optional<std::string> linked(std::string_view rows, const std::string& id,
                                    std::string_view member);
  const Json* find(std::string_view rows, const Uuid& id);
  Rows rows() const;

  const std::string stream_;
  const TableScope& scope_;
  const TableSink sink_;
  const MakeSpill make_spill_;
  const StreamTables* const reference_;
  const Projection projection_;
  std::unique_ptr<RowSpill> spill_;
  std::unique_ptr<WatchedRows> watched_;
  std::unique_ptr<Conversion> dollars_;
  std::uint64_t version_ = 0;
  std::vector<std::string> user_ids_;
  std::set<std::string> currencies_;     // that have rates
  std::map<Uuid, std::string> bushels_;  // of price reports, in kilograms
  mutable std::map<Uuid, std::unique_ptr<Json>>
      known_;                                   // what others are linked to, if it is there
  std::map<Uuid, std::unique_ptr<Json>> gone_;  // …, as it was when it was removed
};

}  // namespace tilth
