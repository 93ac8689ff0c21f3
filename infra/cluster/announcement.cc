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

Record announcement_record(const Announcement& said, std::string id) {
  return {.stream = said.node,
          .envelope = {.id = std::move(id),
                       .type = std::string(Announcement::kType),
                       .source = "tilth://" + said.node,
                       .time = said.at,
                       .correlation_id = said.run},
          .json = JsonWriter::text(said)};
}

std::optional<Announcement> read_announcement(const Record& record) {
  const auto& envelope = record.envelope;
  const bool ours = record.foreign.empty() && envelope.type == Announcement::kType &&
                    !record.stream.empty() && !envelope.correlation_id.empty();
  if (!ours || record.json.size() > kMostBytes) return std::nullopt;
  const auto json = parse_json(record.json);
  if (!json || json->kind != Json::Kind::kObject) return std::nullopt;
  Announcement said;
  Issues issues;
  JsonReader::read(*json, Reading::kStored, said, issues);
  const auto is_partition = [](std::int64_t number) { return number >= 0 && number <= INT32_MAX; };
  const bool sound = std::ranges::all_of(
      said.holds, [&](const auto& held) { return is_partition(held.partition) && held.next >= 0; });
  if (!issues.empty() || !sound || !std::ranges::all_of(said.halted, is_partition)) {
    return std::nullopt;
  }
  said.node = record.stream;
  said.run = envelope.correlation_id;
  said.at = envelope.time;
  return said;
}

}  // namespace tilth
