// What an export was limited to, kept next to its file, so that it is resumed with the same limits.

#pragma once

#include <string>

#include "app/cli/engine/command.h"
#include "events/values/result.h"

namespace tilth::cli {

// Threads: one. Crash: the file next to the export has these filters, or is as it was before.
class ExportFilters {
 public:
  // Those of the command's flags that decide which events are in an export to `output`, and how.
  // "-", stdout, keeps none.
  ExportFilters(std::string output, const Arguments& arguments);

  // Whether the events that `output` holds were exported with these. No file next to it: with none.
  //
  //   kConflict     with others; the message names them.
  //   kUnavailable  what is kept cannot be read.
  Status are_those_of_file() const;

  // Keeps them for the next export to `output`. kUnavailable: the message names the file.
  Status keep() const;

 private:
  std::string kept_in() const;

  const std::string output_;
  std::string text_;  // a line for each: "--type tilth.task.*"
};

}  // namespace tilth::cli
