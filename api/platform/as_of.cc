#include "api/platform/as_of.h"

namespace tilth {

void AsOf::fold(std::string_view projection, const std::string& owner, Timestamp at, bool aged,
                OnFolded done) {
  const auto& sources = sources_.find(projection)->second;
  const bool posted = workers_.post([this, &sources, owner, at, aged, done] {
    done(fold_past(sources, owner, at, aged, [this] { return !stopping_; }));
  });
  if (posted) return;
  done(Error{.code = ErrorCode::kUnavailable,
             .message = "Too many answers as of earlier times are under way.",
             .retry_after_seconds = 5});
}

}  // namespace tilth
