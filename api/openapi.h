// The API's description of itself: OpenAPI 3.1, a pure function of its routes.

#pragma once

#include <string>
#include <vector>

#include "api/route.h"

namespace tilth {

// The document as JSON text.
std::string openapi_document(const std::vector<Route>& routes);

}  // namespace tilth
