#include "infra/rocksdb/compaction.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace tilth {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{20};

// Of those on disk; nothing if the directory cannot be read. A file that is still being written is
// taken for one of them.
std::optional<std::set<std::string>> replaced_files(rocksdb::DB& db) {
  std::set<std::string> names;
  std::error_code failed;
  for (std::filesystem::directory_iterator entry(db.GetName(), failed), end;
       !failed && entry != end; entry.increment(failed)) {
    if (entry->path().extension() == ".sst") names.insert(entry->path().filename());
  }
  if (failed) return std::nullopt;
  std::vector<rocksdb::LiveFileMetaData> live;
  db.GetLiveFilesMetaData(&live);
  for (const auto& file : live) names.erase(file.relative_filename);
  return names;
}

rocksdb::Status wait_for_removal(rocksdb::DB& db, std::optional<std::set<std::string>> files,
                                 const std::function<bool()>& goes_on) {
  const auto are_removed = [&] {
    const auto left = replaced_files(db);
    if (!left) files.reset();
    if (files) std::erase_if(*files, [&](const auto& name) { return !left->contains(name); });
    return !files || files->empty();
  };
  if (!wait_until(are_removed, goes_on)) {
    return rocksdb::Status::Incomplete("files that were replaced are still read");
  }
  if (!files) return rocksdb::Status::IOError(db.GetName(), "the directory cannot be read");
  return rocksdb::Status::OK();
}

}  // namespace

bool wait_until(const std::function<bool()>& ended, const std::function<bool()>& goes_on) {
  while (!ended()) {
    if (!goes_on()) return false;
    std::this_thread::sleep_for(kBetweenLooks);
  }
  return true;
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

}  // namespace tilth
