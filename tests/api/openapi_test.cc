// The description of the API is what we said. After a change that is meant, write it anew:
//   TILTH_WRITE_GOLDEN=1 build/dev/tests/tilth_api_tests --gtest_filter='OpenApi.*'

#include "api/openapi.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "api/platform.h"

namespace tilth {
namespace {

constexpr auto kGolden = "tests/api/openapi.json";

TEST(OpenApi, IsWhatWeSaid) {
  const auto document = openapi_document(all_routes()) + "\n";
  if (std::getenv("TILTH_WRITE_GOLDEN") != nullptr) std::ofstream(kGolden) << document;
  std::ifstream file(kGolden);
  std::ostringstream golden;
  ASSERT_TRUE(golden << file.rdbuf()) << kGolden;
  EXPECT_EQ(document, golden.str());
}

TEST(OpenApi, IsWellFormedAndNamesEveryRoute) {
  const auto document = parse_json(openapi_document(all_routes()));
  ASSERT_TRUE(document) << document.error().message;
  const auto* paths = document->find("paths");
  ASSERT_NE(paths, nullptr);
  for (const auto& route : all_routes()) {
    const auto* path = paths->find("/api/v1" + std::string(route.pattern));
    ASSERT_NE(path, nullptr) << route.pattern;
    std::string method(route.method);
    for (auto& c : method) c = static_cast<char>(c - 'A' + 'a');
    const auto* operation = path->find(method);
    ASSERT_NE(operation, nullptr) << method << " " << route.pattern;
    EXPECT_NE(operation->find("responses")->find(std::to_string(route.status)), nullptr);
  }
}

}  // namespace
}  // namespace tilth
