// What becomes of the commands of one import, which are carried out some at a time.

#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>

#include "command/decision.h"

namespace tilth {

// Threads: end() from any; all else from the one that imports, which waits.
class ImportTally {
 public:
  // How much each event counts for.
  using Count = std::function<std::int64_t(const Event&)>;

  explicit ImportTally(
      std::size_t at_once, Count count = [](const Event&) { return 1; })
      : at_once_(at_once), count_(std::move(count)) {}

  // Waits until one more may be carried out; false once one has failed.
  bool begin();
  void end(const Result<CommandResult>& outcome);

  // Waits for the last one. What all of them came to, or why one failed.
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
