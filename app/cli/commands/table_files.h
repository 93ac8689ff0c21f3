// The directory that tables are exported to: a file for each.

#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/tables/table_catalogue.h"
#include "events/values/result.h"

namespace tilth::cli {

// Threads: one. Crash: the directory may have hidden files that end in .partial, and no
// tables.json, which is written last.
class TableFiles {
 public:
  // Makes the directory, or takes an empty one. All in it is for its owner alone.
  //
  //   kConflict     it is no directory, or not empty.
  //   kUnavailable  it cannot be made, or written to; the message says why.
  static Result<TableFiles> open(const std::filesystem::path& directory, TableFormat format);

  TableFiles(TableFiles&&) noexcept;
  TableFiles& operator=(TableFiles&&) = delete;
  ~TableFiles();  // removes what was not finished

  // Adds a row. kUnavailable: it cannot be written.
  Status write(const ExportTable& table, const RowCells& cells);

  // Adds a file with that text.
  Status add(const std::string& name, const std::string& text);

  // Makes all files durable, and gives them their names in the order in which they were added,
  // those of tables first.
  Status finish();

  const std::filesystem::path& directory() const { return directory_; }
  // The rows of each table.
  std::int64_t rows(const ExportTable& table) const;

 private:
  class File;
  TableFiles(std::filesystem::path directory, TableFormat format, bool made);
  Result<File*> file(const std::string& name);

  std::filesystem::path directory_;
  TableFormat format_;
  bool made_;
  bool finished_ = false;
  std::map<const ExportTable*, File*> tables_;
  std::vector<std::unique_ptr<File>> files_;
};

}  // namespace tilth::cli
