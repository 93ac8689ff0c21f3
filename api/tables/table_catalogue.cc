#include "api/tables/table_catalogue.h"

#include "api/tables/event_table.h"
#include "api/tables/record_table.h"
#include "api/tables/stream_tables.h"
#include "events/json/json.h"

namespace tilth {
namespace {

std::string_view duckdb_type(const TableColumn& column) {
  switch (column.type) {
    case ColumnType::kText:
      return "VARCHAR";
    case ColumnType::kUuid:
      return "UUID";
    case ColumnType::kBoolean:
      return "BOOLEAN";
    case ColumnType::kInteger:
      return "BIGINT";
    case ColumnType::kNumber:
      return "DOUBLE";
    case ColumnType::kDecimal:
      return column.converted ? "DOUBLE" : "DECIMAL(26, 8)";
    case ColumnType::kDate:
      return "DATE";
    case ColumnType::kTimestamp:
      return "TIMESTAMPTZ";
    case ColumnType::kJson:
      return "JSON";
  }
  return "VARCHAR";
}

void append_text_member(std::string_view name, std::string_view value, std::string& out) {
  append_json_string(name, out);
  out.append(": ");
  append_json_string(value, out);
}

void append_table(const ExportTable& table, std::string& out) {
  out.append("    {");
  append_text_member("name", table.name, out);
  out.append(", ");
  append_text_member("meaning", table.meaning, out);
  out.append(", \"columns\": [");
  for (const auto& column : table.columns) {
    out.append(&column == &table.columns.front() ? "\n      {" : ",\n      {");
    append_text_member("name", column.name, out);
    out.append(", ");
    append_text_member("type", name_of(column.type), out);
    out.append(", \"unit\": ");
    column.unit.empty() ? out.append("null") : (append_json_string(column.unit, out), out);
    out.append(", ");
    append_text_member("meaning", column.meaning, out);
    out.push_back('}');
  }
  out.append("]}");
}

void append_section(const ExportTable& table, std::string& out) {
  out.append("\n### ").append(table.name).append("\n\n").append(table.meaning);
  out.append("\n\n| Column | Type | Unit | Meaning |\n|---|---|---|---|\n");
  for (const auto& column : table.columns) {
    out.append("| `").append(column.name).append("` | ").append(name_of(column.type));
    out.append(" | ").append(column.unit).append(" | ");
    for (const char c : column.meaning) out.append(c == '|' ? "\\|" : std::string(1, c));
    out.append(" |\n");
  }
}

}  // namespace

const std::vector<const ExportTable*>& all_tables() {
  static const auto kTables = [] {
    std::vector<const ExportTable*> tables;
    for (const auto& record : record_tables()) tables.push_back(&record.table);
    tables.push_back(&exchange_rate_table());
    for (const auto& event : event_tables()) tables.push_back(&event.table);
    return tables;
  }();
  return kTables;
}

std::string tables_json(std::string_view about) {
  std::string out = "{\n  ";
  out.append(about).append("\"tables\": [\n");
  for (const auto* table : all_tables()) {
    if (table != all_tables().front()) out.append(",\n");
    append_table(*table, out);
  }
  return out + "\n  ]\n}\n";
}

std::string tables_markdown() {
  std::string out =
      "# Tables\n\n"
      "The tables that `tilth tables export` writes, printed by `tilth tables describe`; how to\n"
      "use them is in [For analysts](analysts.md).\n\n"
      "A `decimal` is exact: at most 18 digits before the point, and 8 after it, or 12 where it\n"
      "was converted, rounded half-even. A `timestamp` is in UTC. `json` is text in CSV, and JSON\n"
      "in JSON lines.\n\n"
      "## Records\n";
  for (const auto& record : record_tables()) append_section(record.table, out);
  append_section(exchange_rate_table(), out);
  out.append("\n## Events\n\nEach of these tables begins with the columns of the first one.\n");
  for (const auto& event : event_tables()) append_section(event.table, out);
  return out;
}

std::string tables_duckdb(TableFormat format, Timestamp as_of) {
  std::string out =
      "-- A view for each table. Run it in the directory of the files: duckdb -init tables.sql\n"
      "SET TimeZone = 'UTC';\n"
      "SET VARIABLE as_of = TIMESTAMPTZ '" +
      as_of.text() + "';\n";
  const bool csv = format == TableFormat::kCsv;
  for (const auto* table : all_tables()) {
    out.append("CREATE VIEW ").append(table->name).append(" AS FROM ");
    out.append(csv ? "read_csv('" : "read_json('").append(table->name);
    out.append(csv ? ".csv', header = true, auto_detect = false, delim = ',', quote = '\"', "
                     "escape = '\"', new_line = '\\r\\n', nullstr = '', "
                     "allow_quoted_nulls = false, max_line_size = 100000000, columns = {"
                   : ".jsonl', format = 'newline_delimited', maximum_object_size = 100000000, "
                     "columns = {");
    for (const auto& column : table->columns) {
      if (&column != &table->columns.front()) out.append(", ");
      out.append("'").append(column.name).append("': '").append(duckdb_type(column)).append("'");
    }
    out.append("});\n");
  }
  return out;
}

}  // namespace tilth
