#include "app/node_usage.h"

#include <utility>

#include "infra/clock.h"

namespace tilth {
namespace {

constexpr std::chrono::minutes kLongestWindow{65};  // of a limit, and a little more

Result<std::unique_ptr<UsageSharing>> share(const NodeUsage::Parts& parts) {
  const auto from = parts.shared->since({SystemClock().now().at - kLongestWindow});
  if (!from) return from.error();
  auto reader = parts.shared->read(*from);
  if (!reader) return reader.error();
  return std::make_unique<UsageSharing>(
      UsageSharing::Parts{*parts.shared, parts.limiter, parts.clock, parts.ids, parts.node,
                          [&lines = parts.log_lines](std::string_view line) { lines.warn(line); }},
      std::move(*reader));
}

}  // namespace

Result<std::unique_ptr<NodeUsage>> NodeUsage::open(const Parts& parts) {
  std::unique_ptr<NodeUsage> usage(new NodeUsage);
  auto opened = UsageStore::open(parts.directory, parts.memory);
  if (!opened) return opened.error();
  usage->store_ = std::move(*opened);
  const auto restored = usage->store_->restore(parts.limiter, parts.clock.now());
  if (!restored) return restored.error();
  if (parts.shared != nullptr) {
    auto shared = share(parts);
    if (!shared) return shared.error();
    usage->sharing_ = std::move(*shared);
  }
  usage->keeper_ = std::make_unique<UsageKeeper>(
      parts.limiter, parts.clock,
      [store = usage->store_.get(), sharing = usage->sharing_.get()](const auto& changes,
                                                                     Timestamp now) {
        if (sharing != nullptr) sharing->share(changes);
        return store->keep(changes, now);
      },
      [&lines = parts.log_lines](std::string_view line) { lines.warn(line); });
  return usage;
}

}  // namespace tilth
