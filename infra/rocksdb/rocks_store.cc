#include "infra/rocksdb/rocks_store.h"

#include <atomic>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include <rocksdb/db.h>

#include "infra/bulk/sorted_files.h"
#include "infra/rocksdb/compaction.h"
#include "infra/rocksdb/layer_writer.h"
#include "infra/rocksdb/rocks_options.h"
#include "infra/rocksdb/silent_log.h"
#include "infra/rocksdb/slices.h"
#include "infra/rocksdb/stored_cursor.h"
#include "projections/rows/layered_cursor.h"

namespace tilth {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kLayerBytes = 12 << 20;
constexpr std::chrono::minutes kLayerAge{1};
constexpr std::size_t kMany = 1'000;  // changes: larger commits do not block readers
constexpr std::string_view kFingerprint = "\1fingerprint";

// Corrupt or missing data.
bool is_damage(const rocksdb::Status& status) {
  return status.IsCorruption() || status.IsPathNotFound();
}

// Without CURRENT RocksDB would create a new database and remove the files of the old one.
bool lacks_its_beginning(const fs::path& directory) {
  std::error_code ignored;
  return !fs::exists(directory / "CURRENT", ignored) && fs::exists(directory / "IDENTITY", ignored);
}

// Files that are ingested into an empty database get the sequence number 0. A compaction drops all
// their rows if it meets a snapshot with that number
// (https://github.com/facebook/rocksdb/pull/13155, mended in 9.10), so no snapshot may have it. A
// tombstone below all keys takes the number.
rocksdb::Status leave_sequence_zero(rocksdb::DB& db) {
  if (db.GetLatestSequenceNumber() > 0) return rocksdb::Status::OK();
  rocksdb::WriteOptions unlogged;
  unlogged.disableWAL = true;  // after a crash it is done again
  return db.Delete(unlogged, std::string(1, '\0'));
}

}  // namespace

struct RocksStore::Database {
  Database(fs::path directory, const RocksMemory& of) : path(std::move(directory)), memory(of) {}
  ~Database() {
    writer.reset();
    db.reset();
    std::error_code ignored;  // the next start removes what is left
    if (unwanted) fs::remove_all(path, ignored);
  }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  const fs::path path;
  const RocksMemory& memory;
  std::unique_ptr<rocksdb::DB> db;
  std::optional<LayerWriter> writer;
  std::atomic<bool> unwanted = false;
};

// Reads the newest state, or that of a snapshot. A lookup reads, in this order: the newest layer;
// the older one, which is being written; for the newest state, the cached values of the database;
// the database. A seek merges all of them, and for the newest state skips the known gaps
// (SeekCache).
class RocksStore::Reader final : public RowReader {
 public:
  Reader(std::shared_ptr<Database> of, const Layers& newest, Known& known)
      : of_(std::move(of)), db_(*of_->db), layers_(newest), known_(&known) {
    within_.fill_cache = false;
  }
  Reader(std::shared_ptr<Database> of, Layers layers)
      : of_(std::move(of)), db_(*of_->db), own_(std::move(layers)), layers_(own_) {
    options_.snapshot = within_.snapshot = db_.GetSnapshot();
  }
  ~Reader() override {
    if (options_.snapshot != nullptr) db_.ReleaseSnapshot(options_.snapshot);
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  std::optional<std::string> get(std::string_view key) const override {
    if (SharedMap::Value newest; find_in_layers(key, newest)) {
      return newest ? std::optional<std::string>(*newest) : std::nullopt;
    }
    if (known_ == nullptr) return get_stored(key);
    return get_known(key);
  }

  std::vector<std::optional<std::string>> get_many(
      const std::vector<std::string>& keys) const override {
    std::vector<std::optional<std::string>> found(keys.size());
    std::vector<std::size_t> under;  // those that are in no layer
    std::vector<rocksdb::Slice> slices;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const ValueCache::Value* known = nullptr;
      if (SharedMap::Value newest; find_in_layers(keys[i], newest)) {
        if (newest) found[i].emplace(*newest);
      } else if (known_ != nullptr && (known = known_->values.find(keys[i])) != nullptr) {
        found[i] = *known;
      } else {
        under.push_back(i);
        slices.emplace_back(keys[i]);
      }
    }
    std::vector<rocksdb::PinnableSlice> values(under.size());
    std::vector<rocksdb::Status> statuses(under.size());
    db_.MultiGet(options_, db_.DefaultColumnFamily(), under.size(), slices.data(), values.data(),
                 statuses.data());
    for (std::size_t i = 0; i < under.size(); ++i) {
      if (statuses[i].IsNotFound()) continue;
      require_read(statuses[i], db_);
      found[under[i]].emplace(values[i].data(), values[i].size());
      if (known_ != nullptr) known_->values.keep(keys[under[i]], found[under[i]]);
    }
    return found;
  }

