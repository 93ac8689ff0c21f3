// The API's own description: OpenAPI 3.1, a pure function of its routes.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/routing/route.h"

namespace tilth {

// The document as JSON text; omits routes without a description.
std::string openapi_document(const std::vector<Route>& routes);

// The error statuses of a route.
std::vector<int> refusals_of(const Route& route);

// An error status of the API, with every code that it is sent with.
struct DescribedRefusal {
  int status;
  std::string_view name;  // in components
  std::string_view meaning;
  std::span<const std::string_view> codes;
};
std::span<const DescribedRefusal> described_refusals();

}  // namespace tilth
