#include "api/platform/batch_request.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "events/values/ids.h"

namespace tilth {
namespace {

Result<BatchForm> read(std::string_view text) {
  return read_batch(text, [] { return true; });
}

// The issues of a batch with that one request, or with those.
std::string issues_of(const std::string& requests) {
  const auto text = "{\"requests\":[" + requests + "]}";
  const auto form = read(text);
  std::string all;
  if (form) return "none";
  for (const auto& [path, messages] : form.error().issues) {
    all += path + ": " + messages.front() + "\n";
  }
  return all;
}

constexpr const char* kFarm =
    R"({"id":"a","method":"POST","path":"/v1/farms","body":{"name":"A"}})";

TEST(ABatch, HasItsRequestsInTheirOrder) {
  const std::string text = R"({"onError":"stop","requests":[
    {"id":"a","method":"POST","path":"/v1/farms","body":{"totalArea":1.50}},
    {"method":"PUT","path":"/v1/farms/{$a}?x={$a}","body":{"n":["{$a}","see {$a}"]},"ifMatch":"\"t\""},
    {"method":"GET","path":"/v1/farms"}]})";
  const auto form = read(text);
  ASSERT_TRUE(form);
  EXPECT_TRUE(form->stops_on_error);
  ASSERT_EQ(form->requests.size(), 3U);
  const auto& [made, changed, listed] =
      std::tie(form->requests[0], form->requests[1], form->requests[2]);
  EXPECT_EQ(made.id, "a");
  EXPECT_TRUE(made.refers_to.empty());
  EXPECT_EQ(changed.refers_to, std::vector<std::size_t>{0});
  EXPECT_EQ(changed.if_match, "\"t\"");
  EXPECT_TRUE(listed.reads());
  const auto id_of = [](std::size_t place) { return "id-" + std::to_string(place); };
  EXPECT_EQ(path_with_ids(*form, changed, id_of), "/v1/farms/id-0?x=id-0");
  EXPECT_EQ(body_with_ids(*form, changed, id_of), R"({"n":["id-0","see {$a}"]})");
  EXPECT_EQ(body_with_ids(*form, made, id_of), R"({"totalArea":1.50})");
  EXPECT_EQ(body_with_ids(*form, listed, id_of), "");
}

TEST(ABatch, NamesEachIssueByTheMembersPath) {
  EXPECT_EQ(issues_of(kFarm), "none");
  EXPECT_EQ(issues_of("7"), "requests.0: must be an object\n");
  EXPECT_EQ(issues_of(R"({"method":"PATCH","path":"/v2/x"})"),
            "requests.0.method: must be one of POST, PUT, DELETE, GET\n"
            "requests.0.path: must be a path of the API without /api, such as /v1/tasks?limit=1\n");
  EXPECT_EQ(issues_of(R"({"method":"POST","path":"/v1/b%61tch"})"),
            "requests.0.path: must not be /v1/batch within a batch\n");
  EXPECT_EQ(issues_of(std::string(kFarm) + "," + kFarm), "requests.1.id: must not be repeated\n");
}

TEST(ABatch, RefersOnlyToEarlierRequests) {
  EXPECT_EQ(issues_of(R"({"id":"a","method":"GET","path":"/v1/farms/{$a}"})"),
            "requests.0.path: refers to a, which is no earlier request's id\n");
  EXPECT_EQ(
      issues_of(std::string(R"({"method":"POST","path":"/v1/crops","body":{"x":[1,"{$a}"]}},)") +
                kFarm),
      "requests.0.body.x.1: refers to a, which is no earlier request's id\n");
  EXPECT_EQ(issues_of(R"({"method":"DELETE","path":"/v1/crops","body":{"x":"{$a}"}})"), "none");
}

TEST(ABatch, HasOneToAThousandRequests) {
  const auto of = [](std::size_t count) {
    std::string requests = kFarm;
    for (std::size_t i = 1; i < count; ++i) requests += R"(,{"method":"GET","path":"/v1/farms"})";
    return issues_of(requests);
  };
  EXPECT_EQ(of(1'000), "none");
  EXPECT_EQ(of(1'001), "requests: must have 1 to 1000 items\n");
  EXPECT_EQ(issues_of(""), "requests: must have 1 to 1000 items\n");
}

TEST(ABatch, IsReadNoFurtherWhenToldSo) {
  const std::string text = std::string("{\"requests\":[") + kFarm + "," + kFarm + "]}";
  const auto form = read_batch(text, [] { return false; });
  ASSERT_TRUE(form);
  EXPECT_TRUE(form->requests.empty());
}

TEST(TheKeysWithinABatch, FollowFromItsOwn) {
  const std::string batch = "7f0c1b5e-0d4a-4c39-9a52-3f1f6f0b8d11";
  std::set<std::string> keys;
  for (std::size_t place = 0; place < 1'000; ++place) {
    const auto key = key_within_batch(batch, place);
    EXPECT_TRUE(Uuid::parse(key));
    keys.insert(key);
  }
  EXPECT_EQ(keys.size(), 1'000U);
  EXPECT_EQ(key_within_batch(batch, 7), key_within_batch(batch, 7));
  EXPECT_NE(key_within_batch(batch, 7), key_within_batch("another", 7));
}

}  // namespace
}  // namespace tilth
