// Imports a library document, {"crops": [{…, "varieties": [{…}]}]}, into the crop library: one
// command, and at most one event, per crop.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "command/decision.h"

namespace tilth {

// What an import found, and how many crops are changed.
struct ImportedLibrary {
  std::int64_t crops = 0;
  std::int64_t varieties = 0;
  std::int64_t changed = 0;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("crops", crops), member("varieties", varieties), member("changed", changed));
  }
};

// What an import needs, and the actor it runs for.
struct LibraryImport {
  Commands& commands;
  const Projector& registry;
  Timestamp now;
  std::string actor;
  std::string request_id;
  std::string traceparent = {};  // empty: none

  // Checks the whole document before the first command runs, so that a refused document changes
  // nothing. Blocks the thread. Ignores unknown members, such as a crop's sources.
  //
  //   kInvalid      the document is not valid; the issues name the members: crops.3.soilPhMin.
  //   kUnavailable  the log did not respond in time. Crops may be described already: import it
  //                 again.
  Result<ImportedLibrary> run(std::string_view document) const;
};

}  // namespace tilth
