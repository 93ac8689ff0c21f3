// If a request has several faults, the response reports the one that the contract checks first
// (docs/api.md, "Errors").

#include <algorithm>
#include <array>
#include <set>

#include "tests/api/api_fixture.h"

namespace tilth::testing {
namespace {

// In the order in which they are checked.
enum class Fault {
  kNoKey,
  kTooMany,
  kWrongAddress,
  kNoRoute,
  kWrongMethod,
  kNoScope,
  kTooLarge,
  kWrongMediaType,
  kBadPosition,
  kBadIdempotencyKey,
  kBadId,
  kBadBody,
  kNotThere,
  kPrecondition,
  kTakenName,
};

constexpr std::array<const char*, 15> kCodes{"401 MISSING_API_KEY",
                                             "429 RATE_LIMIT_EXCEEDED",
                                             "403 IP_NOT_ALLOWED",
                                             "404 NOT_FOUND",
                                             "405 METHOD_NOT_ALLOWED",
                                             "403 INSUFFICIENT_SCOPE",
                                             "413 PAYLOAD_TOO_LARGE",
                                             "415 UNSUPPORTED_MEDIA_TYPE",
                                             "400 VALIDATION_ERROR",
                                             "400 VALIDATION_ERROR",
                                             "400 INVALID_ID",
                                             "400 VALIDATION_ERROR",
                                             "404 NOT_FOUND",
                                             "412 PRECONDITION_FAILED",
                                             "409 CONFLICT"};

class CheckOrder : public ApiFixture {
 protected:
  using RequestIssues = std::set<Fault>;

  CheckOrder() {
    farm = call("POST", "/farms", R"({"name":"Mine","totalArea":1})").data("id");
    call("POST", "/farms", R"({"name":"Taken","totalArea":1})");
  }

  // A PUT of a farm with exactly these faults.
  HttpRequest amendment(const RequestIssues& problems) {
    const auto has = [&](Fault fault) { return problems.contains(fault); };
    auto its = details({has(Fault::kNoScope) ? "farms:read" : "farms:write"});
    if (has(Fault::kWrongAddress)) its.allowed_ips = {"192.0.2.1"};
    if (has(Fault::kTooMany)) its.rate_limit = 1;
    const auto key = mint(kAisha, its);
    if (has(Fault::kTooMany)) call("GET", "/farms", {}, key);

    std::string path = "/farms/";
    path += has(Fault::kBadId) ? "1" : has(Fault::kNotThere) ? id<FarmId>('f').text() : farm;
    if (has(Fault::kNoRoute)) path += "/nowhere";
    auto made = request(has(Fault::kWrongMethod) ? "PATCH" : "PUT", path, {}, key);
    if (has(Fault::kNoKey)) made.headers.clear();
    const auto header = [&](Fault fault, const char* name, const char* value) {
      if (has(fault)) made.headers.emplace_back(name, value);
    };
    header(Fault::kWrongMediaType, "content-type", "text/plain");
    header(Fault::kBadPosition, "tilth-min-position", "yesterday");
    header(Fault::kBadIdempotencyKey, "idempotency-key", "mine");
    header(Fault::kPrecondition, "if-match", "\"old\"");
    made.body_too_large = has(Fault::kTooLarge);
    made.body = std::string("{\"city\":\"Medina\"") +
                (has(Fault::kBadBody) ? ",\"status\":\"lost\"" : "") +
                (has(Fault::kTakenName) ? ",\"name\":\"Taken\"}" : "}");
    return made;
  }

  std::string farm;
};

TEST_F(CheckOrder, OfAWellFormedRequestNothingIsWrong) {
  EXPECT_EQ(call(amendment({})).code(), "200");
}

TEST_F(CheckOrder, TellsEveryFaultByItself) {
  for (std::size_t fault = 0; fault < kCodes.size(); ++fault) {
    EXPECT_EQ(call(amendment({static_cast<Fault>(fault)})).code(), kCodes[fault]) << fault;
  }
}

TEST_F(CheckOrder, TellsOfEveryPairOfFaultsTheOneThatIsCheckedFirst) {
  for (std::size_t first = 0; first < kCodes.size(); ++first) {
    for (std::size_t second = first + 1; second < kCodes.size(); ++second) {
      auto asked = amendment({static_cast<Fault>(first), static_cast<Fault>(second)});
      EXPECT_EQ(call(std::move(asked)).code(), kCodes[first]) << first << " and " << second;
    }
  }
}

TEST_F(CheckOrder, TellsAmongMalformedHeadersWhichItIs) {
  const auto position = call(amendment({Fault::kBadPosition, Fault::kBadIdempotencyKey}));
  EXPECT_NE(position.body().find("Tilth-Min-Position"), std::string::npos);
  const auto key = call(amendment({Fault::kBadIdempotencyKey, Fault::kBadBody}));
  EXPECT_NE(key.body().find("Idempotency-Key"), std::string::npos);
}

TEST_F(CheckOrder, LooksAtThePlanAfterTheBodyAndBeforeTheName) {
  farms_allowed = 2;
  EXPECT_EQ(call("POST", "/farms", R"({"name":"Taken","totalArea":1})").code(),
            "403 PLAN_LIMIT_EXCEEDED");
  EXPECT_EQ(call("POST", "/farms", R"({"name":"Taken","totalArea":0})").code(),
            "400 VALIDATION_ERROR");
}

TEST_F(CheckOrder, LooksAtARepeatAfterTheMediaTypeAndBeforeTheIds) {
  const ApiFixture::Headers keyed{{"idempotency-key", "00000000-0000-4000-8000-000000000001"}};
  const auto path = "/farms/" + farm;
  EXPECT_EQ(call_with(keyed, "PUT", path, "{}").code(), "200");
  EXPECT_EQ(call_with(keyed, "PUT", path, "{").code(), "409 CONFLICT");
  EXPECT_EQ(call_with(keyed, "PUT", "/farms/1", "{}").code(), "409 CONFLICT");
  auto xml = request("PUT", path, "{}");
  xml.headers.insert(xml.headers.end(), {keyed.front(), {"content-type", "text/xml"}});
  EXPECT_EQ(call(xml).code(), "415 UNSUPPORTED_MEDIA_TYPE");
}

TEST_F(CheckOrder, LooksOutsideV1AtTheRouteFirst) {
  auto elsewhere = request("GET", "");
  for (const auto* path : {"/", "/api", "/api/v2/farms", "/api/v1x/farms", "/nowhere"}) {
    elsewhere.path = path;
    elsewhere.headers.clear();
    EXPECT_EQ(call(elsewhere).code(), "404 NOT_FOUND") << path;
  }
  elsewhere.path = "/api/v1/nowhere";
  EXPECT_EQ(call(elsewhere).code(), "401 MISSING_API_KEY");
  elsewhere.path = "/api/v1";
  EXPECT_EQ(call(elsewhere).code(), "401 MISSING_API_KEY");
}

}  // namespace
}  // namespace tilth::testing
