// The older records of an embedded log, in files outside its database.

#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "events/log/event_log.h"
#include "infra/embedded/archived_files.h"
#include "infra/keys/owner_keys.h"

namespace tilth {

// What operators see of it.
struct ArchiveState {
  std::int64_t records = 0;
  std::int64_t files = 0;
  std::uintmax_t bytes = 0;
  std::int64_t missing_files = 0;  // at the last look at each
};

// Where a file is.
struct ArchivedPlace {
  std::filesystem::path path = {};  // or where it was put
  bool is_local = false;
  std::string stored_as = {};  // by which its store knows it; empty: it is in none
  bool can_be_fetched = false;
  std::string problem = {};  // why it cannot be read; empty: as far as is known, it can
};

// Operation: finds the file that has a record, compares the whole file with its hash when it is
// first read, and reads records from it. A file that cannot be found is looked for again at each
// reading, so that a disk may come back. One that is in a store is fetched from there instead.
//
// Memory: the indexes of the files that were read last.
//
// Threads: any. Calls that read may take as long as a fetch does, so none may be made with a lock
// that others need. Changes nothing on the disk but the cache of what was fetched.
class LogArchive {
 public:
  LogArchive(ArchivePlaces places, std::shared_ptr<OwnerKeys> keys);
  ~LogArchive();

  void set(ArchivedFiles files);
  ArchivedFiles files() const;

  std::int64_t end() const;

  // Records before end(), as RecordStore::page(). kUnavailable: also, their file is missing.
  // kDamaged: also, it is another file; each message names the file.
  Result<std::vector<LoggedRecord>> page(std::int64_t offset, std::int64_t end, std::size_t limit);

  // Looks whether each file is there and has its size, or can be fetched, as far as is known. The
  // error is that of the first that cannot.
  Status look();

  // Reads all of it back, from the disk and not from the kernel's cache, and passes over files that
  // would have to be fetched, unless it `fetches`. Opens what is sealed if there are keys.
  // `goes_on` is called with the offset reached; false ends it with kUnavailable. Errors: as
  // page().
  Status check(bool fetches, const std::function<bool(std::int64_t checked)>& goes_on);

  // Where the file is on a disk. kUnavailable: it is missing. kDamaged: its size is another.
  Result<std::filesystem::path> find(const ArchivedFile& file) const;

  // Where it is, with the content that was written, after a fetch if need be. Errors: as page(),
  // but the message may say more than clients should see.
  Result<std::filesystem::path> fetch(const ArchivedFile& file) const;

  ArchivedPlace place(const ArchivedFile& file) const;

  ArchiveState state() const;

 private:
  friend class ArchiveWriter;
  class Table;
  using Path = Result<std::filesystem::path>;
  using Locate = std::function<Path()>;

  std::vector<std::filesystem::path> candidates(const ArchivedFile& file) const;
  bool can_be_fetched(const ArchivedFile& file) const;
  Path find_verified(const ArchivedFile& file) const;
  std::shared_ptr<Table> open_table(const ArchivedFile& file);
  Result<std::shared_ptr<Table>> table(const ArchivedFile& file, const Locate& locate);
  void close_removed();
  Status check(const ArchivedFile& file, bool is_local,
               const std::function<bool(std::int64_t checked)>& goes_on);
  void note(const ArchivedFile& file, bool is_missing);

  const ArchivePlaces places_;
  const std::shared_ptr<OwnerKeys> keys_;
  mutable std::mutex mutex_;  // guards what follows
  ArchivedFiles files_;
  std::set<std::int64_t> missing_;  // their first records
  // Of files that were read lately, the last first.
  std::list<std::pair<ArchivedFile, std::shared_ptr<Table>>> tables_;
  std::set<std::string> verified_;  // hashes
};

// Writes the file FIRST.records of consecutive records, and reads it back from the disk before it
// gets its name. Belongs to one thread.
//
// Crash: the file exists completely or not at all; `….partial-N` may remain, and nothing reads it.
class ArchiveWriter {
 public:
  // `first` is the offset of its first record. kInvalid: `directory` does not exist.
  // kUnavailable: a disk error.
  static Result<std::unique_ptr<ArchiveWriter>> begin(const std::filesystem::path& directory,
                                                      std::int64_t first);
  ~ArchiveWriter();

  // `bytes`: the next record, as it is stored. kUnavailable.
  Status add(std::string_view bytes);

  // A file of that name that is there already, as a kill leaves it, is never changed: it is taken
  // in place of the new one if their records are the same as far as both reach. The result says how
  // far that is. kConflict: they are not. kUnavailable, kDamaged: what was written cannot be read.
  Result<ArchivedFile> finish();

 private:
  class Table;

  ArchiveWriter(std::filesystem::path path, std::int64_t first);
  Result<ArchivedFile> describe(const std::filesystem::path& path) const;
  Result<ArchivedFile> take_over() const;

  const std::filesystem::path path_;
  const std::filesystem::path partial_;
  const std::int64_t first_;
  std::int64_t end_;
  std::unique_ptr<Table> table_;
};

}  // namespace tilth
