// Records on their way from the log to the fold, dealt out to buckets, in a file that has no name.

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "events/log/event_log.h"
#include "infra/http/descriptor.h"

namespace tilth {

// Of a record only what folding it takes: no id, nor where it came from.
//
// Threads: one writes; once it has ended, any may read. Crash: nothing is left.
class Spool {
 public:
  // kUnavailable: no file could be made in `directory`.
  static Result<std::unique_ptr<Spool>> make(const std::filesystem::path& directory,
                                             std::size_t buckets);

  // kUnavailable: the disk is full, say.
  Status add(std::size_t bucket, const LoggedRecord& logged);
  Status end();

  // What is on disk so far.
  std::uint64_t bytes() const { return bytes_; }

  // Walks a bucket's records in the order in which they came.
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

  // The next one into `logged`, over what was there; false at the end. kUnavailable: it cannot be
  // read.
  Result<bool> next(LoggedRecord& logged);

 private:
  const int file_;
  const Bucket& bucket_;
  std::size_t chunk_ = 0;
  std::string bytes_;
  std::string_view rest_;
};

}  // namespace tilth
