// The responses of the land routes: bodies, headers, and the errors of an invalid body.

#include "tests/api/api_fixture.h"

namespace tilth::testing {
namespace {

class LandApi : public ApiFixture {};

TEST_F(LandApi, AnswersTheRecordThatItMadeAndWhereItIs) {
  const auto made = call("POST", "/farms", R"({"name":"Oasis","totalArea":"12.50","smell":1})");
  EXPECT_EQ(made.status(), 201);
  EXPECT_EQ(made.header("Content-Type"), "application/json");
  const auto farm = made.data("id");
  EXPECT_EQ(made.header("Location"), "/api/v1/farms/" + farm);
  EXPECT_EQ(
      made.body(),
      R"({"data":{"id":")" + farm +
          R"(","name":"Oasis","farmType":"commercial","primaryUse":"crops",)"
          R"("description":null,"address":null,"city":null,"region":null,"country":null,)"
          R"("location":null,"boundaries":null,"timezone":"UTC","totalArea":"12.5",)"
          R"("areaUnit":"hectare","currency":null,"soilType":null,"irrigationSystem":null,)"
          R"("irrigationFlowRatePerEmitter":null,"emittersPerPlant":null,)"
          R"("dripLineSpacingMeters":null,"status":"active",)"
          R"("createdAt":"2026-03-01T06:30:00.000Z","updatedAt":"2026-03-01T06:30:00.000Z"}})");
  const auto shown = call("GET", "/farms/" + farm);
  EXPECT_EQ(shown.status(), 200);
  EXPECT_EQ(shown.body(), made.body());
  EXPECT_EQ(shown.header("ETag"), made.header("ETag"));
}

TEST_F(LandApi, NamesThePlaceAsTheRequestSpelledIt) {
  const auto made = call("POST", "/f%61rms", R"({"name":"Oasis","totalArea":1})");
  EXPECT_EQ(made.header("Location"), "/api/v1/f%61rms/" + made.data("id"));
}

TEST_F(LandApi, ToldNothingNullOrAValueLeavesClearsOrSets) {
  const auto mine = land("Mine");
  const auto path = mine.plants() + "/" + mine.plant;
  call("PUT", path, R"({"tagId":"qr-7","notes":"Tall"})");
  const auto amended =
      call("PUT", path, R"({"notes":null,"plantedAt":"2024-02-29T23:59:59-11:00"})");
  EXPECT_EQ(amended.status(), 200);
  EXPECT_EQ(amended.data("tagId"), "qr-7");
  EXPECT_EQ(amended.data("notes"), "null");
  EXPECT_EQ(amended.data("plantedAt"), "2024-02-29T00:00:00.000Z");
}

TEST_F(LandApi, ChangesNothingWithoutAMemberThatCanBeChanged) {
  const auto mine = land("Mine");
  const auto path = mine.fields() + "/" + mine.field;
  const auto before = call("GET", path);
  const auto version = node.rows(kAisha).version();
  node.now = {kNow.at + std::chrono::hours(1)};
  for (const auto* body : {"", "{}", R"({"id":1,"createdAt":null,"farmId":[],"smell":"x"})"}) {
    const auto same = call("PUT", path, body);
    EXPECT_EQ(same.status(), 200);
    EXPECT_EQ(same.body(), before.body());
    EXPECT_EQ(same.header("ETag"), before.header("ETag"));
  }
  EXPECT_EQ(node.rows(kAisha).version(), version) << "nothing was appended";
  const auto equal = call("PUT", path, R"({"name":"Mine"})");
  EXPECT_EQ(equal.data("updatedAt"), "2026-03-01T07:30:00.000Z");
  EXPECT_NE(equal.header("ETag"), before.header("ETag"));
}

TEST_F(LandApi, RemovesOnce) {
  const auto mine = land("Mine");
  const auto removed = call("DELETE", "/farms/" + mine.farm);
  EXPECT_EQ(removed.status(), 204);
  EXPECT_EQ(removed.body(), "");
  EXPECT_NE(removed.header("Tilth-Position"), "");
  for (const auto& path :
       {"/farms/" + mine.farm, mine.fields() + "/" + mine.field, "/crops/" + mine.crop,
        mine.blocks() + "/" + mine.block, mine.plants() + "/" + mine.plant, mine.plants()}) {
    EXPECT_EQ(call("GET", path).code(), "404 NOT_FOUND") << path;
    if (path == mine.plants()) continue;
    EXPECT_EQ(call("DELETE", path).code(), "404 NOT_FOUND") << path;
  }
}

TEST_F(LandApi, MovesACropAndSetsItsHarvestDate) {
  const auto mine = land("Mine");
  const auto moved = call("PUT", "/crops/" + mine.crop + "/status",
                          R"({"status":"harvested","actualYield":"1e2"})");
  EXPECT_EQ(moved.data("actualHarvestDate"), "2026-03-01");
  EXPECT_EQ(moved.data("actualYield"), "100");
  EXPECT_EQ(call("PUT", "/crops/" + mine.crop + "/status", "{}").code(), "400 VALIDATION_ERROR");
}

