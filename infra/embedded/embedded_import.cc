#include "infra/embedded/embedded_import.h"

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

#include <rocksdb/sst_file_writer.h>

#include "events/log/log_end.h"
#include "infra/embedded/database.h"
#include "infra/embedded/record_key.h"

namespace tilth {
namespace {

constexpr std::uint64_t kTableBytes = 64 << 20;

Error refused(const std::string& why) {
  return {ErrorCode::kUnavailable, "The import cannot be written: " + why + "."};
}

}  // namespace

class EmbeddedImport::Table {
 public:
  explicit Table(std::filesystem::path path)
      : path_(std::move(path)), writer_(rocksdb::EnvOptions(), record_table_options()) {}

  Status open() { return checked(writer_.Open(path_)); }
  Status put(std::string_view key, std::string_view value) {
    return checked(writer_.Put({key.data(), key.size()}, {value.data(), value.size()}));
  }
  Status finish() { return checked(writer_.Finish()); }
  std::uint64_t size() { return writer_.FileSize(); }
  const std::filesystem::path& path() const { return path_; }

 private:
  static Status checked(const rocksdb::Status& status) {
    return status.ok() ? Status(kDone) : Status(refused(status.ToString()));
  }

  const std::filesystem::path path_;
  rocksdb::SstFileWriter writer_;
};

Result<std::unique_ptr<HistoryImport>> EmbeddedImport::begin(
    EmbeddedEventLog& log, const std::filesystem::path& directory) {
  const auto end = end_of(log, 0);
  if (!end) return end.error();
  if (*end != 0) return Error{ErrorCode::kConflict, "The log is not empty."};
  std::error_code failed;
  std::filesystem::create_directories(directory, failed);
  if (failed) return refused(failed.message());
  auto own = (directory / "XXXXXX").string();
  if (::mkdtemp(own.data()) == nullptr) {
    return refused(std::generic_category().message(errno));
  }
  return std::unique_ptr<HistoryImport>(new EmbeddedImport(log, own));
}

EmbeddedImport::EmbeddedImport(EmbeddedEventLog& log, std::filesystem::path directory)
    : log_(log), directory_(std::move(directory)), ids_(directory_) {}

EmbeddedImport::~EmbeddedImport() {
  table_.reset();
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

Status EmbeddedImport::add(Record record, std::int64_t line) {
  auto& head = heads_[record.stream];
  if (record.envelope.stream_version != head.version) {
    return Error{ErrorCode::kInvalid,
                 "the stream " + record.stream + " stands at " + std::to_string(head.version)};
  }
  if (!VersionGate::counts(record, head)) {
    return Error{ErrorCode::kInvalid, "its predecessor is not the event before it"};
  }
  if (const auto id = Uuid::parse(record.envelope.id)) {
    if (const auto added = ids_.add(*id, line); !added) return added;
  }
  if (!table_) {
    if (const auto opened = open_table(); !opened) return opened;
  }
  bytes_.clear();
  if (const auto encoded = log_.encode(tables_.count, record, bytes_); !encoded) return encoded;
  if (const auto put = table_->put(RecordKey(tables_.count).bytes(), bytes_); !put) return put;
  head.advance(record);
  ++tables_.count;
  return table_->size() < kTableBytes ? Status(kDone) : close_table();
}

Status EmbeddedImport::finish() {
  const auto repeat = ids_.find_repeat();
  if (!repeat) return repeat.error();
  if (*repeat) {
    return Error{ErrorCode::kInvalid, "line " + std::to_string((*repeat)->line) +
                                          ": its id is that of line " +
                                          std::to_string((*repeat)->earlier)};
  }
  if (table_) {
    if (const auto closed = close_table(); !closed) return closed;
  }
  std::erase_if(heads_, [](const auto& each) { return each.second.version == 0; });
  if (tables_.count == 0) return kDone;
  Table versions(directory_ / "versions.sst");
  if (const auto opened = versions.open(); !opened) return opened;
  for (const auto& [stream, head] : heads_) {
    const std::string_view value(reinterpret_cast<const char*>(&head.version), sizeof head.version);
    if (const auto put = versions.put(stream, value); !put) return put;
  }
  if (const auto finished = versions.finish(); !finished) return finished;
  tables_.versions = versions.path();
  return log_.adopt(tables_);
}

Status EmbeddedImport::open_table() {
  const auto number = std::to_string(tables_.records.size());
  table_ = std::make_unique<Table>(directory_ / ("records-" + number + ".sst"));
  return table_->open();
}

Status EmbeddedImport::close_table() {
  if (const auto finished = table_->finish(); !finished) return finished;
  tables_.records.push_back(table_->path());
  table_.reset();
  return kDone;
}

}  // namespace tilth
