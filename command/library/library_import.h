// Brings the crop library to what a library document says, {"crops": [{…, "varieties": [{…}]}]}:
// one command, and at most one event, for each crop.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "command/decision.h"

namespace tilth {

// What an import found, and how many crops are different now.
struct ImportedLibrary {
  std::int64_t crops = 0;
  std::int64_t varieties = 0;
  std::int64_t changed = 0;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("crops", crops), member("varieties", varieties), member("changed", changed));
  }
};

// What an import is done with, and on whose behalf.
struct LibraryImport {
  Commands& commands;
  const Projector& registry;
  Timestamp now;
  std::string actor;
  std::string request_id;

  // Checks the whole document before the first command is carried out, so that one which is refused
  // changes nothing. Waits: for threads that may. Members that no one knows, such as a crop's
  // sources, are ignored.
  //
  //   kInvalid      the document is not valid; the issues name what: crops.3.soilPhMin.
  //   kUnavailable  the log did not answer in time. Crops may be described already: import it
  //   again.
  Result<ImportedLibrary> run(std::string_view document) const;
};

}  // namespace tilth
