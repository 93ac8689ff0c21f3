#include "infra/embedded/record_store.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>

#include <rocksdb/utilities/checkpoint.h>
#include <rocksdb/write_batch.h>

#include "infra/embedded/archive_cache.h"
#include "infra/embedded/database.h"
#include "infra/embedded/owner_key_files.h"
#include "infra/embedded/record_bytes.h"
#include "infra/embedded/record_key.h"
#include "infra/embedded/record_page.h"
#include "infra/embedded/record_seal.h"
#include "infra/embedded/wal_scan.h"

namespace tilth {
namespace {

constexpr std::size_t kUsualVersionBytes = 128;   // of a stream, with both keys
constexpr std::size_t kArchivedAtOnce = 1 << 20;  // bytes

std::string torn_tail(const WalFindings::Tail& tail, std::int64_t end) {
  const std::int64_t after = tail.after.value_or(end - 1);
  return "The log's tail was torn: " + std::to_string(tail.torn) + " bytes after " +
         (after < 0 ? "its beginning" : "offset " + std::to_string(after)) +
         " were never acknowledged and have been cut.";
}

Error archiving_ended() { return {ErrorCode::kUnavailable, "Archiving the event log was ended."}; }

// Whether the files have no gap and no overlap, and begin with those of `before`.
bool continues(const ArchivedFiles& files, const ArchivedFiles& before) {
  std::int64_t end = 0;
  for (std::size_t i = 0; i < files.files.size(); ++i) {
    const auto& file = files.files[i];
    const bool is_former = i < before.files.size();
    if (file.first != end || (is_former && file.end != before.files[i].end)) return false;
    end = file.end;
  }
  return files.files.size() >= before.files.size();
}

// Whether `directory` has files of a database, but not CURRENT, which refers to them. RocksDB would
// create a new database there and remove the old one's files.
bool is_beheaded(const std::filesystem::path& directory) {
  if (std::filesystem::exists(directory / "CURRENT")) return false;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().extension() == ".sst" || entry.path().extension() == ".log") return true;
  }
  return false;
}

// RocksDB copies the newest write-ahead log up to a size that may lie within a write. What was
// durable when the copy began is before that. Damage stays as it is, for a check to find.
Status cut_writes_in_progress(const std::filesystem::path& copy) {
  const auto found = scan_wals(copy);
  if (!found)
    return found.error().code == ErrorCode::kDamaged ? Status(kDone) : Status(found.error());
  for (const auto& tail : found->tails) {
    std::error_code failed;
    // A file that the log still has, too, is no longer written to, so it has no such tail.
    if (std::filesystem::hard_link_count(tail.file, failed) > 1 && !failed) continue;
    if (!failed) std::filesystem::resize_file(tail.file, tail.whole, failed);
    if (failed) {
      return Error{ErrorCode::kUnavailable,
                   tail.file.string() + " cannot be cut: " + failed.message() + "."};
    }
  }
  return kDone;
}

}  // namespace

Result<std::unique_ptr<RecordStore>> RecordStore::open(const std::filesystem::path& directory,
                                                       RecordStoreOptions options) {
  auto lock = DirectoryLock::take(directory);
  if (!lock) return lock.error();
  std::unique_ptr<RecordStore> store(
      new RecordStore(directory, std::move(options), std::move(*lock)));
  if (const auto examined = store->examine(); !examined) return examined.error();
  // Not in reopen(): all readers and the next appends would wait for a disk that hangs.
  const auto there = store->archive_.look();
  if (!there) store->options_.log_line(there.error().message);
  return store;
}

RecordStore::RecordStore(std::filesystem::path directory, RecordStoreOptions options,
                         std::unique_ptr<DirectoryLock> lock)
    : directory_(std::move(directory)),
      options_(std::move(options)),
      lock_(std::move(lock)),
      archive_(options_.archives, options_.keys) {}

RecordStore::~RecordStore() = default;

