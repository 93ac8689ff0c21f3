// Copies of archived files that were fetched from their store, in a directory of its own.

#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "events/values/result.h"
#include "infra/embedded/archive_store.h"
#include "infra/embedded/archived_files.h"

namespace tilth {

// By which a store knows a file. It tells files of other logs apart that have the same records'
// offsets, so that none is put over another.
std::string name_in_store(const ArchivedFile& file);

// Operation: callers that want the same file wait for one fetch of it. The files that were fetched
// or asked for least recently are removed to make room for another one; one that is larger than
// the limit is there alone.
//
// Threads: any.
//
// Crash: a file has its name once it is whole and compared. Parts of others are removed at the
// start.
class ArchiveCache {
 public:
  struct Options {
    std::filesystem::path directory;  // made when it is needed
    std::uintmax_t limit_bytes = 1 << 30;
    std::function<void(std::string_view)> log_line = [](std::string_view) {};  // why a fetch failed
  };
  ArchiveCache(std::shared_ptr<ArchiveStore> store, Options options);

  // Where the file is if it is here.
  std::filesystem::path path_of(const ArchivedFile& file) const;

  // Fetches the file, unless it is here, and compares it with its size and hash. Where it is then:
  // another fetch may remove it.
  //
  //   kUnavailable  it cannot be fetched now. The message is the end of a sentence.
  //   kDamaged      the store returned something else.
  Result<std::filesystem::path> fetch(const ArchivedFile& file);

  // Puts the file at `from` into the store. kUnavailable: it may not be there; as above.
  Status put(const ArchivedFile& file, const std::filesystem::path& from);

  // Why the last fetch of that file failed; empty if it did not.
  std::string failure(const ArchivedFile& file) const;

  // Ends what is running, soon, and refuses what comes.
  void end() { store_->end(); }
  // As ArchiveStore::end_when().
  void end_when(std::function<bool()> asked) { store_->end_when(std::move(asked)); }

 private:
  using Fetched = Result<std::filesystem::path>;
  struct Kept {
    std::string name;
    std::uintmax_t bytes = 0;
  };

  Fetched get(const ArchivedFile& file);
  Status compare(const ArchivedFile& file, const std::filesystem::path& with) const;
  void keep(const Kept& added);
  void remember(const ArchivedFile& file, const Fetched& fetched);

  const std::shared_ptr<ArchiveStore> store_;
  const Options options_;
  mutable std::mutex mutex_;  // guards what follows
  std::list<Kept> kept_;      // the one that was used last in front
  std::map<std::string, std::shared_future<Fetched>> running_;
  std::map<std::string, std::string> failures_;
};

}  // namespace tilth
