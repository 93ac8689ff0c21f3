#include "infra/rocksdb/sorted_files.h"

#include <system_error>
#include <utility>

namespace tilth {
namespace {

constexpr std::uint64_t kFileBytes = 64 << 20;

rocksdb::Slice slice(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

SortedFiles::SortedFiles(rocksdb::DB& db, std::filesystem::path directory)
    : db_(db), directory_(std::move(directory)), options_(db.GetOptions()) {}

SortedFiles::~SortedFiles() {
  std::error_code ignored;
  for (const auto& file : files_) std::filesystem::remove(file, ignored);
}

void SortedFiles::add(std::string_view key, const std::optional<std::string>& value) {
  if (!status_.ok()) return;
  if (!writer_) {
    files_.push_back((directory_ / ("piece-" + std::to_string(files_.size()) + ".sst")).string());
    writer_ = std::make_unique<rocksdb::SstFileWriter>(rocksdb::EnvOptions(), options_);
    status_ = writer_->Open(files_.back());
    if (!status_.ok()) return;
  }
  status_ = value ? writer_->Put(slice(key), slice(*value)) : writer_->Delete(slice(key));
  if (status_.ok() && writer_->FileSize() >= kFileBytes) finish_file();
}

void SortedFiles::finish_file() {
  status_ = writer_->Finish();
  writer_.reset();
}

rocksdb::Status SortedFiles::ingest() {
  if (status_.ok() && writer_) finish_file();
  if (!status_.ok() || files_.empty()) return status_;
  rocksdb::IngestExternalFileOptions options;
  options.move_files = true;
  options.snapshot_consistency = false;  // nobody reads yet
  return db_.IngestExternalFile(files_, options);
}

}  // namespace tilth
