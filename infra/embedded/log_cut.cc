#include "infra/embedded/log_cut.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string>

#include <rocksdb/write_batch.h>

#include "infra/embedded/database.h"
#include "infra/embedded/log_archive.h"
#include "infra/embedded/record_key.h"

namespace tilth {
namespace {

constexpr std::size_t kPage = 4'096;

// By stream, from which version on its records are removed.
using FormerVersions = std::map<std::string, std::uint64_t, std::less<>>;

Error unavailable(const std::string& why) {
  return {ErrorCode::kUnavailable, "The event log cannot be cut: " + why + "."};
}

// Calls `each` with every record in order. Errors: those of reading.
Status for_each_record(const RecordDatabase& database, LogArchive& archive, std::int64_t end,
                       const std::function<void(const LoggedRecord&)>& each) {
  for (std::int64_t offset = 0; offset < end;) {
    const auto page = offset < archive.end() ? archive.page(offset, end, kPage)
                                             : database.page(offset, end, kPage);
    if (!page) return page.error();
    for (const auto& logged : *page) each(logged);
    offset += std::ssize(*page);
  }
  return kDone;
}

Status remove_from(const RecordDatabase& database, std::int64_t cut,
                   const FormerVersions& versions) {
  rocksdb::WriteBatch batch;
  const RecordKey first(cut), last(INT64_MAX);
  auto status = batch.DeleteRange(database.records(), first.bytes(), last.bytes());
  for (const auto& [stream, version] : versions) {
    if (!status.ok()) break;
    const rocksdb::Slice bytes(reinterpret_cast<const char*>(&version), sizeof version);
    status = version == 0 ? batch.Delete(database.versions(), stream)
                          : batch.Put(database.versions(), stream, bytes);
  }
  rocksdb::WriteOptions durable;
  durable.sync = true;
  if (status.ok()) status = database->Write(durable, &batch);
  const rocksdb::Slice from = first.bytes();
  if (status.ok()) status = database->CompactRange({}, database.records(), &from, nullptr);
  return status.ok() ? Status(kDone) : Status(unavailable(status.ToString()));
}

}  // namespace

Result<LogCut> cut_log(const std::filesystem::path& directory, const ArchivePlaces& archives,
                       const LogMoment& moment) {
  const auto database = RecordDatabase::open(directory, {}, RecordDatabase::For::kWriting);
  if (!database) return unavailable(database.error().message);
  const auto end = (*database)->end();
  if (!end) return unavailable(end.error().message);
  if (moment.offset && *moment.offset >= *end) {
    return Error{ErrorCode::kInvalid, "The log has no record at offset " +
                                          std::to_string(*moment.offset) + ": it ends at offset " +
                                          std::to_string(*end - 1) + "."};
  }
  LogArchive archive(archives, nullptr);
  archive.set((*database)->archived());
  LogCut cut{.former = *end};
  bool is_over = false;
  FormerVersions versions;
  const auto read = for_each_record(**database, archive, *end, [&](const LoggedRecord& logged) {
    const auto& envelope = logged.record->envelope;
    is_over = is_over || (moment.offset && logged.position.offset > *moment.offset) ||
              (moment.at && envelope.time.at > moment.at->at);
    if (is_over) {
      versions.try_emplace(logged.record->stream, envelope.stream_version);
    } else {
      cut.end = logged.position.offset + 1;
      cut.time = envelope.time;
    }
  });
  if (!read) return read.error();
  if (cut.end == 0) {
    return Error{ErrorCode::kNotFound, "The log has no record that is that old."};
  }
  if (cut.end == *end) return cut;
  auto files = (*database)->archived();
  if (cut.end < files.end()) {
    std::erase_if(files.files, [&](const auto& file) { return file.first >= cut.end; });
    files.files.back().end = cut.end;
    if (const auto listed = (*database)->set_archived(files); !listed) return listed.error();
  }
  if (const auto removed = remove_from(**database, cut.end, versions); !removed) {
    return removed.error();
  }
  return cut;
}

}  // namespace tilth
