#include "infra/embedded/log_archive.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <rocksdb/cache.h>
#include <rocksdb/options.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>
#include <unistd.h>

#include "infra/embedded/archive_cache.h"
#include "infra/embedded/record_key.h"
#include "infra/embedded/record_page.h"
#include "infra/system/directory_contents.h"
#include "infra/system/random.h"
#include "infra/system/whole_file.h"

namespace tilth {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kOpenTables = 32;
constexpr int kTries = 3;  // to open a file that the cache may remove meanwhile
constexpr std::size_t kRecordsBetweenChecks = 4'096;

// Older records are read seldom and in runs, so that smaller files are worth slower reading. With a
// dictionary, higher levels save next to nothing.
rocksdb::Options table_options() {
  rocksdb::BlockBasedTableOptions table;
  table.no_block_cache = true;
  table.block_size = 32 << 10;
  table.format_version = 5;
  table.checksum = rocksdb::kXXH3;
  rocksdb::Options options;
  options.compression = rocksdb::kZSTD;
  options.compression_opts.level = 3;
  options.compression_opts.max_dict_bytes = 32 << 10;
  options.compression_opts.zstd_max_train_bytes = 3 << 20;
  options.compression_opts.max_dict_buffer_bytes = 4 << 20;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

std::string range_of(const ArchivedFile& file) {
  return "the archived records from offset " + std::to_string(file.first) + " to " +
         std::to_string(file.end - 1);
}

// Clients may see these sentences, so they name no directory.
Error missing(const ArchivedFile& file) {
  return {ErrorCode::kUnavailable,
          "The file " + file.path.filename().string() + " with " + range_of(file) + " is missing."};
}

Error damaged(const ArchivedFile& file, const std::string& what) {
  return {ErrorCode::kDamaged, "The file " + file.path.filename().string() + " with " +
                                   range_of(file) + " is damaged: " + what + "."};
}

// `why` as the end of a sentence, or empty.
Error unfetched(const ArchivedFile& file, const Error& why) {
  return {why.code, "The file " + file.path.filename().string() + " with " + range_of(file) +
                        " cannot be fetched from its store" +
                        (why.message.empty() ? "" : ": " + why.message) + "."};
}

Error check_ended() { return {ErrorCode::kUnavailable, "The check of the event log was ended."}; }

Error unavailable(const fs::path& path, const std::string& what) {
  return {ErrorCode::kUnavailable, path.string() + " cannot be written: " + what + "."};
}

// Another log may write a file of the same name at the same time.
std::uint64_t random_number() {
  std::uint64_t number = 0;
  fill_random(reinterpret_cast<std::uint8_t*>(&number), sizeof number);
  return number;
}

// Replaces no file, which another log may have listed. Returns 0 or what errno was.
int rename_new(const fs::path& from, const fs::path& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  if (::link(from.c_str(), to.c_str()) != 0) return errno;
  ::unlink(from.c_str());
  return 0;
}

std::string name_of(std::int64_t first) {
  std::array<char, 32> name = {};
  std::snprintf(name.data(), name.size(), "%015lld.records", static_cast<long long>(first));
  return name.data();
}

// The place of the file with a record, in a list of them.
const ArchivedFile* file_with(const ArchivedFiles& files, std::int64_t offset) {
  const auto after =
      std::upper_bound(files.files.begin(), files.files.end(), offset,
                       [](std::int64_t at, const auto& file) { return at < file.end; });
  return after == files.files.end() ? nullptr : &*after;
}

}  // namespace

class LogArchive::Table {
 public:
  explicit Table(fs::path path) : path_(std::move(path)), reader_(table_options()) {}

  rocksdb::Status open() { return reader_.Open(path_); }
  const fs::path& path() const { return path_; }
  std::unique_ptr<rocksdb::Iterator> iterator() {
    rocksdb::ReadOptions options;
    options.fill_cache = false;
    return std::unique_ptr<rocksdb::Iterator>(reader_.NewIterator(options));
  }

