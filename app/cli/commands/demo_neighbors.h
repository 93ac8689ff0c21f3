// The neighbors of the demo farm: farms of other people, who sell and see prices, too, so that the
// market has something to tell.

#pragma once

#include <string>

#include "app/cli/engine/operator_api.h"
#include "events/values/result.h"

namespace tilth::cli {

// Makes those who are not there yet.
Status make_neighbors(OperatorApi& operators, const std::string& url);

}  // namespace tilth::cli
