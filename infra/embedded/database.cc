#include "infra/embedded/database.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <rocksdb/cache.h>
#include <rocksdb/table.h>

#include "infra/embedded/record_bytes.h"
#include "infra/embedded/record_key.h"
#include "infra/embedded/record_seal.h"
#include "infra/rocksdb/no_recovery.h"
#include "infra/rocksdb/silent_log.h"

namespace tilth {
namespace {

constexpr std::size_t kPageBytes = 4 << 20;

Error damaged(std::int64_t offset, const std::string& what) {
  return {ErrorCode::kDamaged, "The record at partition 0, offset " + std::to_string(offset) +
                                   " cannot be read: " + what + "."};
}

rocksdb::DBOptions database_options(const RecordStoreOptions& options) {
  rocksdb::DBOptions db;
  db.create_if_missing = true;
  db.create_missing_column_families = true;
  if (options.env != nullptr) db.env = options.env;
  // A torn tail has been cut by now, so everything that RocksDB cannot read is damage.
  db.wal_recovery_mode = rocksdb::WALRecoveryMode::kAbsoluteConsistency;
  db.paranoid_checks = true;
  db.max_total_wal_size = options.write_buffer_bytes * 3 / 2;
  db.max_background_jobs = 2;
  db.max_open_files = 256;
  db.max_file_opening_threads = 1;
  NoRecovery::set_in(db);                         // RecordStore::reopen() is the only recovery
  db.enable_write_thread_adaptive_yield = false;  // there is only one writer
  db.allow_concurrent_memtable_write = false;
  db.stats_dump_period_sec = 0;
  db.stats_persist_period_sec = 0;
  db.info_log = std::make_shared<SilentLog>();
  return db;
}

rocksdb::ColumnFamilyOptions family_options(const RecordStoreOptions& options,
                                            const std::shared_ptr<rocksdb::Cache>& cache) {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = cache;
  table.block_size = 16 << 10;
  table.format_version = 5;
  table.checksum = rocksdb::kXXH3;
  rocksdb::ColumnFamilyOptions family;
  family.write_buffer_size = options.write_buffer_bytes;
  family.max_write_buffer_number = 2;
  family.compression = rocksdb::kLZ4Compression;
  family.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return family;
}

}  // namespace

rocksdb::Options record_table_options() {
  return {{}, family_options({}, rocksdb::NewLRUCache(1 << 20))};
}

Result<std::unique_ptr<RecordDatabase>> RecordDatabase::open(const std::filesystem::path& directory,
                                                             const RecordStoreOptions& options,
                                                             For use) {
  const auto cache = options.cache ? options.cache : rocksdb::NewLRUCache(8 << 20);
  const auto family = family_options(options, cache);
  auto versions = family;
  versions.inplace_update_support = true;  // only a stream's newest version is read
  const std::vector<rocksdb::ColumnFamilyDescriptor> families = {
      {rocksdb::kDefaultColumnFamilyName, family}, {"versions", versions}};
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* db = nullptr;
  const auto settings = database_options(options);
  const auto status =
      use == For::kWriting
          ? rocksdb::DB::Open(settings, directory, families, &handles, &db)
          : rocksdb::DB::OpenForReadOnly(settings, directory, families, &handles, &db);
  if (!status.ok()) {
    const bool damaged = status.IsCorruption() || status.IsNotFound() || status.IsInvalidArgument();
    return Error{damaged ? ErrorCode::kDamaged : ErrorCode::kUnavailable, status.ToString()};
  }
  std::unique_ptr<RecordDatabase> opened(new RecordDatabase);
  opened->keys_ = options.keys;
  opened->db_.reset(db);
  opened->records_ = handles.at(0);
  opened->versions_ = handles.at(1);
  return opened;
}

RecordDatabase::~RecordDatabase() {
  for (auto* family : {records_, versions_}) {
    db_->DestroyColumnFamilyHandle(family).PermitUncheckedError();
  }
}

bool RecordDatabase::has_record(std::int64_t offset) const {
  rocksdb::PinnableSlice value;
  return db_->Get({}, records_, RecordKey(offset).bytes(), &value).ok();
}

std::optional<bool> RecordDatabase::is_sealed() const {
  rocksdb::PinnableSlice value;
  if (!db_->Get({}, records_, RecordKey(0).bytes(), &value).ok()) return std::nullopt;
  return is_of_sealed_log({value.data(), value.size()});
}

Result<std::int64_t> RecordDatabase::end() const {
  const std::unique_ptr<rocksdb::Iterator> last(db_->NewIterator({}, records_));
  last->SeekToLast();
  if (!last->status().ok()) return Error{ErrorCode::kDamaged, last->status().ToString()};
  if (!last->Valid()) return std::int64_t{0};
  const auto offset = offset_of({last->key().data(), last->key().size()});
  if (!offset) return Error{ErrorCode::kDamaged, "its last record's key is not an offset"};
  return *offset + 1;
}

Status RecordDatabase::read_record(const rocksdb::Iterator& at, std::int64_t offset,
                                   Record& record) const {
  // Read only when an iterator is at no record: its status costs as much as the next record does.
  if (!at.Valid()) {
    const auto status = at.status();
    if (status.ok()) return damaged(offset, "it is missing");
    if (status.IsCorruption()) return damaged(offset, status.ToString());
    return Error{ErrorCode::kUnavailable,
                 "Offset " + std::to_string(offset) + " cannot be read: " + status.ToString()};
  }
  if (at.key() != rocksdb::Slice(RecordKey(offset).bytes())) {
    return damaged(offset, "it is missing");
  }
  const std::string_view bytes(at.value().data(), at.value().size());
  auto decoded = decode_stored(offset, bytes, keys_.get(), record);
  if (decoded || decoded.error().code != ErrorCode::kDamaged) return decoded;
  return damaged(offset, decoded.error().message);
}

Result<std::vector<LoggedRecord>> RecordDatabase::page(std::int64_t offset, std::int64_t end,
                                                       std::size_t limit) const {
  rocksdb::ReadOptions options;
  options.fill_cache = false;
  const std::unique_ptr<rocksdb::Iterator> at(db_->NewIterator(options, records_));
  std::vector<LoggedRecord> found;
  if (end > offset) found.reserve(std::min(limit, static_cast<std::size_t>(end - offset)));
  std::size_t bytes = 0;
  for (at->Seek(RecordKey(offset).bytes()); offset < end && found.size() < limit; at->Next()) {
    auto& logged = found.emplace_back();
    if (const auto read = read_record(*at, offset, logged.record); !read) {
      found.pop_back();
      if (found.empty()) return read.error();
      break;
    }
    logged.position = {0, offset++};
    if ((bytes += at->value().size()) >= kPageBytes) break;
  }
  return found;
}

}  // namespace tilth