 private:
  const fs::path path_;
  rocksdb::SstFileReader reader_;
};

LogArchive::LogArchive(ArchivePlaces places, std::shared_ptr<OwnerKeys> keys)
    : places_(std::move(places)), keys_(std::move(keys)) {}

LogArchive::~LogArchive() = default;

void LogArchive::set(ArchivedFiles files) {
  const std::lock_guard lock(mutex_);
  files_ = std::move(files);
}

ArchivedFiles LogArchive::files() const {
  const std::lock_guard lock(mutex_);
  return files_;
}

std::int64_t LogArchive::end() const {
  const std::lock_guard lock(mutex_);
  return files_.end();
}

// In another place a file of that name may be another log's, or not be copied there whole yet.
std::vector<fs::path> LogArchive::candidates(const ArchivedFile& file) const {
  auto all = places_.directories;
  for (auto& place : all) place /= file.path.filename();
  all.push_back(file.path);
  std::erase_if(all, [&](const auto& path) {
    std::error_code failed;
    const auto bytes = fs::file_size(path, failed);
    return failed || bytes != file.bytes;
  });
  return all;
}

Result<fs::path> LogArchive::find(const ArchivedFile& file) const {
  const auto all = candidates(file);
  if (!all.empty()) return all.front();
  std::error_code failed;
  const auto bytes = fs::file_size(file.path, failed);
  if (failed) return missing(file);
  return damaged(
      file, "it has " + std::to_string(bytes) + " bytes, and not " + std::to_string(file.bytes));
}

// The first that has the content.
Result<fs::path> LogArchive::find_verified(const ArchivedFile& file) const {
  const auto first = find(file);
  if (!first) return first;
  for (const auto& path : candidates(file)) {
    const auto hash = hash_of_file(path);
    if (!hash) return hash.error();
    if (*hash == file.hash) return path;
  }
  return damaged(file, "its content is not what was written");
}

bool LogArchive::can_be_fetched(const ArchivedFile& file) const {
  return file.stored && places_.cache != nullptr;
}

Result<fs::path> LogArchive::fetch(const ArchivedFile& file) const {
  auto found = find_verified(file);
  if (found || !can_be_fetched(file)) return found;
  auto fetched = places_.cache->fetch(file);
  return fetched ? fetched : Path(unfetched(file, fetched.error()));
}

ArchivedPlace LogArchive::place(const ArchivedFile& file) const {
  const auto found = find(file);
  ArchivedPlace place{.path = found ? *found : file.path,
                      .is_local = static_cast<bool>(found),
                      .stored_as = file.stored ? name_in_store(file) : "",
                      .can_be_fetched = can_be_fetched(file)};
  if (found) return place;
  if (!place.can_be_fetched) {
    place.problem = found.error().message;
  } else if (const auto failure = places_.cache->failure(file); !failure.empty()) {
    place.problem = unfetched(file, {ErrorCode::kUnavailable, failure}).message;
  }
  return place;
}

void LogArchive::note(const ArchivedFile& file, bool is_missing) {
  const std::lock_guard lock(mutex_);
  if (is_missing) {
    missing_.insert(file.first);
  } else {
    missing_.erase(file.first);
  }
}

// Null: it is not open.
std::shared_ptr<LogArchive::Table> LogArchive::open_table(const ArchivedFile& file) {
  const std::lock_guard lock(mutex_);
  const auto open = std::find_if(tables_.begin(), tables_.end(),
                                 [&](const auto& each) { return each.first == file; });
  if (open == tables_.end()) return nullptr;
  tables_.splice(tables_.begin(), tables_, open);
  return open->second;
}

Result<std::shared_ptr<LogArchive::Table>> LogArchive::table(const ArchivedFile& file,
                                                             const Locate& locate) {
  if (auto open = open_table(file)) return open;
  for (int tries = kTries;; --tries) {
    const auto path = locate();
    note(file, !path);
    if (!path) return path.error();
    auto opened = std::make_shared<Table>(*path);
    const auto status = opened->open();
    std::error_code failed;
    if (!status.ok() && tries > 1 && !fs::exists(*path, failed)) continue;
    if (status.IsCorruption()) return damaged(file, status.ToString());
    if (!status.ok()) {
      return Error{ErrorCode::kUnavailable,
                   path->string() + " cannot be read: " + status.ToString() + "."};
    }
    close_removed();
    const std::lock_guard lock(mutex_);
    verified_.insert(file.hash);
    tables_.emplace_front(file, opened);
    if (tables_.size() > kOpenTables) tables_.pop_back();
    return opened;
  }
}

// An open file that was removed from the cache would still take space. Looks without the lock, or
// one disk that hangs would hold up those who read from others.
void LogArchive::close_removed() {
  std::vector<fs::path> paths;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [file, table] : tables_) paths.push_back(table->path());
  }
  std::error_code failed;
  std::erase_if(paths, [&](const auto& path) { return fs::exists(path, failed); });
  const std::lock_guard lock(mutex_);
  std::erase_if(tables_, [&](const auto& each) {
    return std::ranges::find(paths, each.second->path()) != paths.end();
  });
}

