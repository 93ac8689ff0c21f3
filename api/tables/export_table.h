// A table for analysts: its columns, and how its rows are written as CSV and as JSON lines.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/json/described.h"

namespace tilth {

enum class ColumnType : std::uint8_t {
  kText,
  kUuid,
  kBoolean,
  kInteger,
  kNumber,
  kDecimal,  // at most 18 digits before the point; 8 after it, or 12 if it was converted
  kDate,
  kTimestamp,  // in UTC
  kJson,
};

constexpr auto labels(ColumnType) {
  return named<ColumnType>("text", "uuid", "boolean", "integer", "number", "decimal", "date",
                           "timestamp", "json");
}

struct TableColumn {
  std::string name;
  ColumnType type = {};
  std::string meaning;    // a sentence
  std::string unit = {};  // "ha"; or the column that has it: "as areaUnit"
  bool converted = false;
};

struct ExportTable {
  std::string name;
  std::string meaning;
  std::vector<TableColumn> columns;

  std::optional<std::size_t> find(std::string_view column) const;
};

// A row: text for each column, null where there is no value. A decimal is canonical, an instant is
// in UTC.
using RowCells = std::vector<std::optional<std::string>>;

// RFC 4180, in UTF-8, with CRLF. Null is nothing at all, and an empty text is a pair of quotes.
// Text is never changed: not if a spreadsheet would take it for a formula, either.
void append_csv_header(const ExportTable& table, std::string& out);
void append_csv_row(const RowCells& cells, std::string& out);

// An object with a member for each column. Decimals are strings, so that nothing rounds them.
void append_json_row(const ExportTable& table, const RowCells& cells, std::string& out);

}  // namespace tilth