// Runs all checks that need no change before it changes anything.
Status RecordStore::examine() try {
  const std::string name = "The event log in " + directory_.string();
  if (is_beheaded(directory_)) {
    return Error{ErrorCode::kDamaged, name + " is damaged: its file CURRENT is missing."};
  }
  const auto found = scan_wals(directory_);
  if (!found) return found.error();
  if (const auto whole = check_gaps(directory_, options_, *found); !whole) {
    if (whole.error().code != ErrorCode::kDamaged) return whole.error();
    return Error{ErrorCode::kDamaged,
                 name + " is damaged: " + whole.error().message + "; nothing was changed."};
  }
  for (const auto& tail : found->tails) {
    std::error_code error;
    std::filesystem::resize_file(tail.file, tail.whole, error);
    if (error) {
      return Error{ErrorCode::kUnavailable,
                   name + " has a torn tail that cannot be cut: " + error.message() + "."};
    }
  }
  auto opened = RecordDatabase::open(directory_, options_, RecordDatabase::For::kWriting);
  const auto end = opened ? (*opened)->end() : Result<std::int64_t>(opened.error());
  for (const auto& tail : found->tails) {
    if (tail.torn > 0) options_.log_line(torn_tail(tail, end ? *end : 0));
  }
  if (!end) {
    const auto& [code, message] = std::pair(end.error().code, end.error().message);
    return Error{code, name +
                           (code == ErrorCode::kDamaged ? " is damaged: " : " cannot be opened: ") +
                           message + "."};
  }
  if (found->last && *end <= *found->last) {
    return Error{ErrorCode::kDamaged, name + " is damaged: its records from offset " +
                                          std::to_string(*end) + " to " +
                                          std::to_string(*found->last) + " are gone."};
  }
  database_ = std::move(*opened);
  end_ = *end;
  archive_.set(database_->archived());
  return find_out_whether_sealed();
} catch (const std::filesystem::filesystem_error& error) {
  return Error{ErrorCode::kUnavailable,
               std::string("The event log cannot be read: ") + error.what() + "."};
}

Status RecordStore::find_out_whether_sealed() {
  const auto read = database_->is_sealed();
  if (!read) {
    database_.reset();
    return Error{
        read.error().code,
        "The event log in " + directory_.string() +
            (read.error().code == ErrorCode::kDamaged ? " is damaged: " : " cannot be opened: ") +
            read.error().message + "."};
  }
  const auto& found = *read;
  sealed_ = found.value_or(options_.seal_new && options_.keys != nullptr);
  if (!found && sealed_) return options_.keys->make_directory();
  if (!found || !*found || (options_.keys != nullptr && options_.keys->exists())) return kDone;
  database_.reset();
  return Error{ErrorCode::kDamaged, "The event log in " + directory_.string() +
                                        " is sealed, and the keys of its owners are missing: put "
                                        "back the directory owner-keys."};
}

Status RecordStore::encode(std::int64_t offset, const Record& record, NewKeys fresh,
                           std::string& bytes) const {
  if (!sealed_) {
    encode_record(offset, record, bytes);
    return kDone;
  }
  return encode_sealed(offset, record, *options_.keys, fresh, bytes);
}

Result<std::uint64_t> RecordStore::version(std::string_view stream) {
  if (!database_) return Error{ErrorCode::kUnavailable, "The event log is not open."};
  std::string value;
  const auto status =
      (*database_)->Get({}, database_->versions(), {stream.data(), stream.size()}, &value);
  if (status.IsNotFound()) return std::uint64_t{0};
  std::uint64_t version = 0;
  if (status.ok() && value.size() == sizeof version) {
    std::memcpy(&version, value.data(), sizeof version);
    return version;
  }
  return Error{status.ok() || status.IsCorruption() ? ErrorCode::kDamaged : ErrorCode::kUnavailable,
               "The version of the stream " + std::string(stream) +
                   " cannot be read: " + status.ToString() + "."};
}

