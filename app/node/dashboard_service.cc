#include "app/node/dashboard_service.h"

#include <utility>

#include "api/openapi/openapi.h"
#include "infra/system/password.h"

namespace tilth {
namespace {

std::unique_ptr<OpenIdProvider> make_provider(const Config::OpenId& its, const Clock& clock) {
  if (its.issuer.empty()) return nullptr;
  return std::make_unique<OpenIdProvider>(
      OpenIdSettings{its.issuer, its.client_id, its.client_secret, its.name, its.scopes}, clock);
}

DashboardSettings settings_of(const Config& config, IdentityProvider* provider) {
  return {.plans = config.plans,
          .trusted_proxies = config.http.trusted_proxies,
          .on_loopback = config.listen.is_loopback(),
          .commands = config.roles.command,
          .provider = provider,
          .first_plan = config.open_id.plan};
}

}  // namespace

DashboardService::DashboardService(const Config& config, const Borrowed& borrowed)
    : tiles_{config.dashboard.tiles, config.dashboard.tiles_attribution},
      provider_(make_provider(config.open_id, borrowed.clock)) {
  if (!config.open_id.client_secret.empty()) borrowed.log.keep_secret(config.open_id.client_secret);
  dashboard_ = std::make_unique<Dashboard>(
      settings_of(config, provider_.get()),
      DashboardParts{borrowed.access, borrowed.registry, borrowed.row_faults,
                     borrowed.usage.sessions(), borrowed.usage.requests(), borrowed.usage.history(),
                     borrowed.usage.login_throttle(), borrowed.work.requests(),
                     borrowed.work.passwords(), borrowed.work.provider(), borrowed.limiter,
                     borrowed.digest, borrowed.clock, borrowed.ids, is_password, hash_password,
                     borrowed.lease, &borrowed.bytes, &borrowed.eraser});
}

std::vector<Route> DashboardService::routes(const std::vector<Route>& v1,
                                            const V1Settings& settings) {
  auto routes = bind(*dashboard_, dashboard_routes(settings));
  auto described = v1;
  described.insert(described.end(), routes.begin(), routes.end());
  if (provider_ != nullptr) {
    for (auto& route : bind(*dashboard_, provider_routes())) routes.push_back(std::move(route));
  }
  for (auto& page : page_routes(openapi_document(described), tiles_)) {
    routes.push_back(std::move(page));
  }
  return routes;
}

void DashboardService::stop() {
  if (provider_) provider_->stop();
}

}  // namespace tilth