Result<std::vector<LoggedRecord>> LogArchive::page(std::int64_t offset, std::int64_t end,
                                                   std::size_t limit) {
  const auto files = this->files();
  const auto* file = file_with(files, offset);
  if (file == nullptr) {
    return Error{ErrorCode::kUnavailable,
                 "Offset " + std::to_string(offset) + " is not in the archive."};
  }
  const auto open = table(*file, [&]() -> Path {
    bool is_verified = false;
    {
      const std::lock_guard lock(mutex_);
      is_verified = verified_.contains(file->hash);
    }
    auto found = is_verified && candidates(*file).size() == 1 ? find(*file) : find_verified(*file);
    if (found || !can_be_fetched(*file)) return found;
    // Why it failed is logged: it may tell of the store what clients should not see.
    auto fetched = places_.cache->fetch(*file);
    return fetched ? fetched : Path(unfetched(*file, {fetched.error().code, ""}));
  });
  if (!open) return open.error();
  return read_page(*(*open)->iterator(), offset, std::min(end, file->end), limit, keys_.get());
}

Status LogArchive::look() {
  Status first = kDone;
  for (const auto& file : files().files) {
    const auto path = find(file);
    if (!path && can_be_fetched(file)) continue;
    note(file, !path);
    if (!path && first) first = path.error();
  }
  return first;
}

Status LogArchive::check(bool fetches, const std::function<bool(std::int64_t checked)>& goes_on) {
  if (const auto there = look(); !there) return there;
  for (const auto& file : files().files) {
    const bool is_local = static_cast<bool>(find(file));
    if (is_local || fetches) {
      if (const auto sound = check(file, is_local, goes_on); !sound) return sound;
    } else if (!goes_on(file.end)) {
      return check_ended();
    }
  }
  return kDone;
}

// A damaged file is told, though it could be fetched.
Status LogArchive::check(const ArchivedFile& file, bool is_local,
                         const std::function<bool(std::int64_t checked)>& goes_on) {
  for (const auto& path : candidates(file)) drop_cached_pages(path);
  {
    const std::lock_guard lock(mutex_);
    verified_.erase(file.hash);
    std::erase_if(tables_, [&](const auto& each) { return each.first == file; });
  }
  const auto open = table(file, [&] { return is_local ? find_verified(file) : fetch(file); });
  if (!open) return open.error();
  const auto at = (*open)->iterator();
  for (auto offset = file.first; offset < file.end;) {
    const auto page = read_page(*at, offset, file.end, kRecordsBetweenChecks, keys_.get());
    if (!page) return page.error();
    offset += std::ssize(*page);
    if (!goes_on(offset)) return check_ended();
  }
  return kDone;
}

ArchiveState LogArchive::state() const {
  const std::lock_guard lock(mutex_);
  ArchiveState state{.records = files_.end(),
                     .files = std::ssize(files_.files),
                     .missing_files = std::ssize(missing_)};
  for (const auto& file : files_.files) state.bytes += file.bytes;
  return state;
}

class ArchiveWriter::Table {
 public:
  Table() : writer_(rocksdb::EnvOptions(), table_options()) {}
  rocksdb::SstFileWriter& operator*() { return writer_; }
  rocksdb::SstFileWriter* operator->() { return &writer_; }

 private:
  rocksdb::SstFileWriter writer_;
};