Status RecordStore::write(const std::vector<LoggedRecord>& records,
                          const std::vector<std::string>& encoded) {
  if (!database_) return Error{ErrorCode::kUnavailable, "The event log is not open."};
  std::size_t usual_bytes = 0;
  for (const auto& bytes : encoded) usual_bytes += bytes.size() + kUsualVersionBytes;
  rocksdb::WriteBatch batch(usual_bytes);
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto& logged = records[i];
    const std::uint64_t version = logged.record->envelope.stream_version + 1;
    const rocksdb::Slice version_bytes(reinterpret_cast<const char*>(&version), sizeof version);
    auto status =
        batch.Put(database_->records(), RecordKey(logged.position.offset).bytes(), encoded[i]);
    if (status.ok())
      status = batch.Put(database_->versions(), logged.record->stream, version_bytes);
    if (!status.ok()) return Error{ErrorCode::kUnavailable, status.ToString()};
  }
  rocksdb::WriteOptions durable;
  durable.sync = true;
  const auto status = (*database_)->Write(durable, &batch);
  if (!status.ok()) return Error{ErrorCode::kUnavailable, status.ToString()};
  end_ += std::ssize(records);
  return kDone;
}

Status RecordStore::adopt(const RecordTables& tables) {
  if (!database_) return Error{ErrorCode::kUnavailable, "The event log is not open."};
  if (end_ != 0) return Error{ErrorCode::kConflict, "The log is not empty."};
  if (sealed_) {
    if (const auto synced = options_.keys->sync(); !synced) return synced;
  }
  rocksdb::IngestExternalFileOptions options;
  options.move_files = true;
  rocksdb::IngestExternalFileArg records, versions;
  records.column_family = database_->records();
  for (const auto& path : tables.records) records.external_files.push_back(path);
  versions.column_family = database_->versions();
  versions.external_files = {tables.versions};
  records.options = versions.options = options;
  const auto status = (*database_)->IngestExternalFiles({records, versions});
  if (!status.ok()) return Error{ErrorCode::kUnavailable, status.ToString()};
  end_ = tables.count;
  return kDone;
}

Status RecordStore::reopen() {
  // What an archive frees can wait, and appends cannot. Only this thread replaces the database.
  if (database_) database_->end_reclaiming();
  const std::unique_lock alone(reopening_);
  database_.reset();
  has_failed_ = false;
  auto examined = examine();
  if (examined) return examined;
  if (auto readable = RecordDatabase::open(directory_, options_, RecordDatabase::For::kReading)) {
    database_ = std::move(*readable);
  }
  return examined;
}

Result<std::vector<LoggedRecord>> RecordStore::page(std::int64_t offset, std::int64_t end,
                                                    std::size_t limit) {
  if (offset < archive_.end()) return archive_.page(offset, end, limit);
  auto found = [&]() -> Result<std::vector<LoggedRecord>> {
    const std::shared_lock reading(reopening_);
    if (!database_) return Error{ErrorCode::kUnavailable, "The event log is not open."};
    return database_->page(offset, end, limit);
  }();
  // It may have been archived meanwhile.
  return found || offset >= archive_.end() ? found : archive_.page(offset, end, limit);
}

Status RecordStore::copy_to(const std::filesystem::path& directory) {
  rocksdb::Status status;
  {
    const std::shared_lock reading(reopening_);
    if (!database_) return Error{ErrorCode::kUnavailable, "The event log is not open."};
    rocksdb::Checkpoint* made = nullptr;
    status = rocksdb::Checkpoint::Create(&**database_, &made);
    const std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
    if (status.ok()) status = checkpoint->CreateCheckpoint(directory);
  }
  if (!status.ok()) {
    return Error{ErrorCode::kUnavailable, "The event log cannot be copied to " +
                                              directory.string() + ": " + status.ToString() + "."};
  }
  const auto cut = cut_writes_in_progress(directory);
  std::error_code ignored;
  if (!cut) std::filesystem::remove_all(directory, ignored);
  return cut;
}

