// A disk that fails when a test says so, for the files that RocksDB writes.

#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

namespace tilth::testing {

// Threads: any. Reads always succeed.
class FaultyDisk final : public rocksdb::FileSystemWrapper {
 public:
  enum class Fault {
    kNone,
    kFull,      // nothing can be written, synced or created
    kHalfFull,  // as kFull, but half of the first write arrives
    kSync,      // what is written arrives, but no sync succeeds
    kBroken,    // as kFull, for another reason
  };

  FaultyDisk() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}

  const char* Name() const override { return "FaultyDisk"; }

  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override {
    // RocksDB's own info log must not fail, so it is excluded.
    if (name.ends_with("LOG")) return target()->NewWritableFile(name, options, file, debug);
    if (auto failed = failure(); !failed.ok() && fault != Fault::kSync) return failed;
    std::unique_ptr<rocksdb::FSWritableFile> real;
    auto status = target()->NewWritableFile(name, options, &real, debug);
    if (status.ok()) *file = std::make_unique<File>(std::move(real), *this);
    return status;
  }

  std::atomic<Fault> fault = Fault::kNone;

 private:
  class File final : public rocksdb::FSWritableFileOwnerWrapper {
   public:
    File(std::unique_ptr<rocksdb::FSWritableFile> file, FaultyDisk& disk)
        : FSWritableFileOwnerWrapper(std::move(file)), disk_(disk) {}

    rocksdb::IOStatus Append(const rocksdb::Slice& bytes, const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* debug) override {
      return write(bytes, [&](const rocksdb::Slice& these) {
        return target()->Append(these, options, debug);
      });
    }
    rocksdb::IOStatus Append(const rocksdb::Slice& bytes, const rocksdb::IOOptions& options,
                             const rocksdb::DataVerificationInfo&,
                             rocksdb::IODebugContext* debug) override {
      return Append(bytes, options, debug);
    }
    rocksdb::IOStatus PositionedAppend(const rocksdb::Slice& bytes, std::uint64_t at,
                                       const rocksdb::IOOptions& options,
                                       rocksdb::IODebugContext* debug) override {
      return write(bytes, [&](const rocksdb::Slice& these) {
        return target()->PositionedAppend(these, at, options, debug);
      });
    }
    rocksdb::IOStatus Sync(const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* debug) override {
      auto failed = disk_.failure();
      return failed.ok() ? target()->Sync(options, debug) : failed;
    }
    rocksdb::IOStatus Fsync(const rocksdb::IOOptions& options,
                            rocksdb::IODebugContext* debug) override {
      return Sync(options, debug);
    }

   private:
    template <class Write>
    rocksdb::IOStatus write(const rocksdb::Slice& bytes, const Write& really) {
      auto failed = disk_.failure();
      if (failed.ok() || disk_.fault == Fault::kSync) return really(bytes);
      if (disk_.fault != Fault::kHalfFull) return failed;
      really({bytes.data(), bytes.size() / 2}).PermitUncheckedError();
      disk_.fault = Fault::kFull;
      return failed;
    }

    FaultyDisk& disk_;
  };

  rocksdb::IOStatus failure() const {
    switch (fault.load()) {
      case Fault::kNone:
        return rocksdb::IOStatus::OK();
      case Fault::kFull:
      case Fault::kHalfFull:
        return rocksdb::IOStatus::NoSpace("No space left on device");
      case Fault::kSync:
      case Fault::kBroken:
        break;
    }
    return rocksdb::IOStatus::IOError("Input/output error");
  }
};

}  // namespace tilth::testing
