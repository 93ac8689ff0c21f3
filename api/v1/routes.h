// The routes of /api/v1: each one requires an API key.

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "api/platform/dispatcher.h"
#include "api/routing/route.h"

namespace tilth {

inline constexpr std::string_view kV1 = "/api/v1";

class WebhookDeliveries;  // api/webhooks/webhook_deliveries.h

struct V1Settings {
  std::uint64_t min_owners = 1;  // who must contribute to a regional price before it is shown
  WebhookDeliveries* webhooks = nullptr;  // null: the routes are only described
};

std::vector<Route> v1_routes(const V1Settings& settings = {});

// They show what the settings allow.
std::vector<Route> regional_prices_routes(const V1Settings& settings);

// They see what is sent.
std::vector<Route> webhook_routes(const V1Settings& settings);

// Below /api/v1 the key is checked before the path; elsewhere the path comes first.
std::vector<Mount> public_mounts();

}  // namespace tilth