Result<std::int64_t> RecordStore::archive(const ArchiveOrder& order, std::int64_t end) {
  if (const auto stored = store_earlier(order); !stored) return stored.error();
  while (archive_.end() < std::min(order.end, end)) {
    auto file = write_archive_file(order, std::min(order.end, end));
    if (!file) return file.error();
    if (!*file) break;
    if (const auto put = put_into_store(**file, (*file)->path); !put) return put.error();
    if (!order.goes_on("written", archive_.end())) return archiving_ended();
    auto files = archive_.files().files;
    files.push_back(std::move(**file));
    if (const auto listed = list_archived(files); !listed) return listed.error();
    if (!order.goes_on("listed", archive_.end())) return archiving_ended();
  }
  if (!order.goes_on("freeing", archive_.end())) return archiving_ended();
  const std::shared_lock reading(reopening_);
  if (!database_) return Error{ErrorCode::kUnavailable, "The event log is not open."};
  if (archive_.end() == 0) return archive_.end();
  const auto freed = database_->reclaim_archived();
  if (freed) return archive_.end();
  has_failed_ = true;
  return freed.error();
}

// Null: the next record is too new.
Result<std::optional<ArchivedFile>> RecordStore::write_archive_file(const ArchiveOrder& order,
                                                                    std::int64_t end) {
  std::int64_t offset = archive_.end();
  auto writer = ArchiveWriter::begin(order.directory, offset);
  if (!writer) return writer.error();
  std::uintmax_t bytes = 0;
  bool is_full = false;
  std::vector<std::string> taken;
  std::size_t taken_bytes = 0;
  const auto take = [&](const Record& record, std::string_view stored) -> Result<bool> {
    is_full =
        bytes >= order.file_bytes || (order.before && record.envelope.time.at >= order.before->at);
    if (is_full || taken_bytes >= kArchivedAtOnce) return false;
    bytes += stored.size();
    taken_bytes += stored.size();
    taken.emplace_back(stored);
    return true;
  };
  while (!is_full && offset < end) {
    {
      const std::shared_lock reading(reopening_);
      if (!database_) return Error{ErrorCode::kUnavailable, "The event log is not open."};
      const auto read = read_stored(*database_->iterator(), offset, end, take);
      if (!read) return read.error();
    }
    // reopen() must not wait until these are compressed.
    for (const auto& stored : taken) {
      if (const auto added = (*writer)->add(stored); !added) return added.error();
    }
    offset += std::ssize(taken);
    taken.clear();
    taken_bytes = 0;
    if (!order.goes_on("copied", offset)) return archiving_ended();
  }
  if (bytes == 0) return std::optional<ArchivedFile>();
  auto file = (*writer)->finish();
  if (!file) return file.error();
  return std::optional<ArchivedFile>(std::move(*file));
}

// Nothing: there is no store.
Status RecordStore::put_into_store(ArchivedFile& file, const std::filesystem::path& from) const {
  if (options_.archives.cache == nullptr) return kDone;
  const auto put = options_.archives.cache->put(file, from);
  if (!put) {
    return Error{put.error().code, "The file " + from.string() +
                                       " cannot be put into the store, so the log keeps what it "
                                       "has: " +
                                       put.error().message + "."};
  }
  file.stored = true;
  return kDone;
}

// Those that are missing or damaged stay as they are: a check tells.
Status RecordStore::store_earlier(const ArchiveOrder& order) {
  auto files = archive_.files().files;
  for (auto& file : files) {
    if (options_.archives.cache == nullptr || file.stored) continue;
    const auto from = archive_.fetch(file);
    if (!from) continue;
    if (const auto put = put_into_store(file, *from); !put) return put;
    if (const auto listed = list_archived(files); !listed) return listed;
    if (!order.goes_on("stored", archive_.end())) return archiving_ended();
  }
  return kDone;
}

Status RecordStore::list_archived(const std::vector<ArchivedFile>& all) {
  const std::shared_lock reading(reopening_);
  if (!database_) return Error{ErrorCode::kUnavailable, "The event log is not open."};
  const auto before = archive_.files();
  const ArchivedFiles files{.sealed = sealed_, .files = all};
  if (!continues(files, before)) {
    return Error{ErrorCode::kUnavailable, "Other records were archived meanwhile: archive again."};
  }
  archive_.set(files);  // first: readers must not look in vain for what the write removes
  auto listed = database_->set_archived(files);
  if (listed) return listed;
  has_failed_ = true;
  archive_.set(before);
  return listed;
}

}  // namespace tilth
