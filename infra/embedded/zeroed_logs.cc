#include "infra/embedded/zeroed_logs.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include <rocksdb/file_system.h>

namespace tilth {
namespace {

// Some hundred writes of one event. A multiple of the blocks of a log, since RocksDB takes a few
// zeros after the last block for a header that was cut off.
constexpr std::size_t kZeros = 256 << 10;

using Bytes = std::atomic<std::uint64_t>;

class ZeroedLog final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  ZeroedLog(std::unique_ptr<rocksdb::FSWritableFile> file, std::shared_ptr<Bytes> written)
      : FSWritableFileOwnerWrapper(std::move(file)), written_(std::move(written)) {}

  rocksdb::IOStatus Append(const rocksdb::Slice& bytes, const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* debug) override {
    const std::uint64_t at = *written_, end = at + bytes.size();
    while (end > zeroed_) {
      static const std::string zeros(kZeros, '\0');
      auto status = target()->PositionedAppend(zeros, zeroed_, options, debug);
      if (!status.ok()) return status;
      zeroed_ += kZeros;
    }
    auto status = target()->PositionedAppend(bytes, at, options, debug);
    if (status.ok()) *written_ = end;
    return status;
  }
  rocksdb::IOStatus Append(const rocksdb::Slice& bytes, const rocksdb::IOOptions& options,
                           const rocksdb::DataVerificationInfo&,
                           rocksdb::IODebugContext* debug) override {
    return Append(bytes, options, debug);
  }

  rocksdb::IOStatus Close(const rocksdb::IOOptions& options,
                          rocksdb::IODebugContext* debug) override {
    auto cut = zeroed_ > *written_ ? target()->Truncate(*written_, options, debug)
                                   : rocksdb::IOStatus::OK();
    auto closed = target()->Close(options, debug);
    return cut.ok() ? closed : cut;
  }

  std::uint64_t GetFileSize(const rocksdb::IOOptions&, rocksdb::IODebugContext*) override {
    return *written_;
  }

 private:
  const std::shared_ptr<Bytes> written_;
  std::uint64_t zeroed_ = 0;  // the length of the file
};

std::filesystem::path folder_of(const std::filesystem::path& file) {
  return file.lexically_normal().parent_path();
}

class ZeroedLogs final : public rocksdb::FileSystemWrapper {
 public:
  ZeroedLogs(const std::shared_ptr<rocksdb::FileSystem>& base,
             const std::filesystem::path& directory)
      : FileSystemWrapper(base), directory_(folder_of(directory / "any.log")) {}

  const char* Name() const override { return "ZeroedLogs"; }

  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override {
    auto status = target()->NewWritableFile(name, options, file, debug);
    if (!status.ok() || !name.ends_with(".log")) return status;
    if (folder_of(name) != directory_) return status;  // a copy, for a backup
    const auto written = std::make_shared<Bytes>(0);
    *file = std::make_unique<ZeroedLog>(std::move(*file), written);
    const std::lock_guard lock(mutex_);
    std::erase_if(written_, [](const auto& open) { return open.second.expired(); });
    written_[name] = written;
    return status;
  }

  // RocksDB copies a log that is written to up to this; it would find a gap if it copied zeros
  // while they are replaced.
  rocksdb::IOStatus GetFileSize(const std::string& name, const rocksdb::IOOptions& options,
                                std::uint64_t* size, rocksdb::IODebugContext* debug) override {
    const std::lock_guard lock(mutex_);
    const auto open = written_.find(name);
    const auto written = open == written_.end() ? nullptr : open->second.lock();
    if (!written) return target()->GetFileSize(name, options, size, debug);
    *size = *written;
    return rocksdb::IOStatus::OK();
  }

 private:
  const std::filesystem::path directory_;
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<const Bytes>> written_;  // of the logs that are open
};

class EnvWithZeroedLogs final : public rocksdb::EnvWrapper {
 public:
  EnvWithZeroedLogs(rocksdb::Env& base, const std::filesystem::path& directory)
      : EnvWrapper(&base) {
    file_system_ = std::make_shared<ZeroedLogs>(base.GetFileSystem(), directory);
    system_clock_ = base.GetSystemClock();
  }

  const char* Name() const override { return "EnvWithZeroedLogs"; }

  rocksdb::Status GetFileSize(const std::string& name, std::uint64_t* size) override {
    return file_system_->GetFileSize(name, {}, size, nullptr);
  }
};

}  // namespace

std::unique_ptr<rocksdb::Env> with_zeroed_logs(rocksdb::Env& base,
                                               const std::filesystem::path& directory) {
  return std::make_unique<EnvWithZeroedLogs>(base, directory);
}

}  // namespace tilth
