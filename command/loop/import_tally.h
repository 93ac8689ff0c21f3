// Tracks the commands of one import, of which a limited number run at once.

#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>

#include "command/decision.h"

namespace tilth {

// Threads: end() from any; all else from the importing thread, which blocks.
class ImportTally {
 public:
  // How much each event counts for.
  using Count = std::function<std::int64_t(const Event&)>;

  explicit ImportTally(
      std::size_t at_once, Count count = [](const Event&) { return 1; })
      : at_once_(at_once), count_(std::move(count)) {}

  // Waits until one more may run; false once one has failed.
  bool begin();
  void end(const Result<CommandResult>& outcome);

  // Waits for the last one. Returns the total count, or why one failed.
  Result<std::int64_t> wait();

 private:
  const std::size_t at_once_;
  const Count count_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t under_way_ = 0;
  std::int64_t counted_ = 0;
  std::optional<Error> failed_;
};

}  // namespace tilth
