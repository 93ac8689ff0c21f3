#include "app/node/bulk_fill.h"

#include <atomic>

namespace tilth {

std::uint64_t fill_in_bulk(const BulkFill& parts, RocksStore& store,
                           const OperatorOverrides& orders, const std::vector<Position>& ends,
                           const OnFilled& on_filled) {
  try {
    if (!BulkFold::may_fill(parts.projection, store, parts.log)) return 0;
  } catch (const UnreadableRows&) {  // folding page by page hits and reports them
    return 0;
  }
  BulkFold::Limits limits;
  limits.most_bytes /= static_cast<std::size_t>(parts.projection.cells);
  BulkFold fold(parts.log, parts.projection, orders, ends, limits);
  std::atomic<bool> told_to_end = false;
  const auto done = fold.run(store, [&] {
    if (!on_filled(fold.progress())) told_to_end = true;
    return !told_to_end;
  });
  if (done) return fold.progress().folded;
  if (!told_to_end) {
    parts.log_lines.warn(
        "A projection cannot be folded in bulk; it is folded page by page.",
        {{"projection", parts.projection.title()}, {"reason", done.error().message}});
  }
  return 0;
}

}  // namespace tilth
