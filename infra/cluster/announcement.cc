#include "infra/cluster/announcement.h"

#include <algorithm>
#include <utility>

#include "events/json/json_reader.h"
#include "events/json/json_writer.h"

namespace tilth {
namespace {

// A node that holds a thousand partitions needs 40 KB.
constexpr std::size_t kMostBytes = 1 << 20;

}  // namespace

Record announcement_record(const Announcement& announcement, std::string id) {
  return {.stream = announcement.node,
          .envelope = {.id = std::move(id),
                       .type = std::string(Announcement::kType),
                       .source = "tilth://" + announcement.node,
                       .time = announcement.at,
                       .correlation_id = announcement.run},
          .json = JsonWriter::text(announcement)};
}

std::optional<Announcement> read_announcement(const Record& record) {
  const auto& envelope = record.envelope;
  const bool ours = record.foreign.empty() && envelope.type == Announcement::kType &&
                    !record.stream.empty() && !envelope.correlation_id.empty();
  if (!ours || record.json.size() > kMostBytes) return std::nullopt;
  const auto json = parse_json(record.json);
  if (!json || json->kind != Json::Kind::kObject) return std::nullopt;
  Announcement announcement;
  Issues issues;
  JsonReader::read(*json, Reading::kStored, announcement, issues);
  const auto is_partition = [](std::int64_t number) { return number >= 0 && number <= INT32_MAX; };
  const bool sound = std::ranges::all_of(announcement.holds, [&](const auto& held) {
    return is_partition(held.partition) && held.next >= 0;
  });
  if (!issues.empty() || !sound || !std::ranges::all_of(announcement.halted, is_partition)) {
    return std::nullopt;
  }
  announcement.node = record.stream;
  announcement.run = envelope.correlation_id;
  announcement.at = envelope.time;
  return announcement;
}

}  // namespace tilth