Result<std::unique_ptr<ArchiveWriter>> ArchiveWriter::begin(const fs::path& directory,
                                                            std::int64_t first) {
  std::error_code failed;
  if (!fs::is_directory(directory, failed)) {
    return Error{ErrorCode::kInvalid, "There is no directory " + directory.string() + "."};
  }
  if (directory.string().find('\n') != std::string::npos) {
    return Error{ErrorCode::kInvalid, "A directory's name must be one line."};
  }
  std::unique_ptr<ArchiveWriter> writer(new ArchiveWriter(directory / name_of(first), first));
  const auto status = (*writer->table_)->Open(writer->partial_);
  if (!status.ok()) return unavailable(writer->partial_, status.ToString());
  return writer;
}

ArchiveWriter::ArchiveWriter(fs::path path, std::int64_t first)
    : path_(std::move(path)),
      partial_(fs::path(path_) += ".partial-" + std::to_string(random_number())),
      first_(first),
      end_(first),
      table_(std::make_unique<Table>()) {}

ArchiveWriter::~ArchiveWriter() {
  table_.reset();
  std::error_code ignored;
  fs::remove(partial_, ignored);
}

Status ArchiveWriter::add(std::string_view bytes) {
  const auto status = (*table_)->Put(RecordKey(end_).bytes(), {bytes.data(), bytes.size()});
  if (!status.ok()) return unavailable(partial_, status.ToString());
  ++end_;
  return kDone;
}

Result<ArchivedFile> ArchiveWriter::finish() {
  if (const auto status = (*table_)->Finish(); !status.ok()) {
    return unavailable(partial_, status.ToString());
  }
  if (const auto synced = sync_file(partial_); !synced) return synced.error();
  auto written = describe(partial_);
  if (!written) return written;
  const int failed = rename_new(partial_, path_);
  if (failed == EEXIST) return take_over();
  if (failed != 0) return unavailable(path_, std::generic_category().message(failed));
  if (const auto durable = sync_directory(path_.parent_path()); !durable) return durable.error();
  written->path = path_;
  return written;
}

// Reads back what was written, as the disk has it.
Result<ArchivedFile> ArchiveWriter::describe(const fs::path& path) const {
  drop_cached_pages(path);
  ArchivedFile file{.first = first_, .end = end_, .path = path};
  const auto hash = hash_of_file(path);
  if (!hash) return hash.error();
  file.hash = *hash;
  std::error_code failed;
  file.bytes = fs::file_size(path, failed);
  if (failed) return Error{ErrorCode::kUnavailable, path.string() + " cannot be read."};
  LogArchive archive({}, nullptr);
  archive.set({.files = {file}});
  const auto sound = archive.check(false, [](auto) { return true; });
  return sound ? Result<ArchivedFile>(file) : Result<ArchivedFile>(sound.error());
}

// What is there may be listed by another log, such as one that was restored from a copy of this
// one. It is never written over.
Result<ArchivedFile> ArchiveWriter::take_over() const {
  if (const auto synced = sync_file(path_); !synced) return synced.error();
  if (const auto durable = sync_directory(path_.parent_path()); !durable) return durable.error();
  drop_cached_pages(path_);
  LogArchive::Table own(partial_), other(path_);
  const auto opened = own.open();
  const Error conflict{ErrorCode::kConflict,
                       path_.string() + " exists, and holds the records of another log."};
  if (!opened.ok() || !other.open().ok()) return conflict;
  const auto mine = own.iterator(), theirs = other.iterator();
  auto end = first_;
  for (mine->SeekToFirst(), theirs->SeekToFirst(); mine->Valid() && theirs->Valid();
       mine->Next(), theirs->Next(), ++end) {
    if (mine->key() != theirs->key() || mine->value() != theirs->value()) return conflict;
  }
  if (!mine->status().ok() || !theirs->status().ok() || end == first_) return conflict;
  const auto hash = hash_of_file(path_);
  if (!hash) return hash.error();
  std::error_code failed;
  const auto bytes = fs::file_size(path_, failed);
  if (failed) return Error{ErrorCode::kUnavailable, path_.string() + " cannot be read."};
  return ArchivedFile{first_, end, bytes, *hash, path_};
}

}  // namespace tilth