  std::unique_ptr<RowCursor> cursor() const override {
    auto all = stored_cursor();
    for (const auto* layer : {&layers_.older, &layers_.newest}) {
      if (layer->empty()) continue;
      all = std::make_unique<LayeredCursor<SharedMap::Cursor>>(SharedMap::Cursor(*layer),
                                                               std::move(all));
    }
    return all;
  }

  std::unique_ptr<RowCursor> cursor_within(std::string_view prefix) const override {
    using Within = ChangesWithin<SharedMap::Cursor>;
    std::unique_ptr<RowCursor> all = std::make_unique<StoredCursor>(db_, within_, prefix);
    for (const auto* layer : {&layers_.older, &layers_.newest}) {
      if (layer->empty()) continue;
      all = std::make_unique<LayeredCursor<Within>>(Within(SharedMap::Cursor(*layer), prefix),
                                                    std::move(all));
    }
    return all;
  }

 private:
  std::unique_ptr<RowCursor> stored_cursor() const {
    if (known_ == nullptr) return std::make_unique<StoredCursor>(db_, options_);
    return std::make_unique<StoredCursor>(db_, options_, known_->gaps,
                                          [this](std::string_view key) { return get_known(key); });
  }

  bool find_in_layers(std::string_view key, SharedMap::Value& value) const {
    return layers_.newest.find(key, value) || layers_.older.find(key, value);
  }

  // After a miss, a seek finds out how far the gap extends, see GapUse.
  std::optional<std::string> get_known(std::string_view key) const {
    if (const auto* known = known_->values.find(key)) return *known;
    if (const auto* next = known_->gaps.find(key); next != nullptr && *next != key) {
      known_->use.used(key);
      return std::nullopt;
    }
    auto stored = get_stored(key);
    if (stored) return *known_->values.keep(std::string(key), std::move(stored));
    if (known_->use.is_worth_learning(key)) stored_cursor()->seek(key);
    return std::nullopt;
  }

  std::optional<std::string> get_stored(std::string_view key) const {
    std::string value;
    const auto status = db_.Get(options_, slice(key), &value);
    if (status.IsNotFound()) return std::nullopt;
    require_read(status, db_);
    return value;
  }

  const std::shared_ptr<Database> of_;
  rocksdb::DB& db_;
  const Layers own_ = {};
  const Layers& layers_;
  Known* const known_ = nullptr;
  rocksdb::ReadOptions options_;
  // Of cursor_within(). Removals find with it what they erase in the newest state: blocks that no
  // one reads again, which would hold memory and evict others.
  rocksdb::ReadOptions within_;
};

