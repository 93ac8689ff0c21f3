#include "infra/rocksdb/rocks_options.h"

#include <string>

#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/checkpoint.h>

#include "infra/rocksdb/silent_log.h"

namespace tilth {
RocksMemory::RocksMemory(std::size_t cache_bytes, std::size_t write_bytes)
    : parts_(std::make_unique<Parts>()) {
  parts_->cache = rocksdb::NewLRUCache(cache_bytes, 2);
  parts_->writes = std::make_shared<rocksdb::WriteBufferManager>(write_bytes);
}

RocksMemory::~RocksMemory() = default;

RocksMemory::Held RocksMemory::held() const {
  return {parts_->cache->GetUsage(), parts_->writes->memory_usage()};
}

rocksdb::Options shared_options(const RocksMemory& memory) {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.write_buffer_manager = memory.parts().writes;
  options.max_open_files = 256;
  options.max_background_jobs = 2;
  options.info_log = std::make_shared<SilentLog>();
  options.stats_dump_period_sec = 0;
  options.manifest_preallocation_size = 64 << 10;  // each cell has several: not 4 MB for each
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
