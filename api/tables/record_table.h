// The table of each kind of record. Its columns follow from the record's members: these, the ids
// and names of what it belongs to, what was said in units of its own converted to one unit, and
// when it was removed.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/tables/export_table.h"
#include "events/values/time.h"

namespace tilth {

// How a cell follows from others of its row.
struct Derivation {
  enum class Kind : std::uint8_t {
    kLinked,             // a member of the record with the id in `from`
    kHectares,           // of the area in `from`
    kKilograms,          // of the quantity in `from`
    kCubicMeters,        // of the volume in `from`
    kDollars,            // of the amount in `from`
    kDollarsPerKilogram  // of the price in `from`
  };

  Kind kind = {};
  std::size_t from = 0;          // these are columns
  std::size_t unit = 0;          // of the quantity, or of what the price is for
  std::size_t currency = 0;      // of an amount
  std::size_t day = 0;           // of the rate
  std::size_t bushel = 0;        // its weight in kilograms; 0: it has none
  std::string_view rows = {};    // the linked record's
  std::string_view member = {};  // the linked record's
};

struct RecordTable {
  std::string_view rows;  // the kTable of the rows
  ExportTable table;
  std::size_t members = 0;              // the columns after the first that are the record's own
  std::vector<Derivation> derivations;  // of the columns that follow
  // The record as the API shows it at that time.
  std::string (*json)(std::string_view row, Timestamp now) = nullptr;
};

// The first column of each: whose record it is; null: everybody's.
inline constexpr std::size_t kOwnerColumn = 0;
// That of price reports that has the weight of a bushel, which their rows lack.
inline constexpr std::string_view kBushelColumn = "bushelWeightKg";

std::span<const RecordTable> record_tables();

// Null: rows of that kind are no records.
const RecordTable* find_record_table(std::string_view rows);

}  // namespace tilth
