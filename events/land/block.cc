#include "events/land/block.h"

#include "events/json/json_reader.h"
#include "events/json/json_writer.h"
#include "events/log/event_codec.h"

namespace tilth {

std::optional<GridOrigin> GridOrigin::read_json(const Json& json, bool check, Issues& issues,
                                                const std::string& path) {
  if (json.kind != Json::Kind::kArray || json.children.size() != 2) {
    issues[path].push_back("must be [lat, lng]");
    return std::nullopt;
  }
  const auto how = check ? Reading::kRequest : Reading::kStored;
  GridOrigin origin;
  JsonReader::read(json.children[0].second, how, origin.at.lat, issues, path + ".0",
                   {.min = -90, .max = 90});
  JsonReader::read(json.children[1].second, how, origin.at.lng, issues, path + ".1",
                   {.min = -180, .max = 180});
  return origin;
}

void GridOrigin::write_json(std::string& out) const {
  JsonWriter::write(std::vector{at.lat, at.lng}, out);
}

std::vector<EventCodec> block_events() {
  return codecs_of<BlockRegistered, BlockAmended, BlockRemoved>();
}

}  // namespace tilth
