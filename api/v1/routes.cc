// The routes of /api/v1.

#include "api/v1/routes.h"

// The routes of a resource are in its .cc. A new resource is one line here.
// clang-format off
#define TILTH_ROUTES(of) \
  of(farm) \
  of(field) \
  of(crop) \
  of(block) \
  of(plant) \
  of(crop_library) \
  of(task) \
  of(task_template) \
  of(recurring_task) \
  of(irrigation) \
  of(soil_sample) \
  of(fertigation) \
  of(leaf_sample) \
  of(expense) \
  of(overhead) \
  of(sale) \
  of(price_report) \
  of(financial_summary) \
  of(analytics) \
  of(own_history) \
  of(batch)
// clang-format on

namespace tilth {

#define TILTH_DECLARE(resource) std::vector<Route> resource##_routes();
TILTH_ROUTES(TILTH_DECLARE)
#undef TILTH_DECLARE

std::vector<Route> v1_routes(const V1Settings& settings) {
  auto all = regional_prices_routes(settings);
  const auto add = [&](std::vector<Route> routes) {
    for (auto& route : routes) all.push_back(std::move(route));
  };
#define TILTH_ADD(resource) add(resource##_routes());
  TILTH_ROUTES(TILTH_ADD)
  add(webhook_routes(settings));
#undef TILTH_ADD
  for (auto& route : all) route.mount = kV1;
  return all;
}

std::vector<Mount> public_mounts() {
  return {{.segments = {"api", "v1"},
           .no_path = Guard::kKey,
           .no_method = Guard::kKey,
           .options = Guard::kIfGiven},
          {.no_path = Guard::kAddress, .options = Guard::kIfGiven}};
}

}  // namespace tilth
