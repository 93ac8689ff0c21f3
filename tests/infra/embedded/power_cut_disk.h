// A disk that loses power: of what RocksDB has written to it, only what was synced is sure to stay.

#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <ranges>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>
#include <rocksdb/system_clock.h>

namespace tilth::testing {

// Threads: any, but cut() only once nothing uses it.
class PowerCutDisk final : public rocksdb::FileSystemWrapper {
 public:
  PowerCutDisk() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}

  const char* Name() const override { return "PowerCutDisk"; }

  // The power goes instead of the operation that is so many from now.
  void goes_after(std::int64_t operations) {
    left_ = operations;
    off_ = false;
  }
  bool is_off() const { return off_; }

  // An operation, also of what else is on this disk. False: there is no power for it.
  bool operates() {
    if (left_-- <= 0 && !off_.exchange(true) && when_off) when_off();
    return !off_;
  }
  // Set it while nothing uses the disk. Threads: any.
  std::function<void()> when_off;
  // Syncs succeed, and nothing is synced by them. Set it as above.
  bool leaves_syncs_out = false;

  // What is on the disk once there is power again. What was not synced is there up to some byte, or
  // is something else, and of each write into the middle of a file some part may be there; a file
  // whose directory was not synced may be gone. Of a manifest it is never
  // something else: RocksDB 7.8 opens one whose tail is torn, but none with other bytes there
  // (docs/consistency.md).
  void cut(std::mt19937_64& chance) {
    for (const auto& [name, sizes] : files_) {
      if (!std::filesystem::exists(name)) continue;
      if (unlisted_.contains(name) && chance() % 2 == 0) {
        std::filesystem::remove(name);
        continue;
      }
      take_back(name, sizes.unsynced, chance);
      const auto length = std::filesystem::file_size(name);
      const auto synced = std::min<std::uint64_t>(sizes.synced, length);
      std::filesystem::resize_file(name, synced + chance() % (length - synced + 1));
      if (length > synced && chance() % 4 == 0 && !is_manifest(name)) {
        std::ofstream file(name, std::ios::binary | std::ios::app);
        file << std::string(chance() % 100, chance() % 2 == 0 ? '\0' : 'x');
      }
    }
    files_.clear();
    unlisted_.clear();
  }

  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override {
    if (!operates()) return failure();
    std::unique_ptr<rocksdb::FSWritableFile> real;
    auto status = target()->NewWritableFile(name, options, &real, debug);
    if (!status.ok()) return status;
    {
      const std::lock_guard lock(mutex_);
      files_[name] = {};
      unlisted_.insert(name);
    }
    *file = std::make_unique<File>(std::move(real), *this, name);
    return status;
  }

  rocksdb::IOStatus NewDirectory(const std::string& name, const rocksdb::IOOptions& options,
                                 std::unique_ptr<rocksdb::FSDirectory>* directory,
                                 rocksdb::IODebugContext* debug) override {
    std::unique_ptr<rocksdb::FSDirectory> real;
    auto status = target()->NewDirectory(name, options, &real, debug);
    if (status.ok()) *directory = std::make_unique<Directory>(std::move(real), *this);
    return status;
  }

