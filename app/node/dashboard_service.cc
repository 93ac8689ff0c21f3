#include "app/node/dashboard_service.h"

#include <utility>

#include "api/dashboard/pages.h"
#include "api/openapi/openapi.h"
#include "api/platform/api.h"
#include "infra/system/password.h"

namespace tilth {
namespace {

constexpr std::size_t kForPasswords = 2, kForTheProvider = 4, kMostWaiting = 100;

std::unique_ptr<OpenIdProvider> make_provider(const Config::OpenId& its, const Clock& clock) {
  if (its.issuer.empty()) return nullptr;
  return std::make_unique<OpenIdProvider>(
      OpenIdSettings{its.issuer, its.client_id, its.client_secret, its.name, its.scopes}, clock);
}

std::vector<DashboardRoute> all_dashboard_routes(bool with_provider) {
  auto routes = dashboard_routes();
  auto described = describe(all_routes());
  for (auto& own : describe(routes)) described.push_back(std::move(own));
  if (with_provider) {
    for (auto& route : provider_routes()) routes.push_back(std::move(route));
  }
  for (auto& page : page_routes(openapi_document(described))) routes.push_back(std::move(page));
  return routes;
}

DashboardSettings settings_of(const Config& config, IdentityProvider* provider) {
  return {.plans = config.plans,
          .unauthenticated_per_minute =
              static_cast<std::uint64_t>(config.limits.unauthenticated_per_minute),
          .trusted_proxies = config.http.trusted_proxies,
          .on_loopback = config.listen.is_loopback(),
          .commands = config.roles.command,
          .provider = provider,
          .first_plan = config.open_id.plan};
}

}  // namespace

DashboardService::DashboardService(const Config& config, const Borrowed& lent)
    : provider_(make_provider(config.open_id, lent.clock)),
      passwords_(std::make_unique<ThreadPool>(kForPasswords, kMostWaiting)),
      askers_(std::make_unique<ThreadPool>(kForTheProvider, kMostWaiting)) {
  if (!config.open_id.client_secret.empty()) lent.log.keep_secret(config.open_id.client_secret);
  dashboard_ = std::make_unique<Dashboard>(
      settings_of(config, provider_.get()),
      DashboardParts{lent.access, lent.registry, lent.usage.sessions(), lent.usage.login_throttle(),
                     *passwords_, *askers_, lent.limiter, lent.digest, lent.clock, lent.ids,
                     is_password, lent.lease},
      all_dashboard_routes(provider_ != nullptr));
}

void DashboardService::stop() {
  if (provider_) provider_->stop();
  askers_.reset();
  passwords_.reset();
}

}  // namespace tilth
