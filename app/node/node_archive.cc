#include "app/node/node_archive.h"

#include <utility>

#include "infra/system/path_within.h"

namespace tilth {

ArchiveStanding NodeArchive::standing() const {
  const auto& archive = parts_.log.archived();
  ArchiveStanding standing;
  for (const auto& file : archive.files().files) {
    auto place = archive.place(file);
    standing.files.push_back({.first = file.first,
                              .last = file.end - 1,
                              .bytes = file.bytes,
                              .path = place.path.string(),
                              .is_local = place.is_local,
                              .stored_as = std::move(place.stored_as),
                              .can_be_fetched = place.can_be_fetched,
                              .problem = std::move(place.problem)});
    standing.records = file.end;
    standing.bytes += file.bytes;
  }
  return standing;
}

// Much in the data directory is removed at a start.
bool NodeArchive::is_in_use(const std::filesystem::path& directory) const {
  const auto place = path_within(parts_.data_directory, directory);
  return !place.empty() && *place.begin() != kArchive;
}

Result<ArchiveStanding> NodeArchive::archive(const ArchiveRequest& request) {
  const auto directory =
      request.directory ? std::filesystem::path(*request.directory) : parts_.default_directory;
  if (directory.empty()) {
    return Error{ErrorCode::kInvalid, "Say where: archive.directory is not set."};
  }
  if (is_in_use(directory)) {
    return Error{ErrorCode::kInvalid,
                 "The service keeps its own files there: choose a directory outside its data "
                 "directory, or `archive` in it."};
  }
  const auto before = parts_.log.archived().end();
  const auto reached =
      parts_.log.archive({.directory = directory,
                          .end = request.before_offset.value_or(INT64_MAX),
                          .before = request.before,
                          .goes_on = [this](auto, auto) { return parts_.goes_on(); }});
  if (!reached) return reached.error();
  auto standing = this->standing();
  standing.moved = standing.records - before;
  return standing;
}

void NodeArchive::report(Samples& to) const {
  const auto state = parts_.log.archived().state();
  to.gauge("tilth_log_archived_records", "Records of the event log that are in archived files.", {},
           static_cast<double>(state.records));
  to.gauge("tilth_log_archived_bytes", "Bytes of the archived files.", {},
           static_cast<double>(state.bytes));
  to.gauge("tilth_log_archive_missing_files",
           "Archived files that could not be found or fetched when they were last looked for.", {},
           static_cast<double>(state.missing_files));
}

}  // namespace tilth
