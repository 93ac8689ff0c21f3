// Imports a history into the embedded log: as sorted tables, which the log adopts at once.

#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "events/log/history_import.h"
#include "infra/embedded/embedded_event_log.h"
#include "infra/embedded/unique_ids.h"

namespace tilth {

// Operation: records are written in their order to tables in a directory of its own. finish() lets
// the log adopt them, in one write to RocksDB's manifest.
//
// Memory: an entry for each stream, the index of one table, and a bounded number of ids.
//
// Crash: before finish() the log is empty, and the files in the directory are worthless.
class EmbeddedImport final : public HistoryImport {
 public:
  // `log`, on the same disk as `directory`, must outlive it. kConflict: it is not empty.
  // kUnavailable: a disk error.
  static Result<std::unique_ptr<HistoryImport>> begin(EmbeddedEventLog& log,
                                                      const std::filesystem::path& directory);
  ~EmbeddedImport() override;

  Status add(Record record, std::int64_t line) override;
  Status finish() override;

 private:
  class Table;

  EmbeddedImport(EmbeddedEventLog& log, std::filesystem::path directory);
  Status open_table();
  Status close_table();

  EmbeddedEventLog& log_;
  const std::filesystem::path directory_;
  RecordTables tables_;
  std::unique_ptr<Table> table_;
  std::map<std::string, StreamHead, std::less<>> heads_;
  UniqueIds ids_;
  std::string bytes_;  // of one record
};

}  // namespace tilth
