// A line of an import is taken or refused, whatever it holds. One that is taken reads back the same
// after an export, and its event is stored in a form that is read as the same event for ever.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "api/v1/history/event_line.h"
#include "events/log/catalogue.h"
#include "tests/fuzz/require.h"

using tilth::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string line(reinterpret_cast<const char*>(bytes), size);
  const auto record = tilth::read_event_line(line);
  if (!record) {
    require(!record.error().message.empty());
    return 0;
  }
  std::string exported;
  tilth::append_event_line({{}, std::make_shared<const tilth::Record>(*record)}, true, exported);
  require(exported.ends_with('\n'));
  exported.pop_back();
  const auto again = tilth::read_event_line(exported);
  require(again && *again == *record);

  const auto& envelope = record->envelope;
  const auto event = tilth::decode(envelope.type, envelope.schema_version, record->json);
  require(static_cast<bool>(event));
  const auto stored = tilth::encode(*event);
  const auto read = tilth::decode(envelope.type, stored.version, stored.json);
  require(read && tilth::encode(*read).json == stored.json);
  return 0;
}
