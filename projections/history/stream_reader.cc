#include "projections/history/stream_reader.h"

#include <algorithm>
#include <utility>

#include "events/log/log_end.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;

constexpr auto kTimeout = 2s;       // for the index
constexpr auto kReadTimeout = 10s;  // for the log
constexpr std::size_t kAtOnce = 512;
constexpr std::size_t kAhead = 8;   // times as many offsets are read as records
constexpr std::int64_t kNear = 16;  // reading this many other records is cheaper than a seek

}  // namespace

StreamReader::StreamReader(EventLog& log, StreamIndex& index, std::string stream)
    : log_(log), index_(index), stream_(std::move(stream)), partition_(log.partition_of(stream_)) {}

Status StreamReader::refresh() {
  const auto end = end_of(log_, partition_);
  if (!end) return end.error();
  if (const auto reached = index_.reach({partition_, *end}, kTimeout); !reached) return reached;
  end_ = *end;
  version_ = index_.version_at(stream_, *end);
  offsets_.clear();
  if (!wanted_) return kDone;
  auto types = index_.types(stream_);
  const auto unwanted = std::erase_if(types, [this](const auto& type) { return !wanted_(type); });
  types_.reset();
  if (unwanted > 0) types_ = std::move(types);  // else the records follow one another
  return kDone;
}

bool StreamReader::go_on_after(const Position& position) {
  if (position.partition != partition_) return false;
  const auto version = index_.version_at(stream_, position.offset);
  const auto there = index_.offsets(stream_, version, 1);
  if (there.empty() || there.front() != position.offset) return false;
  next_ = version + 1;
  next_offset_ = position.offset + 1;
  offsets_.clear();
  return true;
}

// Reads some more than are wanted now: a run of the index is decoded as a whole.
std::vector<std::int64_t> StreamReader::next_offsets(std::size_t limit) {
  if (offsets_.empty()) {
    const auto read = read_offsets(kAhead * limit);
    offsets_.assign(read.begin(), read.end());
  }
  limit = std::min(limit, offsets_.size());
  return {offsets_.begin(), offsets_.begin() + static_cast<std::ptrdiff_t>(limit)};
}

std::vector<std::int64_t> StreamReader::read_offsets(std::size_t limit) const {
  if (types_) {
    auto offsets = index_.offsets_of(stream_, *types_, next_offset_, limit);
    std::erase_if(offsets, [this](auto offset) { return offset >= end_; });
    return offsets;
  }
  if (next_ >= version_) return {};
  limit = std::min(limit, static_cast<std::size_t>(version_ - next_));
  return index_.offsets(stream_, next_, limit);
}

Result<std::vector<LoggedRecord>> StreamReader::next(std::size_t limit) {
  std::vector<LoggedRecord> found;
  const auto offsets = next_offsets(std::min(limit, kAtOnce));
  const auto* const end = offsets.data() + offsets.size();
  found.reserve(offsets.size());
  for (const auto* first = offsets.data(); first != end;) {
    const auto* last = first + 1;
    while (last != end && *last - *(last - 1) <= kNear) ++last;
    const auto read = read_run(first, last, found);
    if (!read) {
      if (found.empty()) return read.error();
      break;
    }
    first = last;
  }
  next_ += found.size();
  offsets_.erase(offsets_.begin(), offsets_.begin() + std::ssize(found));
  if (!found.empty()) next_offset_ = found.back().position.offset + 1;
  return found;
}

// The records at offsets that are close together: all of them, or those before an error.
Status StreamReader::read_run(const std::int64_t* first, const std::int64_t* last,
                              std::vector<LoggedRecord>& found) {
  if (const auto moved = move_to(*first); !moved) return moved;
  const auto until = std::chrono::steady_clock::now() + kReadTimeout;
  while (first != last) {
    const auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(*(last - 1) - at_ + 1, 1));
    auto page = reader_->next(std::min(wanted, kAtOnce), 200ms);
    if (!page) return page.error();
    for (auto& logged : *page) {
      const auto offset = logged.position.offset;
      at_ = offset + 1;
      if (first == last || offset < *first) continue;
      if (offset > *first || logged.record->stream != stream_) {
        return Error{ErrorCode::kDamaged, "The index of the history does not fit the log."};
      }
      found.push_back(std::move(logged));
      ++first;
    }
    if (page->empty() && std::chrono::steady_clock::now() > until) {
      return Error{.code = ErrorCode::kUnavailable,
                   .message = "The event log cannot be read at the moment.",
                   .retry_after_seconds = 1};
    }
  }
  return kDone;
}

Status StreamReader::move_to(std::int64_t offset) {
  if (reader_ && offset >= at_) {
    reader_->skip_to({partition_, offset});
  } else {
    auto reader = log_.read({{partition_, offset}});
    if (!reader) return reader.error();
    reader_ = std::move(*reader);
  }
  at_ = offset;
  return kDone;
}

}  // namespace tilth
