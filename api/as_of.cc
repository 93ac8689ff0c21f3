#include "api/as_of.h"

namespace tilth {

void AsOf::fold(const std::string& owner, Timestamp at, bool aged, OnFolded done) {
  const bool posted = workers_.post([this, owner, at, aged, done] {
    done(fold_past(sources_, owner, at, aged, [this] { return !stopping_; }));
  });
  if (posted) return;
  done(Error{.code = ErrorCode::kUnavailable,
             .message = "Too many answers as of earlier times are under way.",
             .retry_after_seconds = 5});
}

}  // namespace tilth
