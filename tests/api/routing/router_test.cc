#include "api/routing/router.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "api/http/path_segments.h"
#include "api/v1/routes.h"

namespace tilth {
namespace {

Route route(std::string_view method, std::string_view pattern) {
  return {.method = method, .pattern = pattern, .summary = ""};
}

class Routes : public ::testing::Test {
 protected:
  // "GET /farms/{id} id=7", or "none".
  std::string found(std::string_view path, std::string_view method = "GET") {
    const PathSegments segments(path);
    const auto match = router.match(segments.all());
    if (match.routes.empty()) return "none";
    const auto* its = match.find(method);
    if (its == nullptr) return "another method";
    auto text = std::string(its->method) + " " + std::string(its->pattern);
    for (const auto& [name, value] : match.path) {
      text.append(" ").append(name).append("=").append(value);
    }
    return text;
  }

  const Router router{{route("GET", "/farms"), route("POST", "/farms"), route("GET", "/farms/{id}"),
                       route("DELETE", "/farms/{id}"), route("GET", "/farms/{id}/fields/{fieldId}"),
                       route("PUT", "/crops/{id}/status")}};
};

TEST_F(Routes, AreFoundBySegment) {
  EXPECT_EQ(found("/farms"), "GET /farms");
  EXPECT_EQ(found("/farms/7"), "GET /farms/{id} id=7");
  EXPECT_EQ(found("/farms/7/fields/8"), "GET /farms/{id}/fields/{fieldId} id=7 fieldId=8");
  EXPECT_EQ(found("/crops/7/status", "PUT"), "PUT /crops/{id}/status id=7");
  for (const auto* path : {"", "/", "/farm", "/farmsx", "/Farms", "/farms/7/fields",
                           "/farms/7/crops/8", "/farms/7/fields/8/9", "/crops/7", "/crops/7/x"}) {
    EXPECT_EQ(found(path), "none") << path;
  }
}

TEST_F(Routes, AreFoundAfterEachSegmentIsDecoded) {
  EXPECT_EQ(found("/f%61rms"), "GET /farms");
  EXPECT_EQ(found("/%66%61%72%6D%73/%37"), "GET /farms/{id} id=7");
  EXPECT_EQ(found("/farms/a%2Fb"), "GET /farms/{id} id=a/b") << "an encoded slash is no separator";
  EXPECT_EQ(found("/farms%2F7"), "none");
  EXPECT_EQ(found("/farms/a+b"), "GET /farms/{id} id=a+b");
  for (const auto* path : {"/farms/%", "/farms/%zz", "/farms/%FF", "/farms/%C3%28"}) {
    EXPECT_EQ(found(path), "GET /farms/{id} id=\xFF") << path << ", an id that is none";
  }
  EXPECT_EQ(found("/%"), "none");
}

TEST_F(Routes, AreNotThoseOfAPathWithASlashMore) {
  for (const auto* path : {"/farms/", "//farms", "/farms//", "/farms/7/", "//", "/farms//fields/8",
                           "/farms/7/fields/"}) {
    EXPECT_EQ(found(path), "none") << path;
  }
}

TEST_F(Routes, AreNotFoundInTwentyThousandSlashes) {
  EXPECT_EQ(found(std::string(20'000, '/')), "none");
  EXPECT_EQ(found("/farms/7" + std::string(20'000, '/')), "none");
  std::string deep;
  for (int i = 0; i < 20'000; ++i) deep += "/farms";
  EXPECT_EQ(found(deep), "none");
}

TEST_F(Routes, AnswerHeadAsGetAndSayWhatTheyAllow) {
  EXPECT_EQ(found("/farms/7", "HEAD"), "GET /farms/{id} id=7");
  EXPECT_EQ(found("/crops/7/status", "HEAD"), "another method");
  EXPECT_EQ(found("/farms", "PUT"), "another method");
  EXPECT_EQ(found("/farms", "get"), "another method");
  EXPECT_EQ(router.match(PathSegments("/farms").all()).allow(), "GET, HEAD, POST, OPTIONS");
  EXPECT_EQ(router.match(PathSegments("/farms/7").all()).allow(), "GET, HEAD, DELETE, OPTIONS");
  EXPECT_EQ(router.match(PathSegments("/crops/7/status").all()).allow(), "PUT, OPTIONS");
}

TEST(AllRoutes, AreEachThereOnceWithTheirSummary) {
  std::set<std::string> seen;
  for (const auto& each : v1_routes()) {
    EXPECT_TRUE(seen.insert(std::string(each.method) + std::string(each.pattern)).second)
        << each.method << each.pattern;
    EXPECT_FALSE(each.summary.empty());
    EXPECT_EQ(each.guard, Guard::kKey) << each.pattern;
    if (std::holds_alternative<BatchOfRequests>(each.action)) {
      EXPECT_FALSE(each.scope) << "each request within needs its own";
      continue;
    }
    ASSERT_TRUE(each.scope) << each.pattern;
    if (const auto* operation = std::get_if<Operation>(&each.action)) {
      EXPECT_TRUE(operation->read);
      EXPECT_EQ(each.method == "GET", !operation->show) << "a query renders its own response";
    }
    const auto scope = scope_name(*each.scope);
    EXPECT_TRUE(scope.ends_with(each.method == "GET" ? ":read" : ":write"));
  }
  EXPECT_GE(seen.size(), 26U);
}

}  // namespace
}  // namespace tilth
