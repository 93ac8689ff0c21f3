// The port that imports a history into an empty log.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "events/log/event_log.h"
#include "events/values/result.h"

namespace tilth {

// All or nothing, even in a crash: the records given to add() are in the log once finish() has
// succeeded, and none of them before. Belongs to one thread. Destroying it unfinished leaves
// nothing.
class HistoryImport {
 public:
  virtual ~HistoryImport() = default;

  // Adds the next record of the log, from that line of what is imported. Its version must be the
  // current one of its stream.
  //
  //   kInvalid      it is not, and the record is left out.
  //   kUnavailable  the disk refuses.
  virtual Status add(Record record, std::int64_t line) = 0;

  // Commits all records; readers see them by the time this returns.
  //
  //   kInvalid      two of them have the same id; the message names the line.
  //   kConflict     the log is no longer empty.
  //   kUnavailable  the disk refuses.
  virtual Status finish() = 0;
};

// kConflict: the log is not empty, or another import is under way.
using BeginImport = std::function<Result<std::unique_ptr<HistoryImport>>()>;

}  // namespace tilth
