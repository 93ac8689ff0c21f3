#include "infra/bulk/sorted_files.h"

#include <utility>

#include <rocksdb/sst_file_writer.h>

#include "infra/rocksdb/rocks_options.h"
#include "infra/rocksdb/slices.h"

namespace tilth {
namespace {

constexpr std::uint64_t kFileBytes = 64 << 20;

Status status_of(const rocksdb::Status& status) {
  if (status.ok()) return kDone;
  return Error{ErrorCode::kUnavailable, "The read models cannot be written: " + status.ToString()};
}

// There may be many at once: one for each thread and target of a fold.
rocksdb::EnvOptions with_a_small_buffer() {
  rocksdb::EnvOptions options;
  options.writable_file_max_buffer_size = 128 << 10;
  return options;
}

}  // namespace

struct SortedFiles::File {
  explicit File(const RocksMemory& memory)
      : writer(with_a_small_buffer(), options_of_rows(memory)) {}
  rocksdb::SstFileWriter writer;
};

SortedFiles::SortedFiles(std::filesystem::path directory, std::string name,
                         const RocksMemory& memory)
    : directory_(std::move(directory)), name_(std::move(name)), memory_(memory) {}

SortedFiles::~SortedFiles() = default;

void SortedFiles::add(std::string_view key, std::string_view value) {
  if (!status_) return;
  if (!file_) {
    paths_.push_back((directory_ / (name_ + "-" + std::to_string(paths_.size()))).string());
    file_ = std::make_unique<File>(memory_);
    status_ = status_of(file_->writer.Open(paths_.back()));
  }
  if (status_) status_ = status_of(file_->writer.Put(slice(key), slice(value)));
  if (status_ && file_->writer.FileSize() >= kFileBytes) static_cast<void>(end());
}

Status SortedFiles::end() {
  if (status_ && file_) status_ = status_of(file_->writer.Finish());
  file_.reset();
  return status_;
}

}  // namespace tilth
