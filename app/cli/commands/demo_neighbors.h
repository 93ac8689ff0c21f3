// The demo farm's neighbors: farms of other users, with sales and prices seen, so that the market
// has data.

#pragma once

#include <string>

#include "app/cli/engine/operator_api.h"
#include "events/values/result.h"

namespace tilth::cli {

// Creates those that do not exist yet.
Status make_neighbors(OperatorApi& operators, const std::string& url);

}  // namespace tilth::cli