Result<std::unique_ptr<RocksStore>> RocksStore::open(const fs::path& views, std::string_view name,
                                                     int generation, std::string_view fingerprint,
                                                     const RocksMemory& memory,
                                                     std::function<Steady::time_point()> steady) {
  const auto folder = views / name;
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) {
    return Error{ErrorCode::kUnavailable,
                 "The read models' folder cannot be made: " + failed.message() + "."};
  }
  const auto options = options_of_rows(memory);
  auto database = std::make_shared<Database>(folder / std::to_string(generation), memory);
  const auto failed_with = [&](const rocksdb::Status& status) {
    return Error{
        is_damage(status) ? ErrorCode::kDamaged : ErrorCode::kUnavailable,
        "The read model " + std::string(name) + " cannot be opened: " + status.ToString() + "."};
  };
  if (lacks_its_beginning(database->path)) {
    return failed_with(rocksdb::Status::Corruption("CURRENT is missing"));
  }
  rocksdb::DB* opened = nullptr;
  const auto status = rocksdb::DB::Open(options, database->path.string(), &opened);
  if (!status.ok()) return failed_with(status);
  database->db.reset(opened);
  if (const auto left = leave_sequence_zero(*opened); !left.ok()) return failed_with(left);
  std::string stored;
  const auto read = opened->Get({}, slice(kFingerprint), &stored);
  if (!read.ok() && !read.IsNotFound()) return failed_with(read);
  database->writer.emplace(*opened, options);
  if (read.ok() && stored != fingerprint) {
    return Error{ErrorCode::kConflict,
                 "The rows of " + std::string(name) + " have another shape now."};
  }
  std::unique_ptr<RocksStore> store(
      new RocksStore(std::move(database), generation, std::move(steady)));
  if (read.IsNotFound()) store->layers_.newest.put(kFingerprint, fingerprint);
  return store;
}

RocksStore::RocksStore(std::shared_ptr<Database> database, int generation,
                       std::function<Steady::time_point()> steady)
    : database_(std::move(database)),
      steady_(std::move(steady)),
      newest_(std::make_unique<Reader>(database_, layers_, known_)),
      generation_(generation) {}

// Rows that cannot be written now are folded from the log again.
RocksStore::~RocksStore() {
  if (database_->unwanted) {
    if (!layers_.older.empty()) static_cast<void>(database_->writer->end());
    return;
  }
  if (!layers_.older.empty() && !end_older()) return;  // the newest layer relies on it
  if (layers_.newest.empty()) return;
  database_->writer->begin(std::move(layers_.newest));
  static_cast<void>(database_->writer->end());
}

// Waits until the older layer is written; retries once if that failed.
Status RocksStore::end_older() {
  auto& writer = *database_->writer;
  if (const auto written = writer.end(); written) return written;
  writer.begin(layers_.older);
  return writer.end();
}

Status RocksStore::copy_to(const fs::path& directory) const {
  return copy_database(*database_->db, directory, "The read model");
}

Status RocksStore::begin_with(std::vector<std::string> files,
                              std::map<std::string, std::string> others) {
  others.insert_or_assign(std::string(kFingerprint), *newest_->get(kFingerprint));
  SortedFiles first(bulk_path(), "first", database_->memory);
  for (const auto& [key, value] : others) first.add(key, value);
  if (const auto ended = first.end(); !ended) return ended;
  files.insert(files.begin(), first.paths().begin(), first.paths().end());
  rocksdb::IngestExternalFileOptions as_they_are;
  as_they_are.move_files = true;
  as_they_are.write_global_seqno = false;
  const auto taken = database_->db->IngestExternalFile(files, as_they_are);
  known_.values.clear();
  known_.gaps.clear();
  const std::lock_guard lock(mutex_);
  committed_ = nullptr;
  if (taken.ok()) return kDone;
  return Error{ErrorCode::kUnavailable, "The read models cannot be written: " + taken.ToString()};
}

fs::path RocksStore::bulk_path() const { return database_->path / "bulk"; }

const RocksMemory& RocksStore::memory() const { return database_->memory; }

void RocksStore::remove_when_unused() { database_->unwanted = true; }

bool RocksStore::holds(const UnreadableRows& rows) const {
  return rows.store() == database_->path.string();
}

