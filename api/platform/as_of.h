// Answers as of an earlier time: the owner's history up to then is folded for each of them.

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

// Operation: two threads fold, and so many wait; what comes beyond is refused at once.
//
// Threads: any. Destroying it stops those that fold.
class AsOf {
 public:
  // By the names of their projections.
  using Sources = std::map<std::string, PastSources, std::less<>>;

  explicit AsOf(Sources sources) : sources_(std::move(sources)) {}
  ~AsOf() { stopping_ = true; }

  using OnFolded = std::function<void(Result<RowView>)>;

  // `done` gets the rows of `owner` in that projection as of `at`, on a thread that may be kept for
  // a while; errors are those of fold_past(). kUnavailable at once, too: too many wait.
  void fold(std::string_view projection, const std::string& owner, Timestamp at, bool aged,
            OnFolded done);

 private:
  const Sources sources_;
  std::atomic<bool> stopping_ = false;
  ThreadPool workers_{2, 64};  // last: it waits for those that run
};

}  // namespace tilth
