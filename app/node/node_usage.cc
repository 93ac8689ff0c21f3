#include "app/node/node_usage.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "infra/system/clock.h"

namespace tilth {
namespace {

// `kRemembered`: nothing shared is valid longer than a session.
constexpr int kTooManyRequests = 429;
constexpr std::chrono::seconds kLastWords{1};
constexpr std::chrono::minutes kRemembered = Sessions::kLength + std::chrono::minutes(5);

// Opens the store and restores the limiter.
Result<std::unique_ptr<UsageStore>> open_readable(const NodeUsage::Parts& parts) {
  auto opened = UsageStore::open(parts.directory, parts.memory);
  if (!opened) return opened;
  const auto restored = (*opened)->restore(parts.limiter, parts.clock.now());
  if (!restored) return restored.error();
  return opened;
}

// Nothing in it is history: if the disk has damaged it, the node starts without it.
Result<std::unique_ptr<UsageStore>> open_store(const NodeUsage::Parts& parts) {
  auto opened = open_readable(parts);
  if (opened || opened.error().code != ErrorCode::kDamaged) return opened;
  parts.log_lines.warn(
      "The usage counts and the sessions are damaged: limits count from zero, and users sign in "
      "again.",
      {{"reason", opened.error().message}});
  std::error_code failed;
  std::filesystem::remove_all(parts.directory, failed);
  return open_readable(parts);
}

// The same for the request log.
Result<std::unique_ptr<RocksRequestLog>> open_requests(const NodeUsage::Parts& parts,
                                                       const RocksRequestLog::OnNoted& on_noted) {
  auto opened =
      RocksRequestLog::open(parts.requests_directory, parts.memory, on_noted, parts.is_erased);
  if (opened || opened.error().code != ErrorCode::kDamaged) return opened;
  parts.log_lines.warn("The request log is damaged, and begins again.",
                       {{"reason", opened.error().message}});
  std::error_code failed;
  std::filesystem::remove_all(parts.requests_directory, failed);
  return RocksRequestLog::open(parts.requests_directory, parts.memory, on_noted, parts.is_erased);
}

Result<std::unique_ptr<UsageSharing>> share(const NodeUsage::Parts& parts, Sessions& sessions,
                                            HourlyUsage& hourly, UsageStore& store) {
  const auto begin = [shared = parts.shared]() -> Result<std::unique_ptr<LogReader>> {
    const auto from = shared->since({SystemClock().now().at - kRemembered});
    return from ? shared->read(*from) : from.error();
  };
  auto reader = begin();
  if (!reader) return reader.error();
  return std::make_unique<UsageSharing>(
      UsageSharing::Parts{
          .log = *parts.shared,
          .limiter = parts.limiter,
          .sessions = sessions,
          .clock = parts.clock,
          .ids = parts.ids,
          .node = parts.node,
          .log_line = [&lines = parts.log_lines](std::string_view line) { lines.warn(line); },
          .known = parts.known,
          .begin = begin,
          .on_hours = [&hourly, &clock = parts.clock](
                          const std::string& node,
                          const auto& totals) { return hourly.apply(node, totals, clock.now()); },
          .on_uses = [&store](const auto& totals) { return store.keep(totals); }},
      std::move(*reader));
}

}  // namespace

Result<std::unique_ptr<NodeUsage>> NodeUsage::open(const Parts& parts) {
  std::unique_ptr<NodeUsage> usage(new NodeUsage(parts.clock));
  auto opened = open_store(parts);
  if (!opened) return opened.error();
  usage->store_ = std::move(*opened);
  usage->hourly_ = std::make_unique<HourlyUsage>(
      *usage->store_, parts.node, [its = usage.get()] { its->requests_->collect(); });
  auto requests = open_requests(
      parts, [hourly = usage->hourly_.get()](const std::string& owner, const LoggedRequest& each) {
        hourly->count(owner, each.key_id, each.time, each.status == kTooManyRequests);
      });
  if (!requests) return requests.error();
  usage->requests_ = std::move(*requests);
  usage->kept_sessions_ = std::make_unique<KeptSessions>(*usage->store_);
  usage->sessions_ = std::make_unique<Sessions>(
      *usage->kept_sessions_, parts.digest, parts.clock, parts.ids,
      [its = usage.get()](const SessionChange& change) { its->share_session(change); },
      parts.is_erased);
  if (const auto signed_in = usage->sessions_->restore(); !signed_in) return signed_in.error();
  usage->login_throttle_store_ = std::make_unique<RocksLoginThrottleStore>(*usage->store_);
  usage->login_throttle_ =
      std::make_unique<LoginThrottle>(*usage->login_throttle_store_, parts.digest);
  if (const auto failed = usage->login_throttle_->restore(parts.clock.now()); !failed) {
    return failed.error();
  }
  if (parts.shared != nullptr) {
    auto shared = share(parts, *usage->sessions_, *usage->hourly_, *usage->store_);
    if (!shared) return shared.error();
    usage->sharing_ = std::move(*shared);
  }
  usage->keeper_ = std::make_unique<UsageKeeper>(
      parts.limiter, parts.clock,
      [its = usage.get(), &lines = parts.log_lines, failing = false](const auto& changes,
                                                                     Timestamp now) mutable {
        const auto noted = its->requests_->keep_now_and_then(now);
        if (!noted && !failing) lines.warn(noted.error().message);
        failing = !noted;
        its->sessions_->drop_ended();
        const auto totals = its->hourly_->keep(now);
        if (its->sharing_) {
          if (totals) its->sharing_->share_hours(*totals);
          its->sharing_->share(changes);
        }
        const auto kept = its->store_->keep(changes, now);
        return kept && !totals ? Status(totals.error()) : kept;
      },
      [&lines = parts.log_lines](std::string_view line) { lines.warn(line); });
  return usage;
}

Status NodeUsage::forget(const std::string& owner) {
  if (const auto forgotten = requests_->forget(owner); !forgotten) return forgotten;
  return store_->compact();
}

void NodeUsage::stop() {
  keeper_->stop();
  static_cast<void>(requests_->keep(clock_.now()));  // it has told why it could not
  if (sharing_) sharing_->finish(kLastWords);
}

// A user who signed in here may send the next request to another node.
void NodeUsage::share_session(const SessionChange& change) {
  if (!sharing_) return;
  sharing_->share_session(change);
  keeper_->wake();
}

}  // namespace tilth
