#include "infra/rocksdb/rocks_options.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/checkpoint.h>

#include "infra/rocksdb/silent_log.h"

namespace tilth {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{20};

// Of those on disk. A file that is still being written is taken for one of them.
std::set<std::string> replaced_files(rocksdb::DB& db) {
  std::set<std::string> names;
  std::error_code ignored;  // what cannot be read is taken for empty
  for (const auto& entry : std::filesystem::directory_iterator(db.GetName(), ignored)) {
    if (entry.path().extension() == ".sst") names.insert(entry.path().filename());
  }
  std::vector<rocksdb::LiveFileMetaData> live;
  db.GetLiveFilesMetaData(&live);
  for (const auto& file : live) names.erase(file.relative_filename);
  return names;
}

rocksdb::Status wait_for_removal(rocksdb::DB& db, std::set<std::string> files,
                                 const std::function<bool()>& goes_on) {
  while (!files.empty()) {
    if (!goes_on()) return rocksdb::Status::Incomplete("files that were replaced are still read");
    std::this_thread::sleep_for(kBetweenLooks);
    const auto left = replaced_files(db);
    std::erase_if(files, [&](const auto& name) { return !left.contains(name); });
  }
  return rocksdb::Status::OK();
}

}  // namespace

RocksMemory::RocksMemory(std::size_t cache_bytes, std::size_t write_bytes)
    : parts_(std::make_unique<Parts>()) {
  parts_->cache = rocksdb::NewLRUCache(cache_bytes, 2);
  parts_->writes = std::make_shared<rocksdb::WriteBufferManager>(write_bytes);
}

RocksMemory::~RocksMemory() = default;

rocksdb::Options shared_options(const RocksMemory& memory) {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.write_buffer_manager = memory.parts().writes;
  options.max_open_files = 256;
  options.max_background_jobs = 2;
  options.info_log = std::make_shared<SilentLog>();
  options.stats_dump_period_sec = 0;
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = memory.parts().cache;
  table.cache_index_and_filter_blocks = true;
  // Partitions each file's index and filter: unpartitioned, those of a few files are larger than
  // the cache and would be read again for every key.
  table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
  table.partition_filters = true;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

rocksdb::Status compact_range(rocksdb::DB& db, std::string_view begin, std::string_view end,
                              const std::function<bool()>& goes_on) {
  rocksdb::CompactRangeOptions options;
  options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForceOptimized;
  // The whole of each file that may have a key of the range. RocksDB would not look into one that
  // has none, and would keep a tombstone for what could be in it.
  std::string from(begin), to(end);
  std::vector<rocksdb::LiveFileMetaData> files;
  db.GetLiveFilesMetaData(&files);
  for (const auto& file : files) {
    if (file.largestkey < begin || (!end.empty() && file.smallestkey >= end)) continue;
    from = std::min(from, file.smallestkey);
    to = std::max(to, file.largestkey);
  }
  const rocksdb::Slice first(from), last(to);
  const auto status =
      db.CompactRange(options, begin.empty() ? nullptr : &first, end.empty() ? nullptr : &last);
  return status.ok() ? wait_for_removal(db, replaced_files(db), goes_on) : status;
}

Status copy_database(rocksdb::DB& db, const std::filesystem::path& directory,
                     std::string_view what) {
  rocksdb::Checkpoint* made = nullptr;
  auto status = rocksdb::Checkpoint::Create(&db, &made);
  const std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
  if (status.ok()) status = checkpoint->CreateCheckpoint(directory.string());
  if (status.ok()) return kDone;
  return Error{ErrorCode::kUnavailable,
               std::string(what) + " cannot be copied: " + status.ToString() + "."};
}

rocksdb::Options options_of_rows(const RocksMemory& memory) {
  auto options = shared_options(memory);
  options.max_bytes_for_level_base = 64 << 20;
  options.compression_per_level = {rocksdb::kNoCompression, rocksdb::kNoCompression,
                                   rocksdb::kLZ4Compression};
  return options;
}

}  // namespace tilth
