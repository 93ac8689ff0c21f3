// Files of sorted keys that come into a database all at once. For the .cc files that speak RocksDB.

#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <rocksdb/db.h>
#include <rocksdb/sst_file_writer.h>

namespace tilth {

// Crash: all of them are in, or none; what was half made lies in the database's directory, and goes
// with it.
class SortedFiles {
 public:
  // In `directory`, which is the database's.
  SortedFiles(rocksdb::DB& db, std::filesystem::path directory);
  ~SortedFiles();
  SortedFiles(const SortedFiles&) = delete;
  SortedFiles& operator=(const SortedFiles&) = delete;

  // Keys in ascending order, each once; null: erased.
  void add(std::string_view key, const std::optional<std::string>& value);

  rocksdb::Status ingest();

 private:
  void finish_file();

  rocksdb::DB& db_;
  const std::filesystem::path directory_;
  const rocksdb::Options options_;
  rocksdb::Status status_;
  std::unique_ptr<rocksdb::SstFileWriter> writer_;
  std::vector<std::string> files_;
};

}  // namespace tilth
