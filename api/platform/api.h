// The REST API's platform: what every request under /api goes through before its route is carried
// out, in the order that the contract fixes.

#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/http/http.h"
#include "api/keys/access_lease.h"
#include "api/keys/authentication.h"
#include "api/keys/key_digest.h"
#include "api/keys/key_ring.h"
#include "api/platform/exchange.h"
#include "api/platform/fallback_handler.h"
#include "api/platform/streams.h"
#include "api/platform/thread_pool.h"
#include "api/routing/route.h"
#include "api/routing/router.h"
#include "api/usage/rate_limiter.h"
#include "command/loop/command_loop.h"
#include "events/values/ids.h"
#include "events/values/time.h"

namespace tilth {

class AsOf;
class OwnHistory;

// What a plan allows.
struct PlanLimits {
  std::uint64_t requests_per_hour = 0;
  std::optional<std::int64_t> farms = 0;  // null: unlimited
};

struct ApiSettings {
  std::function<PlanLimits(const std::string& plan)> plan;
  std::uint64_t unauthenticated_per_minute = 60;
  std::vector<Network> trusted_proxies = {};
  // What this node does, of what is asked here.
  bool commands = true;
  bool queries = true;
};

// Borrowed; must outlive the API.
struct ApiParts {
  CommandLoop& registry;
  const KeyRing& keys;
  const KeyDigest& digest;
  RateLimiter& limiter;
  const Clock& clock;
  const IdSource& ids;
  StreamThreads& streams;
  Exchange::OnAnswered on_answered = {};
  FallbackHandler* outside = nullptr;  // what answers outside /api/v1, if anything
  OwnHistory* own_history = nullptr;
  AsOf* as_of = nullptr;
  AccessLease* lease = nullptr;  // null: no one else writes to the log
  // What `keys` follows from; null in tests that fill it by themselves.
  const Projector* access = nullptr;
  std::map<std::string_view, CommandLoop*> others = {};  // the projections that some routes ask
};

// Threads: handle() from any.
class Api final : public HttpHandler {
 public:
  Api(ApiSettings settings, ApiParts parts, std::vector<Route> routes);

  // Until then everything is answered 503.
  void set_ready(bool ready) { ready_ = ready; }

  void handle(HttpRequest request, std::unique_ptr<Responder> responder) override;
  HttpResponse refuse(int status, std::string_view reason, const HttpRequest& heard) override;

 private:
  static constexpr std::chrono::seconds kTimeout{2};  // for Tilth-Min-Position
  using Shared = std::shared_ptr<Exchange>;
  using Holder = std::shared_ptr<const KeyHolder>;
  // A request that may be carried out.
  struct Work {
    Shared exchange;
    Holder holder;
    const Route* route;
    Result<Intent> intent;
    std::optional<Idempotency> idempotency;
    std::optional<Timestamp> as_of;  // null: now

    const std::string& owner() const { return holder->user_id; }
    std::string stream() const {  // whose rows it asks
      return route->stream.empty() ? owner() : std::string(route->stream);
    }
  };

  void serve(const Shared& exchange);
  void serve_outside(const Shared& exchange, const std::string& client,
                     const Result<Holder>& authenticated);
  bool doubtful(const Result<Holder>& holder, const std::string& client, Timestamp now) const;
  void serve_caller(const Shared& exchange, const std::string& client, Result<Holder> holder);
  Result<Holder> admit(Exchange& exchange, const std::string& client, Result<Holder> found,
                       Timestamp now);
  void serve_admitted(const Shared& exchange, const Holder& holder,
                      std::span<const std::string_view> segments);
  void serve_large(const Shared& exchange, const Holder& holder);
  void serve_route(const Shared& exchange, const Holder& holder, const Router<Route>::Match& match);
  void go_on(Work work);
  void carry_out(Work work);
  void ask(Work work);
  void ask_registry(Work work);
  void ask_other(Work work, const std::vector<Position>& since);
  void ask_when_aged(Work work, CommandLoop& loop, const std::string& stream, Timestamp now);
  void ask_past(Work work);
  void answer_from(const Work& work, RowView view, Timestamp now);
  void send_piece_by_piece(const Shared& exchange, const std::shared_ptr<RowView>& view,
                           Answer answer);
  void from_rows(const Shared& exchange, const std::function<void()>& answer);
  void cannot_read(const UnreadableRows& rows);
  std::string client_of(const HttpRequest& request) const;

  const ApiSettings settings_;
  const ApiParts parts_;
  const Router<Route> router_;
  std::atomic<bool> ready_ = false;
  ThreadPool large_bodies_;  // reads them; goes first
};

// Every route of the REST API; see routes.cc.
std::vector<Route> all_routes();

}  // namespace tilth
