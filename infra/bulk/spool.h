// Buffers records between the log and the fold, by bucket, in an unnamed file.

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "events/log/event_log.h"
#include "infra/system/descriptor.h"

namespace tilth {

// Stores only the parts of a record that folding needs: no id and no source.
//
// Threads: one writes; after end() any may read. Crash: nothing is left.
class Spool {
 public:
  // kUnavailable: no file could be created in `directory`.
  static Result<std::unique_ptr<Spool>> make(const std::filesystem::path& directory,
                                             std::size_t buckets);

  // kUnavailable: for example, the disk is full.
  Status add(std::size_t bucket, const LoggedRecord& logged);
  Status end();

  // Bytes on disk so far.
  std::uint64_t bytes() const { return bytes_; }

  // Reads a bucket's records in the order in which they were added.
  class Reader;

 private:
  struct Chunk {
    std::uint64_t at;
    std::size_t size;
  };
  struct Bucket {
    std::string pending;
    std::vector<Chunk> chunks;
  };

  Spool(Descriptor file, std::size_t buckets) : file_(std::move(file)), buckets_(buckets) {}
  Status flush(Bucket& bucket);

  Descriptor file_;
  std::vector<Bucket> buckets_;
  std::uint64_t bytes_ = 0;
};

class Spool::Reader {
 public:
  Reader(const Spool& spool, std::size_t bucket)
      : file_(spool.file_.get()), bucket_(spool.buckets_.at(bucket)) {}

  // Reads the next record, whose content and position replace these; false at the end.
  // kUnavailable: it cannot be read.
  Result<bool> next(Position& position, Record& record);

 private:
  const int file_;
  const Bucket& bucket_;
  std::size_t chunk_ = 0;
  std::string bytes_;
  std::string_view rest_;
};

}  // namespace tilth
