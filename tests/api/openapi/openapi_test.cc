// The description of the API equals the committed one. After an intended change, regenerate it:
//   TILTH_WRITE_GOLDEN=1 build/dev/tests/tilth_api_tests --gtest_filter='OpenApi.*'

#include "api/openapi/openapi.h"

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
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

// The paths of schemas within `node` that break what every schema of ours keeps to.
void find_faults(const Json& node, const std::string& path, std::vector<std::string>& faults) {
  const auto* type = node.find("type");
  if (type != nullptr && type->text == "array" && node.find("items") == nullptr) {
    faults.push_back(path + " has no items");
  }
  for (const auto& [name, child] : node.children) {
    if (name == "example" || name == "examples") continue;
    const auto below = path + "/" + name;
    find_faults(child, below, faults);
    if (name != "properties" || child.kind != Json::Kind::kObject || path.ends_with("properties")) {
      continue;
    }
    for (const auto& [member, schema] : child.children) {
      if (schema.find("description") == nullptr) faults.push_back(below + "/" + member);
    }
  }
}

TEST(OpenApi, DescribesEveryMemberAndTheItemsOfEveryArray) {
  std::vector<std::string> faults;
  find_faults(*parse_json(openapi_document(routes())), "", faults);
  EXPECT_EQ(faults, std::vector<std::string>());
}

TEST(OpenApi, ShowsADerivedStatusButTakesNone) {
  const auto document = *parse_json(openapi_document(routes()));
  const auto statuses = [&](std::string_view schema) {
    const auto* properties =
        document.find("components")->find("schemas")->find(schema)->find("properties");
    return text_of(*properties->find("status")->find("enum"));
  };
  EXPECT_THAT(statuses("Task"), ::testing::HasSubstr("overdue"));
  EXPECT_THAT(statuses("TaskCreate"), ::testing::Not(::testing::HasSubstr("overdue")));
  EXPECT_THAT(statuses("TaskUpdate"), ::testing::Not(::testing::HasSubstr("overdue")));
}

TEST(OpenApi, DescribesEveryOperationAndMarksAliases) {
  std::set<std::string> names;
  for (const auto& route : routes()) names.insert(route.description->name);
  for (const auto& route : routes()) {
    const auto& its = *route.description;
    EXPECT_FALSE(its.name.empty() || its.about.empty()) << route.path();
    EXPECT_EQ(its.name.ends_with("Alias"), !its.alias_of.empty()) << its.name;
    EXPECT_TRUE(its.alias_of.empty() || names.contains(its.alias_of)) << its.alias_of;
  }
}

TEST(OpenApi, NamesEveryCodeThatAnOperationMayAnswer) {
  std::set<std::string_view> named;
  for (const auto& refusal : described_refusals()) {
    named.insert(refusal.codes.begin(), refusal.codes.end());
  }
  // No request of a described operation gets these.
  const std::set<ErrorCode> others = {
      ErrorCode::kUnauthorized, ErrorCode::kBadRequest, ErrorCode::kMethodNotAllowed,
      ErrorCode::kStale,        ErrorCode::kLost,       ErrorCode::kDamaged};
  for (const auto& [code, name] : labels(ErrorCode{})) {
    EXPECT_NE(named.contains(name), others.contains(code)) << name;
  }
}

}  // namespace
}  // namespace tilth
