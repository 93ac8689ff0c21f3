#include "api/operator/operator_roles.h"

#include <gtest/gtest.h>

#include "api/operator/operator_api.h"

namespace tilth::testing {
namespace {

// A new route of the operator API needs a line in the table of roles.
TEST(OperatorRoles, NameEachRouteThatTakesATokenAndNoOther) {
  std::size_t routes = 0;
  for (const auto& [route, serve] : operator_routes()) {
    const auto role = find_role(route.method, route.pattern);
    const auto name = std::string(route.method) + " " + std::string(route.pattern);
    if (route.guard != Guard::kOperator) {
      EXPECT_FALSE(role) << name;
      continue;
    }
    ++routes;
    EXPECT_TRUE(role) << name;
  }
  EXPECT_EQ(routes_with_role(), routes);
}

// A change that the audit trail would leave out must not be open to those who only read.
TEST(OperatorRoles, LetReadersChangeNothing) {
  for (const auto& [route, serve] : operator_routes()) {
    if (route.guard != Guard::kOperator) continue;
    EXPECT_EQ(needed_role(route) == OperatorRole::kRead, route.method == "GET") << route.pattern;
  }
}

TEST(OperatorRoles, AreTheLargestWhereTheTableHasNone) {
  EXPECT_EQ(needed_role({.method = "GET", .pattern = "/operator/v1/nowhere", .summary = ""}),
            OperatorRole::kAdminister);
}

}  // namespace
}  // namespace tilth::testing
