// Lists: pages, sorting, filters, and the errors of an invalid query.

#include "tests/api/api_fixture.h"

namespace tilth::testing {
namespace {

class Lists : public ApiFixture {
 protected:
  void add_farms(int count) {
    for (int i = 0; i < count; ++i) {
      node.now = {kNow.at + std::chrono::seconds(i)};
      const std::string name(1, static_cast<char>('A' + i));
      const auto* status = i % 3 == 0 ? "draft" : "active";
      call("POST", "/farms",
           R"({"name":")" + name + R"(","totalArea":)" + std::to_string(100 - i) +
               R"(,"status":")" + status + R"("})");
    }
  }

  // The names in list order, and the pagination: "CBA 1/20/3/1".
  static std::string shown(const Answer& answer, const char* member = "name") {
    const auto json = parse_json(answer.body());
    if (!json || json->find("data") == nullptr) return answer.code();
    std::string text;
    for (const auto& [_, row] : json->find("data")->children) text += row.find(member)->text;
    for (const auto* name : {"page", "limit", "total", "totalPages"}) {
      text +=
          (text.find(' ') == text.npos ? " " : "/") + json->find("pagination")->find(name)->text;
    }
    return text;
  }
  std::string farms(const std::string& query) { return shown(call("GET", "/farms?" + query)); }
};

TEST_F(Lists, AreNewestFirstTwentyAPage) {
  add_farms(23);
  EXPECT_EQ(farms(""), "WVUTSRQPONMLKJIHGFED 1/20/23/2");
  EXPECT_EQ(farms("page=2"), "CBA 2/20/23/2");
  EXPECT_EQ(farms("page=3"), " 3/20/23/2");
  EXPECT_EQ(farms("page=2147483647&limit=100"), " 2147483647/100/23/1");
}

TEST_F(Lists, ShowPagesOfAnySize) {
  add_farms(5);
  EXPECT_EQ(farms("limit=2"), "ED 1/2/5/3");
  EXPECT_EQ(farms("limit=2&page=3"), "A 3/2/5/3");
  EXPECT_EQ(farms("page=0"), "EDCBA 1/20/5/1");
  EXPECT_EQ(farms("limit=1000"), "EDCBA 1/100/5/1");
  EXPECT_EQ(farms("limit=99999999999999999999"), "EDCBA 1/100/5/1");
  EXPECT_EQ(farms("limit=5"), "EDCBA 1/5/5/1");
}

TEST_F(Lists, RefuseWhatIsNoPage) {
  for (const auto* query : {"page=-1",
                            "page=2147483648",
                            "page=x",
                            "page=",
                            "page=1.5",
                            "page=99999999999999999999",
                            "limit=0",
                            "limit=-1",
                            "limit=x",
                            "limit=",
                            "limit=2.5",
                            "page=1&page=1",
                            "limit=1&limit=2",
                            "sort=area",
                            "sort=",
                            "sort=createdat",
                            "order=up",
                            "order=ASC",
                            "order=asc&order=asc",
                            "status=lost",
                            "status=",
                            "status=active&status=draft"}) {
    const auto refused = call("GET", std::string("/farms?") + query);
    EXPECT_EQ(refused.code(), "400 VALIDATION_ERROR") << query;
    const std::string_view name(query, std::string_view(query).find('='));
    EXPECT_NE(refused.body().find("\"details\":{\"" + std::string(name) + "\":["),
              std::string::npos)
        << refused.body();
  }
}

TEST_F(Lists, IgnoreWhatNoOneKnows) {
  add_farms(2);
  EXPECT_EQ(farms("color=red&color=blue&&=&deleted"), "BA 1/20/2/1");
}

TEST_F(Lists, AreSortedAsAsked) {
  add_farms(4);
  EXPECT_EQ(farms("order=asc"), "ABCD 1/20/4/1");
  EXPECT_EQ(farms("sort=name&order=desc"), "DCBA 1/20/4/1");
  EXPECT_EQ(farms("sort=name"), "DCBA 1/20/4/1");
  EXPECT_EQ(farms("sort=totalArea&order=asc"), "DCBA 1/20/4/1");
  EXPECT_EQ(farms("sort=totalArea&order=asc&limit=2&page=2"), "BA 2/2/4/2");
}

TEST_F(Lists, AreFilteredByWhatIsStored) {
  add_farms(7);
  EXPECT_EQ(farms("status=draft"), "GDA 1/20/3/1");
  EXPECT_EQ(farms("status=archived"), " 1/20/0/0");
  EXPECT_EQ(farms("status=active&order=asc&limit=3"), "BCE 1/3/4/2");
}

TEST_F(Lists, LookNoNamedRecordUp) {
  const auto mine = land("Mine");
  const auto crops = [&](const std::string& query) {
    return shown(call("GET", "/crops?" + query), "cropType");
  };
  EXPECT_EQ(crops("farmId=" + mine.farm), "Mine 1/20/1/1");
  EXPECT_EQ(crops("fieldId=" + mine.field + "&farmId=" + mine.farm + "&cropType=mINE"),
            "Mine 1/20/1/1");
  EXPECT_EQ(crops("farmId=" + mine.field), " 1/20/0/0");
  EXPECT_EQ(crops("cropType="), " 1/20/0/0");
  EXPECT_EQ(call("GET", "/crops?farmId=1").code(), "400 INVALID_ID");
  EXPECT_EQ(call("GET", "/crops?farmId=1&page=x").code(), "400 INVALID_ID");
  EXPECT_EQ(call("GET", "/crops?farmId=" + mine.farm + "&farmId=" + mine.farm).code(),
            "400 VALIDATION_ERROR");
}

TEST_F(Lists, OfPlantsAndBlocksShowAllUnlessAPageIsAskedFor) {
  const auto mine = land("0");
  for (int i = 1; i < 25; ++i) call("POST", mine.plants(), R"({"label":"p"})");
  const auto plants = [&](const std::string& query) {
    const auto text = shown(call("GET", mine.plants() + query), "label");
    return std::to_string(text.find(' ')) + text.substr(text.find(' '));
  };
  EXPECT_EQ(plants(""), "25 1/10000/25/1");
  EXPECT_EQ(plants("?sort=label&order=asc"), "25 1/10000/25/1");
  EXPECT_EQ(plants("?page=1"), "20 1/20/25/2");
  EXPECT_EQ(plants("?limit=7"), "7 1/7/25/4");
  EXPECT_EQ(plants("?status=dead"), "0 1/10000/0/0");
  EXPECT_EQ(shown(call("GET", mine.blocks())), "0 1/10000/1/1");
  EXPECT_EQ(shown(call("GET", mine.blocks() + "?cropId=" + mine.crop)), "0 1/10000/1/1");
  EXPECT_EQ(shown(call("GET", mine.fields())), "0 1/20/1/1");
}

TEST_F(Lists, AreReadOnTheExecutorOnceTheyAreLong) {
  const auto mine = land("0");
  const auto queries = [&] {
    return executor.counts().at(static_cast<std::size_t>(WorkKind::kQuery)).completed;
  };
  const auto total = [&](const std::string& query) {
    const auto text = shown(call("GET", mine.plants() + query), "label");
    return text.substr(text.find(' '));
  };
  for (int i = 1; i < 300; ++i) call("POST", mine.plants(), R"({"label":"p"})");
  EXPECT_EQ(total("?limit=100"), " 1/100/300/3");
  EXPECT_EQ(queries(), 0);
  EXPECT_EQ(total(""), " 1/10000/300/1");
  EXPECT_EQ(total("?sort=label"), " 1/10000/300/1");  // known to be expensive by now
  EXPECT_EQ(total("?status=dead"), " 1/10000/0/0");
  EXPECT_EQ(total("?limit=100&page=3"), " 3/100/300/3");
  while (queries() < 2) std::this_thread::yield();
  EXPECT_EQ(queries(), 2);
}

TEST_F(Lists, AreRefusedWhenTooMuchIsUnderWay) {
  const auto mine = land("0");
  for (int i = 1; i < 300; ++i) call("POST", mine.plants(), R"({"label":"p"})");
  executor.close(std::chrono::milliseconds(0));
  const auto refused = call("GET", mine.plants());
  EXPECT_EQ(refused.code(), "503 SERVICE_UNAVAILABLE");
  EXPECT_EQ(refused.header("Retry-After"), "5");
  EXPECT_EQ(call("GET", mine.plants() + "?limit=100").code(), "200");
}

TEST_F(Lists, HaveNoEntityTag) {
  const auto answer = call("GET", "/farms");
  EXPECT_EQ(answer.header("ETag"), "");
  EXPECT_EQ(call_with({{"if-none-match", "*"}}, "GET", "/farms").status(), 200);
}

TEST_F(Lists, NeedTheRecordThatTheyHangOn) {
  const auto mine = land("Mine");
  EXPECT_EQ(call("GET", "/farms/" + mine.field + "/fields").code(), "404 NOT_FOUND");
  EXPECT_EQ(call("GET", "/farms/" + mine.farm + "/fields/" + mine.farm + "/blocks").code(),
            "404 NOT_FOUND");
}

}  // namespace
}  // namespace tilth::testing
