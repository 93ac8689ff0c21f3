#include "infra/embedded/database.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <rocksdb/cache.h>
#include <rocksdb/convenience.h>
#include <rocksdb/memtablerep.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>
#include <rocksdb/write_batch.h>

#include "infra/embedded/owner_key_files.h"
#include "infra/embedded/record_bytes.h"
#include "infra/embedded/record_key.h"
#include "infra/embedded/record_page.h"
#include "infra/embedded/zeroed_logs.h"
#include "infra/rocksdb/no_recovery.h"
#include "infra/rocksdb/rocks_options.h"
#include "infra/rocksdb/silent_log.h"

namespace tilth {
namespace {

constexpr const char* kArchiveFamily = "archive";  // only in a log of which a part was archived
constexpr const char* kFilesKey = "files";

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

// Only a stream's newest version is read, by its key alone: it is found by a hash, and not by
// comparing a dozen keys for each record.
rocksdb::ColumnFamilyOptions versions_options(rocksdb::ColumnFamilyOptions family) {
  constexpr std::size_t kBytesOfABucket = 1'024;  // with what it holds in a full write buffer
  family.inplace_update_support = true;
  family.prefix_extractor.reset(rocksdb::NewNoopTransform());  // the key is its own prefix
  family.memtable_factory.reset(rocksdb::NewHashLinkListRepFactory(
      std::max<std::size_t>(family.write_buffer_size / kBytesOfABucket, 1), 0, 0, false));
  return family;
}

// RocksDB reports a file of settings that it cannot read as an invalid argument. Unless the file is
// missing, the disk or its permissions are the reason, and the log may be whole.
bool is_damage(const rocksdb::Status& status) {
  if (!status.IsInvalidArgument()) return status.IsCorruption() || status.IsNotFound();
  const auto text = status.ToString();
  return text.find("IO error") == text.npos || text.find("No such file") != text.npos;
}

}  // namespace

std::shared_ptr<RocksMemory> log_memory() {
  constexpr std::size_t kNoLimit = std::size_t{1} << 60;  // of 0 RocksDB would count nothing
  return std::make_shared<RocksMemory>(8 << 20, kNoLimit);
}

rocksdb::Options record_table_options() {
  return {{}, family_options({}, rocksdb::NewLRUCache(1 << 20))};
}

Result<std::unique_ptr<RecordDatabase>> RecordDatabase::open(const std::filesystem::path& directory,
                                                             const RecordStoreOptions& options,
                                                             For use) {
  const auto memory = options.memory ? options.memory : log_memory();
  const auto family = family_options(options, memory->parts().cache);
  std::vector<rocksdb::ColumnFamilyDescriptor> families = {
      {rocksdb::kDefaultColumnFamilyName, family}, {"versions", versions_options(family)}};
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* db = nullptr;
  auto settings = database_options(options);
  std::unique_ptr<rocksdb::Env> env;  // null: nothing is written, and no log is extended
  if (use == For::kWriting) {
    env = with_zeroed_logs(*settings.env, directory);
    settings.env = env.get();
  }
  settings.write_buffer_manager = memory->parts().writes;
  if (use == For::kReadingTables) {
    settings.wal_recovery_mode = rocksdb::WALRecoveryMode::kSkipAnyCorruptedRecords;
  }
  std::vector<std::string> names;  // of a new log: none
  rocksdb::DB::ListColumnFamilies(settings, directory, &names).PermitUncheckedError();
  if (std::find(names.begin(), names.end(), kArchiveFamily) != names.end()) {
    families.emplace_back(kArchiveFamily, family);
  }
  const auto status =
      use == For::kWriting
          ? rocksdb::DB::Open(settings, directory, families, &handles, &db)
          : rocksdb::DB::OpenForReadOnly(settings, directory, families, &handles, &db);
  if (!status.ok()) {
    return Error{is_damage(status) ? ErrorCode::kDamaged : ErrorCode::kUnavailable,
                 status.ToString()};
  }
  std::unique_ptr<RecordDatabase> opened(new RecordDatabase);
  opened->keys_ = options.keys;
  opened->env_ = std::move(env);
  opened->db_.reset(db);
  opened->records_ = handles.at(0);
  opened->versions_ = handles.at(1);
  if (handles.size() > 2) opened->archive_ = handles.at(2);
  if (const auto read = opened->read_archived(); !read) return read.error();
  return opened;
}

Status RecordDatabase::read_archived() {
  if (archive_ == nullptr) return kDone;
  std::string text;
  const auto status = db_->Get({}, archive_, kFilesKey, &text);
  if (status.IsNotFound()) return kDone;
  if (!status.ok()) return Error{ErrorCode::kDamaged, status.ToString()};
  auto files = ArchivedFiles::parse(text);
  if (!files) return files.error();
  archived_ = std::move(*files);
  return kDone;
}

RecordDatabase::~RecordDatabase() {
  for (auto* family : {records_, versions_, archive_}) {
    if (family == nullptr) continue;
    db_->DestroyColumnFamilyHandle(family).PermitUncheckedError();
  }
}

bool RecordDatabase::has_record(std::int64_t offset) const {
  rocksdb::PinnableSlice value;
  return offset < archived_.end() || db_->Get({}, records_, RecordKey(offset).bytes(), &value).ok();
}

Result<std::optional<bool>> RecordDatabase::is_sealed() const {
  if (archived_.end() > 0) return std::optional(archived_.sealed);
  rocksdb::PinnableSlice value;
  if (db_->Get({}, records_, RecordKey(0).bytes(), &value).ok()) {
    return std::optional(is_of_sealed_log({value.data(), value.size()}));
  }
  // All records of a log are alike in this, and a log of which only the first one is damaged goes
  // on.
  const auto at = iterator();
  at->SeekToLast();
  if (at->Valid()) return std::optional(is_of_sealed_log({at->value().data(), at->value().size()}));
  const auto status = at->status();
  if (status.ok()) return std::optional<bool>();
  return Error{status.IsCorruption() ? ErrorCode::kDamaged : ErrorCode::kUnavailable,
               "whether it is sealed cannot be read: " + status.ToString()};
}

Result<std::int64_t> RecordDatabase::end() const {
  const auto at = iterator();
  if (archived_.end() > 0) {
    at->SeekToFirst();
    const bool follows =
        !at->Valid() || at->key() == rocksdb::Slice(RecordKey(archived_.end()).bytes());
    if (at->status().ok() && !follows) {
      return Error{ErrorCode::kDamaged,
                   "its first record does not follow those that were archived"};
    }
  }
  at->SeekToLast();
  if (!at->status().ok()) return Error{ErrorCode::kDamaged, at->status().ToString()};
  if (!at->Valid()) return archived_.end();
  const auto offset = offset_of({at->key().data(), at->key().size()});
  if (!offset) return Error{ErrorCode::kDamaged, "its last record's key is not an offset"};
  return *offset + 1;
}

std::unique_ptr<rocksdb::Iterator> RecordDatabase::iterator() const {
  rocksdb::ReadOptions options;
  options.fill_cache = false;
  return std::unique_ptr<rocksdb::Iterator>(db_->NewIterator(options, records_));
}

Result<std::vector<LoggedRecord>> RecordDatabase::page(std::int64_t offset, std::int64_t end,
                                                       std::size_t limit) const {
  return read_page(*iterator(), offset, end, limit, keys_.get());
}

Status RecordDatabase::set_archived(const ArchivedFiles& files) {
  if (archive_ == nullptr) {
    const auto made = db_->CreateColumnFamily(db_->GetOptions(records_), kArchiveFamily, &archive_);
    if (!made.ok()) return Error{ErrorCode::kUnavailable, made.ToString()};
  }
  rocksdb::WriteBatch batch;
  const RecordKey first(0), end(files.end());
  auto status = batch.Put(archive_, kFilesKey, files.text());
  if (status.ok()) status = batch.DeleteRange(records_, first.bytes(), end.bytes());
  rocksdb::WriteOptions durable;
  durable.sync = true;
  if (status.ok()) status = db_->Write(durable, &batch);
  if (!status.ok()) return Error{ErrorCode::kUnavailable, status.ToString()};
  archived_ = files;
  return kDone;
}

Status RecordDatabase::reclaim_archived() {
  const RecordKey first(0), end(archived_.end());
  const rocksdb::Slice from = first.bytes(), to = end.bytes();
  auto status = rocksdb::DeleteFilesInRange(&*db_, records_, &from, &to, false);
  rocksdb::CompactRangeOptions options;
  options.canceled = &reclaiming_ends_;
  if (status.ok()) status = db_->CompactRange(options, records_, &from, &to);
  if (status.ok() || status.IsManualCompactionPaused()) return kDone;
  return Error{ErrorCode::kUnavailable, status.ToString()};
}

Status check_gaps(const std::filesystem::path& directory, const RecordStoreOptions& options,
                  const WalFindings& found) {
  if (found.gaps.empty()) return kDone;
  const auto tables = RecordDatabase::open(directory, options, RecordDatabase::For::kReadingTables);
  if (!tables && tables.error().code == ErrorCode::kUnavailable) return tables.error();
  for (const auto& gap : found.gaps) {
    if (tables && (*tables)->has_record(gap.first) && (*tables)->has_record(gap.last)) continue;
    return Error{ErrorCode::kDamaged,
                 "the records from offset " + std::to_string(gap.first) + " to " +
                     std::to_string(gap.last) + " are missing after byte " +
                     std::to_string(gap.position) + " of " + gap.file.string()};
  }
  return kDone;
}

}  // namespace tilth
