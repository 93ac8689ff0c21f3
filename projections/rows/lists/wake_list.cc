#include "projections/rows/lists/wake_list.h"

#include <set>

namespace tilth {
namespace {

constexpr std::string_view kWakes = "\1wake";  // no stream begins with this byte
constexpr std::size_t kTimeBytes = 8;

}  // namespace

std::string wake_key(std::string_view at, std::string_view stream, std::string_view row) {
  return std::string(kWakes).append(at).append(stream).append(1, '\0').append(row);
}

std::optional<Timestamp> next_wake(const RowReader& rows) {
  const auto cursor = rows.cursor();
  cursor->seek(kWakes);
  if (!cursor->valid() || !cursor->key().starts_with(kWakes)) return std::nullopt;
  return Timestamp::of_sort_key(cursor->key().substr(kWakes.size(), kTimeBytes));
}

std::vector<std::string> streams_to_wake(const RowReader& rows, Timestamp now, std::size_t at_most,
                                         std::size_t look_at) {
  std::vector<std::string> streams;
  std::set<std::string, std::less<>> seen;
  const auto last = std::string(kWakes) + now.sort_key();
  const auto cursor = rows.cursor();
  cursor->seek(kWakes);
  while (streams.size() < at_most && look_at-- > 0 && cursor->valid() &&
         cursor->key().starts_with(kWakes) && cursor->key().substr(0, last.size()) <= last) {
    const auto end = cursor->key().find('\0', last.size());
    const auto stream = cursor->key().substr(last.size(), end - last.size());
    if (seen.emplace(stream).second) streams.emplace_back(stream);
    // Skips the rest of the stream at this instant.
    cursor->seek(std::string(cursor->key().substr(0, end)).append(1, '\1'));
  }
  return streams;
}

}  // namespace tilth