  // Is kept at once, as RocksDB syncs the directory right afterwards; and then so is what happened
  // to the directory before.
  rocksdb::IOStatus RenameFile(const std::string& from, const std::string& to,
                               const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override {
    if (!operates()) return failure();
    auto status = target()->RenameFile(from, to, options, debug);
    const std::lock_guard lock(mutex_);
    if (auto renamed = files_.extract(from); status.ok() && renamed) {
      files_[to] = renamed.mapped();
      unlisted_.clear();
    }
    return status;
  }

  rocksdb::IOStatus DeleteFile(const std::string& name, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override {
    return operates() ? target()->DeleteFile(name, options, debug) : failure();
  }

 private:
  // A write that replaced what was there.
  struct Replaced {
    std::uint64_t at;
    std::string former, bytes;
  };
  struct Sizes {
    std::uint64_t written = 0, synced = 0;
    std::vector<Replaced> unsynced = {};  // the oldest first
  };

  class File final : public rocksdb::FSWritableFileOwnerWrapper {
   public:
    File(std::unique_ptr<rocksdb::FSWritableFile> file, PowerCutDisk& disk, std::string name)
        : FSWritableFileOwnerWrapper(std::move(file)), disk_(disk), name_(std::move(name)) {}

    rocksdb::IOStatus Append(const rocksdb::Slice& bytes, const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* debug) override {
      if (!disk_.operates()) return failure();
      auto status = target()->Append(bytes, options, debug);
      if (status.ok()) disk_.note(name_, [&](Sizes& its) { its.written += bytes.size(); });
      return status;
    }
    rocksdb::IOStatus Append(const rocksdb::Slice& bytes, const rocksdb::IOOptions& options,
                             const rocksdb::DataVerificationInfo&,
                             rocksdb::IODebugContext* debug) override {
      return Append(bytes, options, debug);
    }
    rocksdb::IOStatus PositionedAppend(const rocksdb::Slice& bytes, std::uint64_t at,
                                       const rocksdb::IOOptions& options,
                                       rocksdb::IODebugContext* debug) override {
      if (!disk_.operates()) return failure();
      std::string former(bytes.size(), '\0');
      std::ifstream(name_, std::ios::binary)
          .seekg(static_cast<std::streamoff>(at))
          .read(former.data(), static_cast<std::streamsize>(former.size()));
      auto status = target()->PositionedAppend(bytes, at, options, debug);
      if (!status.ok()) return status;
      disk_.note(name_, [&](Sizes& its) {
        its.written = std::max(its.written, at + bytes.size());
        its.unsynced.push_back({at, std::move(former), bytes.ToString()});
      });
      return status;
    }
    rocksdb::IOStatus Truncate(std::uint64_t size, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override {
      if (!disk_.operates()) return failure();
      auto status = target()->Truncate(size, options, debug);
      if (status.ok()) disk_.note(name_, [&](Sizes& its) { its.written = size; });
      return status;
    }
    rocksdb::IOStatus Sync(const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* debug) override {
      if (!disk_.operates()) return failure();
      auto status = target()->Flush(options, debug);  // nothing needs to reach the real disk
      if (status.ok() && !disk_.leaves_syncs_out) {
        disk_.note(name_, [](Sizes& its) {
          its.synced = its.written;
          its.unsynced.clear();
        });
      }
      return status;
    }
    rocksdb::IOStatus Fsync(const rocksdb::IOOptions& options,
                            rocksdb::IODebugContext* debug) override {
      return Sync(options, debug);
    }

   private:
    PowerCutDisk& disk_;
    const std::string name_;
  };

  class Directory final : public rocksdb::FSDirectoryWrapper {
   public:
    Directory(std::unique_ptr<rocksdb::FSDirectory> directory, PowerCutDisk& disk)
        : FSDirectoryWrapper(std::move(directory)), disk_(disk) {}

    rocksdb::IOStatus Fsync(const rocksdb::IOOptions&, rocksdb::IODebugContext*) override {
      if (!disk_.operates()) return failure();
      const std::lock_guard lock(disk_.mutex_);
      disk_.unlisted_.clear();  // all files are in one directory
      return rocksdb::IOStatus::OK();
    }
    rocksdb::IOStatus FsyncWithDirOptions(const rocksdb::IOOptions& options,
                                          rocksdb::IODebugContext* debug,
                                          const rocksdb::DirFsyncOptions&) override {
      return Fsync(options, debug);
    }

   private:
    PowerCutDisk& disk_;
  };

  // Of each write a part from its beginning is there, the whole of it, or nothing.
  static void take_back(const std::string& name, const std::vector<Replaced>& unsynced,
                        std::mt19937_64& chance) {
    std::fstream file(name, std::ios::binary | std::ios::in | std::ios::out);
    for (const auto& write : unsynced | std::views::reverse) {
      file.seekp(static_cast<std::streamoff>(write.at)) << write.former;
    }
    for (const auto& write : unsynced) {
      const auto kept = chance() % 2 == 0 ? write.bytes.size() : chance() % write.bytes.size();
      file.seekp(static_cast<std::streamoff>(write.at)) << write.bytes.substr(0, kept);
    }
  }

  static bool is_manifest(const std::string& name) {
    return std::filesystem::path(name).filename().string().starts_with("MANIFEST-");
  }

  static rocksdb::IOStatus failure() { return rocksdb::IOStatus::IOError("There is no power"); }

  template <class Change>
  void note(const std::string& name, const Change& change) {
    const std::lock_guard lock(mutex_);
    change(files_[name]);
  }

  std::atomic<std::int64_t> left_ = 0;
  std::atomic<bool> off_ = false;
  std::mutex mutex_;
  std::map<std::string, Sizes> files_;  // by name, since there was power
  std::set<std::string> unlisted_;      // those whose directory was not synced since
};

// RocksDB with that disk. It waits a second after each write in the background that failed, which
// is left out here.
class PowerCutEnv : public rocksdb::EnvWrapper {
 public:
  explicit PowerCutEnv(std::shared_ptr<PowerCutDisk> disk) : EnvWrapper(rocksdb::Env::Default()) {
    file_system_ = std::move(disk);
    system_clock_ = std::make_shared<Clock>();
  }

  const char* Name() const override { return "PowerCutEnv"; }

 private:
  class Clock final : public rocksdb::SystemClockWrapper {
   public:
    Clock() : SystemClockWrapper(rocksdb::SystemClock::Default()) {}
    const char* Name() const override { return "PowerCutClock"; }
    void SleepForMicroseconds(int) override {}
  };
};

}  // namespace tilth::testing
