// Any record is read as an announcement of a node or not, and one that is read says the same when
// it is written and read again.

#include <cstddef>
#include <cstdint>

#include "infra/cluster/announcement.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  tilth::Record record;
  record.stream = "tilth-1a3bf46a698a";
  record.envelope.type = tilth::Announcement::kType;
  record.envelope.correlation_id = "run";
  record.json.assign(reinterpret_cast<const char*>(bytes), size);
  const auto said = tilth::read_announcement(record);
  if (!said) return 0;
  for (const auto& [partition, next] : said->holds) {
    tilth::fuzz::require(partition >= 0 && next >= 0);
  }
  for (const auto partition : said->halted) tilth::fuzz::require(partition >= 0);
  tilth::fuzz::require(tilth::read_announcement(tilth::announcement_record(*said, "id")) == said);
  return 0;
}
