#include "infra/kafka/read/own_records.h"

#include <algorithm>
#include <functional>
#include <iterator>

namespace tilth {

void OwnRecords::add_own(const Position& position, std::shared_ptr<const Record> record) {
  const std::lock_guard lock(mutex_);
  auto& told = told_[position.partition];
  if (told.size() >= kMost) told.clear();
  if (!told.empty() && position.offset < told.back().first) return;
  told.emplace_back(position.offset, std::move(record));
  any_ = true;
  if (wake_) wake_();
}

Result<std::optional<LoggedRecord>> OwnRecords::take(const std::map<int, std::int64_t>& next) {
  lacks_.clear();
  if (!any_) return std::optional<LoggedRecord>();
  const std::lock_guard lock(mutex_);
  for (auto at = told_.begin(); at != told_.end();) {
    auto& [partition, told] = *at;
    const auto wanted = next.find(partition);
    const auto until = wanted == next.end() ? INT64_MAX : wanted->second;
    for (; !told.empty() && told.front().first < until; told.pop_front()) {
      const auto& [offset, record] = told.front();
      const auto same = compare({partition, offset}, record->envelope.id);
      if (!same) return same.error();
    }
    if (!told.empty() && told.front().first == until) {
      LoggedRecord own{{partition, until}, std::move(told.front().second)};
      told.pop_front();
      return std::optional(std::move(own));
    }
    if (!told.empty()) lacks_[partition] = told.front().first - 1;
    at = told.empty() ? told_.erase(at) : std::next(at);
  }
  any_ = !told_.empty();
  return std::optional<LoggedRecord>();
}

Status OwnRecords::keep_in_mind(const Position& position, std::string_view id) {
  auto& read = read_[position.partition];
  if (!read.empty() && position.offset <= read.back().first) return compare(position, id);
  read.emplace_back(position.offset, std::hash<std::string_view>()(id));
  if (read.size() > kMostInMind) read.pop_front();
  return kDone;
}

Status OwnRecords::compare(const Position& position, std::string_view id) const {
  const auto read = read_.find(position.partition);
  if (read == read_.end()) return kDone;
  const auto found = std::ranges::lower_bound(read->second, position.offset, {},
                                              [](const auto& each) { return each.first; });
  const bool known = found != read->second.end() && found->first == position.offset;
  if (!known || found->second == std::hash<std::string_view>()(id)) return kDone;
  return Error{ErrorCode::kLost, "The topic " + topic_ + " is another one than it was: partition " +
                                     std::to_string(position.partition) + ", offset " +
                                     std::to_string(position.offset) +
                                     " has another record than was read there."};
}

void OwnRecords::close() {
  const std::lock_guard lock(mutex_);
  wake_ = nullptr;
}

}  // namespace tilth
