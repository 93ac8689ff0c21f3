// How the nodes of the service are shown.

#pragma once

#include <string>
#include <vector>

#include "api/operator/node_standing.h"
#include "api/operator/projection_state.h"

namespace tilth {

// An array, an object for each node.
std::string nodes_json(const std::vector<NodeStanding>& nodes, const LogEnds& ends);

}  // namespace tilth
