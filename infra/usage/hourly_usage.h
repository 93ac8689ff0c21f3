// Counts requests by hour and key, over restarts and on all nodes.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "api/usage/usage_history.h"
#include "infra/usage/usage_store.h"

namespace tilth {

// What a node has counted for a key in an hour: all of it, so that hearing of it twice counts once.
struct HourlyTotal {
  std::string owner;
  std::int64_t hour = 0;  // since 1970
  std::string key_id;
  std::int64_t requests = 0;
  std::int64_t limited = 0;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("user", owner), member("hour", hour), member("key", key_id),
       member("requests", requests), member("limited", limited));
  }
};

// Operation: each node has an entry of its own for each hour of a key, in the usage store of every
// node, and only that node counts it up; a query adds the entries. keep() stores what was counted
// since the last call, and erases some of what is too old, looking at the entries in turn.
//
// Threads: any; keep() from one.
//
// Crash: what was counted since the last keep() is lost.
class HourlyUsage final : public UsageHistory {
 public:
  // The store must outlive it. `node`: this node's name. `catch_up`: called before a query, so that
  // everything that is known by then is counted.
  HourlyUsage(
      UsageStore& store, std::string node, std::function<void()> catch_up = [] {})
      : store_(store), node_(std::move(node)), catch_up_(std::move(catch_up)) {}

  void count(const std::string& owner, const std::string& key_id, Timestamp at, bool limited);

  // The totals that have changed, for the other nodes. kUnavailable: nothing was stored; the next
  // call stores it.
  Result<std::vector<HourlyTotal>> keep(Timestamp now);

  // Another node's totals. kUnavailable: they could not be stored.
  Status apply(const std::string& node, const std::vector<HourlyTotal>& totals, Timestamp now);

  Result<std::vector<HourOfKey>> find(const std::string& owner, Timestamp since,
                                      Timestamp now) override;

 private:
  struct Counted {
    std::int64_t requests = 0, limited = 0;
  };
  using Hour = std::tuple<std::string, std::int64_t, std::string>;  // owner, hour, key

  Status add_old(UsageStore::Changes& changes, Timestamp now);

  UsageStore& store_;
  const std::string node_;
  const std::function<void()> catch_up_;

  std::mutex mutex_;                 // guards what follows, and the order of changes in the store
  std::map<Hour, Counted> counted_;  // and not stored yet
  std::string looked_until_;
};

}  // namespace tilth
