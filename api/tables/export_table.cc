#include "api/tables/export_table.h"

#include <algorithm>

#include "events/json/json.h"

namespace tilth {
namespace {

constexpr std::string_view kEndOfRow = "\r\n";

void append_csv_value(std::string_view text, std::string& out) {
  const bool plain = !text.empty() && text.find_first_of(",\"\r\n") == text.npos &&
                     text.front() != ' ' && text.back() != ' ';
  if (plain) {
    out.append(text);
    return;
  }
  out.push_back('"');
  for (const char c : text) {
    if (c == '"') out.push_back('"');
    out.push_back(c);
  }
  out.push_back('"');
}

bool is_json_as_it_is(ColumnType type) {
  return type == ColumnType::kBoolean || type == ColumnType::kInteger ||
         type == ColumnType::kNumber || type == ColumnType::kJson;
}

}  // namespace

std::optional<std::size_t> ExportTable::find(std::string_view column) const {
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [&](const auto& each) { return each.name == column; });
  if (found == columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - columns.begin());
}

void append_csv_header(const ExportTable& table, std::string& out) {
  for (const auto& column : table.columns) {
    if (&column != &table.columns.front()) out.push_back(',');
    append_csv_value(column.name, out);
  }
  out.append(kEndOfRow);
}

void append_csv_row(const RowCells& cells, std::string& out) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) out.push_back(',');
    if (cells[i]) append_csv_value(*cells[i], out);
  }
  out.append(kEndOfRow);
}

void append_json_row(const ExportTable& table, const RowCells& cells, std::string& out) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    out.push_back(i == 0 ? '{' : ',');
    append_json_string(table.columns[i].name, out);
    out.push_back(':');
    if (!cells[i]) {
      out.append("null");
    } else if (is_json_as_it_is(table.columns[i].type)) {
      out.append(*cells[i]);
    } else {
      append_json_string(*cells[i], out);
    }
  }
  out.append("}\n");
}

}  // namespace tilth
