// Caches where the streams are that were written lately.

#pragma once

#include <cstddef>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "events/log/version_gate.h"

namespace tilth {

// At most `capacity` streams; the least recently used one is evicted. Belongs to one thread. Crash:
// lost, but the embedded log stores every version on disk, too.
class HeadCache {
 public:
  explicit HeadCache(std::size_t capacity) : capacity_(capacity) {}

  std::optional<StreamHead> find(std::string_view stream) {
    const auto found = by_stream_.find(stream);
    if (found == by_stream_.end()) return std::nullopt;
    entries_.splice(entries_.begin(), entries_, found->second);
    return found->second->second;
  }

  void put(std::string_view stream, StreamHead head) {
    if (find(stream)) {
      entries_.front().second = std::move(head);
      return;
    }
    entries_.emplace_front(stream, std::move(head));
    by_stream_.emplace(entries_.front().first, entries_.begin());
    if (entries_.size() <= capacity_) return;
    by_stream_.erase(entries_.back().first);
    entries_.pop_back();
  }

  void clear() {
    by_stream_.clear();
    entries_.clear();
  }

 private:
  using Entries = std::list<std::pair<std::string, StreamHead>>;

  const std::size_t capacity_;
  Entries entries_;                                                    // most recently used first
  std::unordered_map<std::string_view, Entries::iterator> by_stream_;  // its keys refer to entries_
};

}  // namespace tilth
