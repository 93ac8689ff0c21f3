#include "infra/rocksdb/rocks_store.h"

#include <atomic>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/checkpoint.h>
#include <rocksdb/write_batch.h>

#include "infra/rocksdb/rocks_memory.h"
#include "infra/rocksdb/row_cache.h"
#include "infra/rocksdb/sorted_files.h"

namespace tilth {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kNewestBytes = 4 << 20;
constexpr std::string_view kFingerprint = "\1fingerprint";
constexpr std::size_t kCacheBytes = 16 << 20;  // of what was made of rows

rocksdb::Slice slice(std::string_view text) { return {text.data(), text.size()}; }
std::string_view view(const rocksdb::Slice& bytes) { return {bytes.data(), bytes.size()}; }

void require(const rocksdb::Status& status) {
  if (!status.ok())
    throw std::runtime_error("The read models cannot be read: " + status.ToString());
}

class Cursor final : public RowCursor {
 public:
  explicit Cursor(std::unique_ptr<rocksdb::Iterator> at) : at_(std::move(at)) {}
  void seek(std::string_view key) override { at_->Seek(slice(key)), checked(); }
  void seek_for_prev(std::string_view key) override { at_->SeekForPrev(slice(key)), checked(); }
  void next() override { at_->Next(), checked(); }
  void prev() override { at_->Prev(), checked(); }
  bool valid() const override { return at_->Valid(); }
  std::string_view key() const override { return view(at_->key()); }
  std::string_view value() const override { return view(at_->value()); }