const RowReader& RocksStore::newest() const { return *newest_; }

std::shared_ptr<const RowReader> RocksStore::snapshot() const {
  const std::lock_guard lock(mutex_);
  const auto is_writing = [this] { return !layers_.older.empty() && !database_->writer->ended(); };
  if (committed_ && precedes_a_layer_ && !is_writing()) committed_ = nullptr;
  if (!committed_) {
    precedes_a_layer_ = is_writing();  // asked first, since it may end at any time
    committed_ = std::make_shared<Reader>(database_, layers_);
  }
  return committed_;
}

Status RocksStore::commit(const RowBatch::Changes& changes) {
  if (const auto room = make_room(); !room) return room.error();
  keep(changes);
  return kDone;
}

// It is in the database.
void RocksStore::drop_older() {
  known_.values.clear();
  known_.gaps.apply(layers_.older);
  SharedMap dropped;  // freed after the lock is released
  const std::lock_guard lock(mutex_);
  std::swap(layers_.older, dropped);
}

Status RocksStore::write_out() {
  if (!layers_.older.empty()) {
    if (const auto written = end_older(); !written) return written;
    drop_older();
  }
  if (!layers_.newest.empty()) {
    begin_layer();
    if (const auto written = end_older(); !written) return written;
    drop_older();
  }
  const std::lock_guard lock(mutex_);
  committed_ = nullptr;
  return kDone;
}

Status RocksStore::compact(std::string_view begin, std::string_view end,
                           const std::function<bool()>& goes_on) const {
  auto& db = *database_->db;
  // RocksDB keeps what the oldest snapshot sees.
  const auto written = db.GetLatestSequenceNumber();
  const auto older_snapshots_ended = [&] {
    using Of = rocksdb::DB::Properties;
    std::uint64_t count = 0, oldest = 0;
    return !db.GetIntProperty(Of::kNumSnapshots, &count) || count == 0 ||
           !db.GetIntProperty(Of::kOldestSnapshotSequence, &oldest) || oldest >= written;
  };
  if (!wait_until(older_snapshots_ended, goes_on)) {
    return Error{ErrorCode::kUnavailable, "Earlier states of the rows are still being read."};
  }
  const auto status = compact_range(db, begin, end, goes_on);
  if (status.ok()) return kDone;
  return Error{ErrorCode::kUnavailable, "The rows cannot be compacted: " + status.ToString() + "."};
}

// Has the newest layer written, and collects what comes in another one.
void RocksStore::begin_layer() {
  database_->writer->begin(layers_.newest);
  begun_.reset();
  const std::lock_guard lock(mutex_);
  layers_.older = std::exchange(layers_.newest, {});
}

// Drops the older layer once it is written, and begins a new one if the newest is full or old.
Status RocksStore::make_room() {
  auto& writer = *database_->writer;
  const bool full = layers_.newest.bytes() >= kLayerBytes;
  if (!layers_.older.empty()) {
    if (!full && !writer.ended()) return kDone;
    if (full) {
      if (const auto written = end_older(); !written) return written;
    } else if (!*writer.ended()) {
      writer.begin(layers_.older);
      return kDone;
    }
    drop_older();
  }
  const auto now = steady_();
  if (full || (begun_ && now >= *begun_ + kLayerAge)) begin_layer();
  if (!begun_) begun_ = now;
  return kDone;
}

void RocksStore::keep(const RowBatch::Changes& changes) {
  const bool many = changes.size() > kMany;
  std::unique_lock lock(mutex_);
  committed_ = nullptr;  // first: unless a reader holds it, nothing is copied
  auto newest = many ? layers_.newest : std::exchange(layers_.newest, {});
  if (many) lock.unlock();
  for (SharedMap::Filler filler(newest); const auto& [key, value] : changes) {
    filler.put(key, value);
  }
  if (many) lock.lock();
  layers_.newest = std::move(newest);
  committed_ = nullptr;
}

}  // namespace tilth
