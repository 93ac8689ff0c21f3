#include "app/cli/commands/table_files.h"

#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tilth::cli {
namespace {

constexpr std::size_t kFileBuffer = 1 << 16;

Error file_failure(const std::filesystem::path& path, std::string_view verb) {
  return {ErrorCode::kUnavailable, path.string() + " cannot be " + std::string(verb) + ": " +
                                       std::generic_category().message(errno) + "."};
}

}  // namespace

// Hidden until it is finished.
class TableFiles::File {
 public:
  File(const std::filesystem::path& directory, const std::string& name)
      : path_(directory / name),
        partial_(directory / ("." + name + ".partial")),
        descriptor_(::open(partial_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (descriptor_ < 0) return;
    ::close(descriptor_);
    if (!named_) ::unlink(partial_.c_str());
  }

  Status opened() const { return descriptor_ < 0 ? Status(file_failure(partial_, "made")) : kDone; }

  // What is to be written; flush_if_full() after each change.
  std::string buffer = {};
  std::int64_t rows = 0;

  Status flush_if_full() { return buffer.size() < kFileBuffer ? kDone : flush(); }

  Status make_durable() {
    if (const auto flushed = flush(); !flushed) return flushed;
    return ::fsync(descriptor_) == 0 ? kDone : Status(file_failure(path_, "written"));
  }

  Status give_name() {
    if (::rename(partial_.c_str(), path_.c_str()) != 0) return file_failure(path_, "made");
    named_ = true;
    return kDone;
  }

  void remove() {
    if (named_) ::unlink(path_.c_str());
  }

 private:
  Status flush() {
    for (std::string_view rest = buffer; !rest.empty();) {
      const auto written = ::write(descriptor_, rest.data(), rest.size());
      if (written < 0 && errno != EINTR) return file_failure(path_, "written");
      if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
    }
    buffer.clear();
    return kDone;
  }

  const std::filesystem::path path_, partial_;
  const int descriptor_;
  bool named_ = false;
};

Result<TableFiles> TableFiles::open(const std::filesystem::path& directory, TableFormat format) {
  const bool made = ::mkdir(directory.c_str(), 0700) == 0;
  if (!made && errno != EEXIST) return file_failure(directory, "made");
  std::error_code failure;
  const bool empty = std::filesystem::is_directory(directory, failure) &&
                     std::filesystem::is_empty(directory, failure);
  if (failure) {
    return Error{ErrorCode::kUnavailable,
                 directory.string() + " cannot be read: " + failure.message() + "."};
  }
  if (!empty) {
    return Error{ErrorCode::kConflict,
                 directory.string() + " exists, and is no empty directory. Name a new one."};
  }
  TableFiles files(directory, format, made);
  for (const auto* table : all_tables()) {
    auto file = files.file(table->name + "." + std::string(name_of(format)));
    if (!file) return file.error();
    files.tables_[table] = *file;
    if (format == TableFormat::kCsv) append_csv_header(*table, (*file)->buffer);
  }
  return files;
}

TableFiles::TableFiles(std::filesystem::path directory, TableFormat format, bool made)
    : directory_(std::move(directory)), format_(format), made_(made) {}

TableFiles::TableFiles(TableFiles&& other) noexcept
    : directory_(std::move(other.directory_)),
      format_(other.format_),
      made_(std::exchange(other.made_, false)),
      finished_(other.finished_),
      tables_(std::move(other.tables_)),
      files_(std::move(other.files_)) {}

TableFiles::~TableFiles() {
  if (finished_) return;
  for (const auto& file : files_) file->remove();
  files_.clear();
  if (made_) ::rmdir(directory_.c_str());
}

Result<TableFiles::File*> TableFiles::file(const std::string& name) {
  auto& file = files_.emplace_back(std::make_unique<File>(directory_, name));
  if (const auto opened = file->opened(); !opened) return opened.error();
  return file.get();
}

Status TableFiles::write(const ExportTable& table, const RowCells& cells) {
  auto& file = *tables_.at(&table);
  ++file.rows;
  if (format_ == TableFormat::kCsv) {
    append_csv_row(cells, file.buffer);
  } else {
    append_json_row(table, cells, file.buffer);
  }
  return file.flush_if_full();
}

Status TableFiles::add(const std::string& name, const std::string& text) {
  const auto made = file(name);
  if (!made) return made.error();
  (*made)->buffer = text;
  return kDone;
}

Status TableFiles::finish() {
  for (const auto& file : files_) {
    if (const auto durable = file->make_durable(); !durable) return durable;
  }
  for (const auto& file : files_) {
    if (const auto named = file->give_name(); !named) return named;
  }
  const int opened = ::open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened >= 0) {
    ::fsync(opened);
    ::close(opened);
  }
  finished_ = true;
  return kDone;
}

std::int64_t TableFiles::rows(const ExportTable& table) const { return tables_.at(&table)->rows; }

}  // namespace tilth::cli