 private:
  void checked() const {
    if (!at_->Valid()) require(at_->status());
  }
  std::unique_ptr<rocksdb::Iterator> at_;
};

// The stream that a row belongs to: what lies before the first NUL of its key.
class StreamOf final : public rocksdb::SliceTransform {
 public:
  const char* Name() const override { return "tilth.stream"; }
  rocksdb::Slice Transform(const rocksdb::Slice& key) const override {
    const auto bytes = view(key);
    return slice(bytes.substr(0, bytes.find('\0')));
  }
  bool InDomain(const rocksdb::Slice& key) const override {
    return view(key).find('\0') != std::string_view::npos;
  }
};

// The event log is the write-ahead log: what a crash takes from memory is folded again.
rocksdb::WriteOptions unlogged() {
  rocksdb::WriteOptions options;
  options.disableWAL = true;
  return options;
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
  options.keep_log_file_num = 2;
  options.max_log_file_size = 1 << 20;
  options.info_log_level = rocksdb::WARN_LEVEL;
  options.stats_dump_period_sec = 0;
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = memory.parts().cache;
  table.cache_index_and_filter_blocks = true;
  // A file's index and filter in pieces: whole, those of a few files are larger than the cache, and
  // would be read anew for every key.
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

struct RocksStore::Database {
  explicit Database(fs::path directory) : path(std::move(directory)) {}
  ~Database() {
    db.reset();
    std::error_code ignored;  // the next start removes what is left
    if (unwanted) fs::remove_all(path, ignored);
  }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  const fs::path path;
  std::unique_ptr<rocksdb::DB> db;
  RowCache cache{kCacheBytes};
  std::atomic<bool> unwanted = false;
};

// Reads the newest state, or that of a snapshot, of which it keeps what was made.
class RocksStore::Reader final : public RowReader {
 public:
  explicit Reader(std::shared_ptr<Database> of) : of_(std::move(of)), db_(*of_->db) {}
  Reader(std::shared_ptr<Database> of, RowCache::State state)
      : of_(std::move(of)), db_(*of_->db), cache_(&of_->cache), state_(state) {
    options_.snapshot = db_.GetSnapshot();
  }
  ~Reader() override {
    if (options_.snapshot != nullptr) db_.ReleaseSnapshot(options_.snapshot);
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  std::optional<std::string> get(std::string_view key) const override {
    std::string value;
    const auto status = db_.Get(options_, slice(key), &value);
    if (status.IsNotFound()) return std::nullopt;
    require(status);
    return value;
  }

  std::shared_ptr<const void> made_of(std::string_view key, Maker maker) const override {
    if (cache_ == nullptr) return RowReader::made_of(key, maker);
    if (auto kept = cache_->find(key, state_)) return kept;
    const auto bytes = get(key);
    if (!bytes) return nullptr;
    auto made = maker(*bytes);
    cache_->keep(key, made, state_);
    return std::move(made.value);
  }

  std::vector<std::optional<std::string>> get_many(
      const std::vector<std::string>& keys) const override {
    const std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
    std::vector<rocksdb::PinnableSlice> values(keys.size());
    std::vector<rocksdb::Status> statuses(keys.size());
    db_.MultiGet(options_, db_.DefaultColumnFamily(), keys.size(), slices.data(), values.data(),
                 statuses.data());
    std::vector<std::optional<std::string>> found(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (statuses[i].IsNotFound()) continue;
      require(statuses[i]);
      found[i].emplace(values[i].data(), values[i].size());
    }
    return found;
  }

  std::unique_ptr<RowCursor> cursor() const override {
    return std::make_unique<Cursor>(std::unique_ptr<rocksdb::Iterator>(db_.NewIterator(options_)));
  }

 private:
  const std::shared_ptr<Database> of_;
  rocksdb::DB& db_;
  RowCache* const cache_ = nullptr;
  const RowCache::State state_ = 0;
  rocksdb::ReadOptions options_;
};

rocksdb::Options options_of_rows(const RocksMemory& memory) {
  auto options = shared_options(memory);
  options.write_buffer_size = 16 << 20;
  // What is newest is soon merged: packing it well takes more time than its room is worth.
  options.max_bytes_for_level_base = 64 << 20;
  options.compression_per_level = {rocksdb::kNoCompression, rocksdb::kNoCompression,
                                   rocksdb::kLZ4Compression};
  // An event changes a handful of its stream's keys: each is sought near the last one rather than
  // from the top of the memtable, and most look-ups of keys that are not there end at its filter.
  options.memtable_insert_with_hint_prefix_extractor = std::make_shared<StreamOf>();
  options.allow_concurrent_memtable_write = false;  // there is but one writer
  options.memtable_whole_key_filtering = true;
  options.memtable_prefix_bloom_size_ratio = 0.02;
  return options;
}

Result<std::unique_ptr<RocksStore>> RocksStore::open(const fs::path& views, std::string_view name,
                                                     int generation, std::string_view fingerprint,
                                                     const RocksMemory& memory) {
  const auto folder = views / name;
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) {
    return Error{ErrorCode::kUnavailable,
                 "The read models' folder cannot be made: " + failed.message() + "."};
  }
  auto database = std::make_shared<Database>(folder / std::to_string(generation));
  rocksdb::DB* opened = nullptr;
  const auto status = rocksdb::DB::Open(options_of_rows(memory), database->path.string(), &opened);
  if (!status.ok()) {
    return Error{ErrorCode::kDamaged, "The read model " + std::string(name) +
                                          " cannot be opened: " + status.ToString() + "."};
  }
  database->db.reset(opened);
  std::string stored;
  const auto read = opened->Get({}, slice(kFingerprint), &stored);
  if (!read.IsNotFound() && stored != fingerprint) {
    return Error{ErrorCode::kConflict,
                 "The rows of " + std::string(name) + " have another shape now."};
  }
  const auto kept = opened->Put(unlogged(), slice(kFingerprint), slice(fingerprint));
  if (!kept.ok()) {
    return Error{ErrorCode::kUnavailable, "The read model " + std::string(name) +
                                              " cannot be written: " + kept.ToString() + "."};
  }
  return std::unique_ptr<RocksStore>(new RocksStore(std::move(database), generation));
}

RocksStore::RocksStore(std::shared_ptr<Database> database, int generation)
    : database_(std::move(database)),
      stored_(std::make_unique<Reader>(database_)),
      newest_(std::make_unique<NewestRows>(*stored_, kNewestBytes)),
      generation_(generation) {}

RocksStore::~RocksStore() = default;

Status RocksStore::copy_to(const fs::path& directory) const {
  return copy_database(*database_->db, directory, "The read model");
}

Status RocksStore::ingest(BulkRows& rows) {
  SortedFiles files(*database_->db, database_->path);
  rows.take([&](std::string_view key, const auto& value) { files.add(key, value); });
  const auto taken = files.ingest();
  std::shared_ptr<const Reader> before;
  {
    const std::lock_guard lock(mutex_);
    before = std::exchange(committed_, nullptr);
  }
  if (taken.ok()) return kDone;
  return Error{ErrorCode::kUnavailable, "The read models cannot be written: " + taken.ToString()};
}

void RocksStore::remove_when_unused() { database_->unwanted = true; }

const RowReader& RocksStore::newest() const { return *newest_; }

std::shared_ptr<const RowReader> RocksStore::snapshot() const {
  const std::lock_guard lock(mutex_);
  if (!committed_) {
    committed_ = std::make_shared<Reader>(database_, database_->cache.state());
  }
  return committed_;
}

Status RocksStore::commit(const RowBatch::Changes& changes) {
  rocksdb::WriteBatch batch;
  for (const auto& [key, value] : changes) {
    if (value) {
      batch.Put(slice(key), slice(*value));
    } else {
      batch.Delete(slice(key));
    }
  }
  {
    const std::lock_guard lock(mutex_);
    database_->cache.begin_commit();
  }
  auto& db = *database_->db;
  auto written = db.Write(unlogged(), &batch);
  if (!written.ok()) {
    // After a full disk RocksDB waits to be asked.
    if (db.Resume().ok()) written = db.Write(unlogged(), &batch);
  }
  database_->cache.end_commit(changes);
  std::shared_ptr<const Reader> before;  // freed when nobody waits for it
  {
    const std::lock_guard lock(mutex_);
    before = std::exchange(committed_, nullptr);
  }
  if (written.ok()) {
    newest_->follow(changes);
    return kDone;
  }
  return Error{ErrorCode::kUnavailable, "The read models cannot be written: " + written.ToString()};
}

}  // namespace tilth
