// A node's request counts, request log, sessions and failed sign-ins: stored across restarts. The
// counts and the sessions are shared with the other nodes.

#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "api/keys/key_digest.h"
#include "api/usage/login_throttle.h"
#include "api/usage/rate_limiter.h"
#include "api/usage/sessions.h"
#include "events/values/ids.h"
#include "infra/kafka/kafka_event_log.h"
#include "infra/log_lines/log_lines.h"
#include "infra/usage/hourly_usage.h"
#include "infra/usage/login_throttle_store.h"
#include "infra/usage/rocks_request_log.h"
#include "infra/usage/session_store.h"
#include "infra/usage/usage_keeper.h"
#include "infra/usage/usage_sharing.h"
#include "infra/usage/usage_store.h"

namespace tilth {

class NodeUsage {
 public:
  struct Parts {
    std::filesystem::path directory;
    std::filesystem::path requests_directory;
    const RocksMemory& memory;
    RateLimiter& limiter;
    const KeyDigest& digest;
    const Clock& clock;
    const IdSource& ids;
    std::string node;
    KafkaEventLog* shared;  // null: this node is alone
    LogLines& log_lines;
    std::function<std::int64_t()> known;  // see UsageSharing::Parts
    // Whether that user was erased: then nothing more of theirs is stored.
    std::function<bool(const std::string& user_id)> is_erased;
  };

  // Restores the limiter, the sessions and the login throttle, then stores and shares what follows.
  // All arguments must outlive it. Errors: UsageStore's and the log's.
  static Result<std::unique_ptr<NodeUsage>> open(const Parts& parts);

  UsageStore& store() { return *store_; }
  Sessions& sessions() { return *sessions_; }
  RequestLog& requests() { return *requests_; }
  UsageHistory& history() { return *hourly_; }
  LoginThrottle& login_throttle() { return *login_throttle_; }

  // What a lease must know of the other nodes. Only if there are some.
  AccessLease::Others others() const {
    return {.is_current = [sharing = sharing_.get()] { return sharing->fresh(); },
            .know = [sharing = sharing_.get()](auto since) { return sharing->is_shared(since); }};
  }

  // Whether this node has counted what the others count, up to a moment ago. Without that it admits
  // no key.
  bool is_current() const { return sharing_ == nullptr || sharing_->is_current(); }

  // Whether no other node has shared anything recently.
  bool alone() const { return sharing_ == nullptr || sharing_->alone(); }

  // Removes what the request log has of that owner, from its files too, and the bytes of ended
  // sessions. kUnavailable: not all is removed.
  Status forget(const std::string& owner);

  // Stores and shares one last time, then stops.
  void stop();

 private:
  explicit NodeUsage(const Clock& clock) : clock_(clock) {}

  void share_session(const SessionChange& change);

  const Clock& clock_;
  std::unique_ptr<UsageStore> store_;
  std::unique_ptr<HourlyUsage> hourly_;
  std::unique_ptr<RocksRequestLog> requests_;
  std::unique_ptr<KeptSessions> kept_sessions_;
  std::unique_ptr<Sessions> sessions_;
  std::unique_ptr<RocksLoginThrottleStore> login_throttle_store_;
  std::unique_ptr<LoginThrottle> login_throttle_;
  std::unique_ptr<UsageSharing> sharing_;  // null: this node is alone
  std::unique_ptr<UsageKeeper> keeper_;
};

}  // namespace tilth
