#include "infra/kafka/read/own_records.h"

#include <algorithm>
#include <functional>
#include <iterator>

namespace tilth {

void OwnRecords::add_own(const Position& position, std::shared_ptr<const Record> record) {
  const std::lock_guard lock(mutex_);
  auto& records = own_[position.partition];
  if (records.size() >= kMost) records.clear();
  if (!records.empty() && position.offset < records.back().first) return;
  records.emplace_back(position.offset, std::move(record));
  any_ = true;
  if (wake_) wake_();
}

Result<std::optional<LoggedRecord>> OwnRecords::take(const std::map<int, std::int64_t>& next) {
  lacks_.clear();
  if (!any_) return std::optional<LoggedRecord>();
  const std::lock_guard lock(mutex_);
  for (auto at = own_.begin(); at != own_.end();) {
    auto& [partition, records] = *at;
    const auto wanted = next.find(partition);
    const auto until = wanted == next.end() ? INT64_MAX : wanted->second;
    for (; !records.empty() && records.front().first < until; records.pop_front()) {
      const auto& [offset, record] = records.front();
      const auto same = compare({partition, offset}, record->envelope.id);
      if (!same) return same.error();
    }
    if (!records.empty() && records.front().first == until) {
      LoggedRecord own{{partition, until}, std::move(records.front().second)};
      records.pop_front();
      return std::optional(std::move(own));
    }
    if (!records.empty()) lacks_[partition] = records.front().first - 1;
    at = records.empty() ? own_.erase(at) : std::next(at);
  }
  any_ = !own_.empty();
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
