// What growers' crops take from the crop library, as its events say it: without the rows that keep
// it.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "events/log/event_log.h"
#include "tests/simulation/plain_records.h"

namespace tilth::testing {

// Follows the reference data. It is not known which state of it a decision has read, so it tells
// all that there ever was.
class PlainLibrary {
 public:
  using Days = std::set<std::optional<std::int64_t>>;  // null: it was not known

  // `record` is the next of the reference data that counts.
  void take(const Record& record);

  // Whether there ever was a crop or a variety with that id.
  bool knows(const std::string& id) const { return days_.contains(id); }
  // The id of the crop that a variety is of, which stays; empty: there never was such a variety.
  std::string crop_of(const std::string& variety) const;
  // How long it takes until the harvest: by the variety, or else by its crop. Ids may be empty.
  Days days_to_maturity(const std::string& crop, const std::string& variety) const;

 private:
  void note(const std::string& table);
  Days own_days(const std::string& id) const;

  PlainRecords records_;
  std::map<std::string, Days> days_;            // by crop or variety
  std::map<std::string, std::string> crop_of_;  // by variety
};

}  // namespace tilth::testing
