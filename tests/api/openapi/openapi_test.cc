// The description of the API equals the committed one. After an intended change, regenerate it:
//   TILTH_WRITE_GOLDEN=1 build/dev/tests/tilth_api_tests --gtest_filter='OpenApi.*'

#include "api/openapi/openapi.h"

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "api/dashboard/dashboard.h"
#include "api/v1/routes.h"

namespace tilth {
namespace {

constexpr auto kGolden = "tests/api/openapi/openapi.json";

std::vector<Route> routes() {
  auto all = v1_routes();
  for (auto& own : described(dashboard_routes())) {
    if (own.description) all.push_back(std::move(own));
  }
  return all;
}

TEST(OpenApi, IsWhatWeSaid) {
  const auto document = openapi_document(routes()) + "\n";
  if (std::getenv("TILTH_WRITE_GOLDEN") != nullptr) std::ofstream(kGolden) << document;
  std::ifstream file(kGolden);
  std::ostringstream golden;
  ASSERT_TRUE(golden << file.rdbuf()) << kGolden;
  EXPECT_EQ(document, golden.str());
}

TEST(OpenApi, IsWellFormedAndNamesEveryRoute) {
  const auto document = parse_json(openapi_document(routes()));
  ASSERT_TRUE(document) << document.error().message;
  const auto* paths = document->find("paths");
  ASSERT_NE(paths, nullptr);
  std::set<std::string> ids;
  for (const auto& each : routes()) {
    const auto* path = paths->find(each.path());
    ASSERT_NE(path, nullptr) << each.path();
    std::string method(each.method);
    for (auto& c : method) c = static_cast<char>(c - 'A' + 'a');
    const auto* operation = path->find(method);
    ASSERT_NE(operation, nullptr) << method << " " << each.path();
    EXPECT_NE(operation->find("responses")->find(std::to_string(each.description->status)),
              nullptr);
    const auto& id = operation->find("operationId")->text;
    EXPECT_TRUE(ids.insert(id).second) << id << " is the name of two";
  }
}

TEST(OpenApi, NamesEveryCodeThatSomebodyMayBeTold) {
  std::set<std::string_view> named;
  for (const auto& refusal : described_refusals()) {
    named.insert(refusal.codes.begin(), refusal.codes.end());
  }
  const std::set<ErrorCode> inside = {ErrorCode::kUnauthorized, ErrorCode::kBadRequest,
                                      ErrorCode::kStale, ErrorCode::kLost, ErrorCode::kDamaged};
  for (const auto& [code, name] : labels(ErrorCode{})) {
    EXPECT_NE(named.contains(name), inside.contains(code)) << name;
  }
}

}  // namespace
}  // namespace tilth
