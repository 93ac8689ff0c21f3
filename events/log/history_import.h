// The port through which a history comes into an empty log from elsewhere.

#pragma once

#include <functional>
#include <memory>

#include "events/log/event_log.h"
#include "events/values/result.h"

namespace tilth {

// All or nothing, over a crash too: what is given to add() is in the log once finish() has
// succeeded, and nothing of it before. Belongs to one thread. Destroying it unfinished leaves
// nothing.
class HistoryImport {
 public:
  virtual ~HistoryImport() = default;

  // The next record of the log. Its version must be that at which its stream stands.
  //
  //   kInvalid      it is not, and is left out.
  //   kUnavailable  the disk refuses.
  virtual Status add(Record record) = 0;

  // Hands it all over; readers meet it by the time this returns.
  //
  //   kConflict     the log is not empty any more.
  //   kUnavailable  the disk refuses.
  virtual Status finish() = 0;
};

// kConflict: the log is not empty, or another import is under way.
using BeginImport = std::function<Result<std::unique_ptr<HistoryImport>>()>;

}  // namespace tilth
