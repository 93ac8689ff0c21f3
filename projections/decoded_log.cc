#include "projections/decoded_log.h"

#include <algorithm>

#include "projections/fold_record.h"
#include "projections/log_part.h"

namespace tilth {
namespace {

constexpr std::size_t kPage = 1'024;
constexpr std::size_t kPagesAhead = 8;

}  // namespace

DecodedLog::DecodedLog(EventLog& log, const std::vector<Position>& from,
                       const std::vector<Position>& ends, Follows follows)
    : log_(log), follows_(std::move(follows)) {
  const std::size_t most = std::max(1U, std::thread::hardware_concurrency());
  const auto readers = std::min(most, from.size());
  readers_ = readers;  // each of which leaves when it is done
  for (std::size_t i = 0; i < readers; ++i) {
    std::vector<Position> own, own_ends;
    for (auto partition = i; partition < from.size(); partition += readers) {
      own.push_back(from[partition]);
      own_ends.push_back(ends[partition]);
    }
    threads_.emplace_back([this, own, own_ends](const std::stop_token& stop) {
      read(stop, own, own_ends);
      const std::lock_guard lock(mutex_);
      --readers_;
      changed_.notify_all();
    });
  }
}

DecodedLog::~DecodedLog() {
  for (auto& thread : threads_) thread.request_stop();
}

void DecodedLog::read(const std::stop_token& stop, const std::vector<Position>& from,
                      const std::vector<Position>& ends) {
  LogPart part(log_);
  part.end_before(ends);
  const auto reader = part.read(from);
  if (!reader) return (void)hand_over(stop, reader.error());
  auto next = from;
  const auto at_end = [&] {
    for (std::size_t i = 0; i < next.size(); ++i) {
      if (next[i].offset < ends[i].offset) return false;
    }
    return true;
  };
  while (!stop.stop_requested() && !at_end()) {
    auto read = (*reader)->next(kPage, {});
    if (!read && read.error().code == ErrorCode::kUnavailable) continue;
    if (!read) return (void)hand_over(stop, read.error());
    std::vector<DecodedRecord> page;
    page.reserve(read->size());
    for (auto& logged : *read) {
      for (auto& each : next) {
        if (each.partition == logged.position.partition) each.offset = logged.position.offset + 1;
      }
      const bool followed = follows_(logged.record.stream);
      auto event = followed ? std::optional(event_of(logged)) : std::nullopt;
      page.push_back({std::move(logged), std::move(event)});
    }
    if (!page.empty() && !hand_over(stop, std::move(page))) return;
  }
}

bool DecodedLog::hand_over(const std::stop_token& stop, Result<std::vector<DecodedRecord>> page) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, stop, [this] { return pages_.size() < kPagesAhead; });
  if (stop.stop_requested()) return false;
  pages_.push_back(std::move(page));
  changed_.notify_all();
  return true;
}

Result<std::vector<DecodedRecord>> DecodedLog::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !pages_.empty() || readers_ == 0; });
  if (pages_.empty()) return std::vector<DecodedRecord>();
  auto page = std::move(pages_.front());
  pages_.pop_front();
  changed_.notify_all();
  return page;
}

}  // namespace tilth