TEST_F(LandApi, RefusesATagAndANameThatAreTaken) {
  const auto mine = land("Mine");
  EXPECT_EQ(call("POST", mine.plants(), R"({"label":"P","tagId":"qr-7"})").status(), 201);
  EXPECT_EQ(call("POST", mine.plants(), R"({"label":"P","tagId":"qr-7"})").code(), "409 CONFLICT");
  EXPECT_EQ(call("PUT", mine.plants() + "/" + mine.plant, R"({"tagId":"qr-7"})").code(),
            "409 CONFLICT");
  EXPECT_EQ(call("POST", "/farms", R"({"name":"Mine","totalArea":1})").code(), "409 CONFLICT");
}

TEST_F(LandApi, TellsThePlansLimit) {
  farms_allowed = 1;
  EXPECT_EQ(call("POST", "/farms", R"({"name":"A","totalArea":1})").status(), 201);
  const auto refused = call("POST", "/farms", R"({"name":"B","totalArea":1})");
  EXPECT_EQ(refused.body(), R"({"error":"Forbidden","code":"PLAN_LIMIT_EXCEEDED",)"
                            R"("message":"The plan has no room for another farm.",)"
                            R"("details":{"current":1,"limit":1}})");
}

TEST_F(LandApi, TellsEveryIssueOfABodyUnderItsDottedPath) {
  const auto mine = land("Mine");
  const auto refused =
      call("POST", mine.plants(),
           R"({"tagId":7,"position":{"lat":95},"status":"lost","plantedAt":"2026-02-30"})");
  EXPECT_EQ(refused.body(),
            R"({"error":"Bad Request","code":"VALIDATION_ERROR",)"
            R"("message":"The request is not valid.","details":{"label":["is required"],)"
            R"("plantedAt":["must be a date, YYYY-MM-DD"],)"
            R"("position.lat":["must be at most 90"],"position.lng":["is required"],)"
            R"("status":["must be one of alive, sick, dead, replaced, removed"],)"
            R"("tagId":["must be a string"]}})");
}

TEST_F(LandApi, TellsWhatIsWrongWithABodyAsAWhole) {
  for (const auto* body : {"{", "[]", "1", "null", "\"x\"", "{} {}", "\xEF\xBB\xBF{}",
                           "{\"a\":\"\xFF\"}", R"({"a":"\ud800"})"}) {
    const auto refused = call("POST", "/farms", body);
    EXPECT_EQ(refused.code(), "400 VALIDATION_ERROR") << body;
    EXPECT_NE(refused.body().find(R"("details":{"body":[)"), std::string::npos) << refused.body();
  }
}

TEST_F(LandApi, TellsEveryIdThatIsNone) {
  const auto refused = call("GET", "/farms/1/fields/x/blocks/00000000-0000-4000-8000-00000000000g");
  EXPECT_EQ(refused.body(),
            R"({"error":"Bad Request","code":"INVALID_ID","message":"An id is not a UUID.",)"
            R"("details":{"blockId":["must be a UUID"],"fieldId":["must be a UUID"],)"
            R"("id":["must be a UUID"]}})");
  const auto farm = call("POST", "/farms", R"({"name":"A","totalArea":1})").data("id");
  std::string shouted = farm;
  for (auto& c : shouted) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  EXPECT_EQ(call("GET", "/farms/" + shouted).data("id"), farm);
}

TEST_F(LandApi, CallsAMalformedIdInABodyNotValid) {
  const auto mine = land("Mine");
  EXPECT_EQ(call("POST", "/crops", R"({"cropType":"x","farmId":"1","fieldId":"2"})").code(),
            "400 VALIDATION_ERROR");
  const auto refused = call("POST", mine.blocks(), R"({"name":"x","cropId":"1"})");
  EXPECT_EQ(refused.code(), "400 VALIDATION_ERROR");
}

TEST_F(LandApi, RefusesAHarvestThatIsExpectedBeforeThePlanting) {
  const auto mine = land("Mine");
  const auto path = "/crops/" + mine.crop;
  EXPECT_EQ(call("PUT", path, R"({"plantingDate":"2026-03-02"})").status(), 200);
  for (const auto* body : {R"({"expectedHarvestDate":"2026-03-01"})",
                           R"({"plantingDate":"2026-04-02","expectedHarvestDate":"2026-03-01"})"}) {
    const auto refused = call("PUT", path, body);
    EXPECT_EQ(refused.code(), "400 VALIDATION_ERROR");
    EXPECT_NE(refused.body().find(R"("details":{"expectedHarvestDate":[)"), std::string::npos);
  }
}

}  // namespace
}  // namespace tilth::testing
