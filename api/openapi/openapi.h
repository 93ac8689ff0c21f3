// The API's description of itself: OpenAPI 3.1, a pure function of its routes.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/routing/route.h"

namespace tilth {

// The document as JSON text; of routes without a description it says nothing.
std::string openapi_document(const std::vector<Route>& routes);

// The statuses in which a route may say no.
std::vector<int> refusals_of(const Route& route);

// The statuses in which the API says no, each with every code that comes with it.
struct DescribedRefusal {
  int status;
  std::string_view name;  // in components
  std::string_view meaning;
  std::span<const std::string_view> codes;
};
std::span<const DescribedRefusal> described_refusals();

}  // namespace tilth
