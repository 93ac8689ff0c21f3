// Responses as of an earlier time: each one folds the owner's history up to then.

#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "api/platform/thread_pool.h"
#include "projections/history/past_rows.h"

namespace tilth {

// Operation: two threads fold, and a limited number of requests wait; more are refused at once.
//
// Threads: any. Destroying it stops the running folds.
class AsOf {
 public:
  // By the name of the projection.
  using Sources = std::map<std::string, PastSources, std::less<>>;

  explicit AsOf(Sources sources) : sources_(std::move(sources)) {}
  ~AsOf() { stopping_ = true; }

  using OnFolded = std::function<void(Result<RowView>)>;

  // `done` receives the rows of `owner` in that projection as of `at`, on a thread that it may
  // block for a while; errors are those of fold_past(). Also kUnavailable at once: too many wait.
  void fold(std::string_view projection, const std::string& owner, Timestamp at, bool aged,
            OnFolded done);

 private:
  const Sources sources_;
  std::atomic<bool> stopping_ = false;
  ThreadPool workers_{2, 64};  // last: its destructor waits for running folds
};

}  // namespace tilth
