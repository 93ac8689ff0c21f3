// All tables, and their description for people and for programs.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/tables/export_table.h"
#include "events/values/time.h"

namespace tilth {

enum class TableFormat : std::uint8_t { kCsv, kJsonLines };

constexpr auto labels(TableFormat) { return named<TableFormat>("csv", "jsonl"); }

// First those of records, then those of events.
const std::vector<const ExportTable*>& all_tables();

// {"tables": […]}: each with its columns, their types, units and meanings; `about` are members of
// the export itself, as JSON: "\"asOf\":…,".
std::string tables_json(std::string_view about);

// A page with all tables.
std::string tables_markdown();

// A view for each table, for DuckDB in the directory of the files, and the variable `as_of`.
std::string tables_duckdb(TableFormat format, Timestamp as_of);

}  // namespace tilth
