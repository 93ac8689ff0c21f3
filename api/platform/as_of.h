// Responses as of an earlier time: each one folds the owner's history up to then.

#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "api/platform/fair_executor.h"
#include "projections/history/past_rows.h"

namespace tilth {

// Threads: any. The executor must be stopped before it is destroyed.
class AsOf {
 public:
  // By the name of the projection.
  using Sources = std::map<std::string, PastSources, std::less<>>;

  // The executor of folds alone: it limits how many are in memory.
  AsOf(Sources sources, FairExecutor& executor)
      : sources_(std::move(sources)), executor_(executor) {}

  struct Question {
    std::string_view projection;
    std::string owner;
    Timestamp at;
    bool aged = false;
    std::function<bool()> abandoned = {};
  };
  using OnFolded = std::function<void(Result<RowView>, WorkToken&)>;

  // `done` receives the rows of that owner in that projection as of `at`, on a thread of the
  // executor, and continues under its token. Errors are those of fold_past(), and kUnavailable: the
  // token's, or, within the call, too much waits.
  Status fold(Question question, OnFolded done);

 private:
  const Sources sources_;
  FairExecutor& executor_;
};

}  // namespace tilth
