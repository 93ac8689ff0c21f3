// Which role each route of the operator API needs.

#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "api/routing/route.h"
#include "events/access/operator.h"

namespace tilth {

// The role in the table; null if the table lacks the route.
std::optional<OperatorRole> find_role(std::string_view method, std::string_view pattern);

// How many routes the table has.
std::size_t routes_with_role();

// As find_role(). A route that the table lacks needs the largest role.
OperatorRole needed_role(const Route& route);

}  // namespace tilth
