// The parts of a request's line and headers, one by one.

#include <set>

#include <gtest/gtest.h>

#include "api/http/conditional.h"
#include "api/http/exchange.h"
#include "api/http/media_type.h"
#include "api/http/query_string.h"
#include "api/platform/idempotency.h"
#include "tests/fixtures/spec.h"

namespace tilth::testing {
namespace {

using Strings = std::vector<std::string>;
using Pairs = std::vector<std::pair<std::string, std::string>>;

TEST(PercentDecoded, TakesTwoHexDigitsAndUtf8) {
  EXPECT_EQ(percent_decoded("a%20b%2F%c3%A4", false), "a b/\xC3\xA4");
  EXPECT_EQ(percent_decoded("a+b", false), "a+b");
  EXPECT_EQ(percent_decoded("a+b%2B", true), "a b+");
  EXPECT_EQ(percent_decoded("", false), "");
  for (const auto* text :
       {"%", "%2", "a%", "%GG", "%2G", "%-1", "% 2", "%FF", "%C3", "%ED%A0%80", "%C0%AF", "\xFF"}) {
    EXPECT_EQ(percent_decoded(text, false), std::nullopt) << text;
  }
}

TEST(ReadQuery, KeepsParametersInTheOrderSent) {
  EXPECT_EQ(read_query("a=1&b&c=&a=2"), (Pairs{{"a", "1"}, {"b", ""}, {"c", ""}, {"a", "2"}}));
  EXPECT_EQ(read_query("a=1=2&&=x&"), (Pairs{{"a", "1=2"}, {"", "x"}}));
  EXPECT_EQ(read_query("crop%54ype=Wei%C3%9F+kohl"), (Pairs{{"cropType", "Wei\xC3\x9F kohl"}}));
  EXPECT_EQ(read_query("a=%zz"), (Pairs{{"a", "%zz"}}));
  EXPECT_TRUE(read_query("").empty());
}

TEST(MediaType, IsJsonInUtf8OrNotSaid) {
  EXPECT_TRUE(is_json(nullptr));
  for (const std::string type :
       {"application/json", "Application/JSON", "application/json; charset=utf-8",
        "application/json;charset=UTF-8", "application/json ; charset=\"utf-8\"",
        "application/json; profile=x", "application/json;"}) {
    EXPECT_TRUE(is_json(&type)) << type;
  }
  for (const std::string type :
       {"", "text/json", "application/jsonx", "application/json; charset=latin1",
        "application/json; charset=", "application/xml", "application/x-www-form-urlencoded",
        "json", "application/json, text/plain", "application/ json", ";application/json",
        "application/json; a=b; charset=utf-16"}) {
    EXPECT_FALSE(is_json(&type)) << type;
  }
}

TEST(EntityTags, AreReadAsAList) {
  EXPECT_EQ(read_entity_tags(R"("a")"), (Strings{"\"a\""}));
  EXPECT_EQ(read_entity_tags(R"( "a" ,W/"b",,  "c,d" )"), (Strings{"\"a\"", "W/\"b\"", "\"c,d\""}));
  EXPECT_EQ(read_entity_tags("*"), (Strings{"*"}));
  EXPECT_EQ(read_entity_tags(""), Strings{});
  EXPECT_EQ(read_entity_tags(R"(a, "b")"), (Strings{"\"b\""}));
  EXPECT_EQ(read_entity_tags(R"("a)"), Strings{});
  EXPECT_EQ(read_entity_tags(R"(w/"a")"), Strings{});
}

TEST(EntityTags, CompareWeaklyForReaders) {
  EXPECT_TRUE(matches_weakly({"\"a\"", "W/\"b\""}, "\"b\""));
  EXPECT_TRUE(matches_weakly({"*"}, "\"b\""));
  EXPECT_FALSE(matches_weakly({"\"a\""}, "\"b\""));
  EXPECT_FALSE(matches_weakly({}, "\"b\""));
}

TEST(PositionToken, ComesBackAndNothingElseDoes) {
  for (const auto& position : {Position{0, 0}, Position{11, 9'223'372'036'854'775'807}}) {
    EXPECT_EQ(read_position_token(position_token(position)), position);
  }
  for (const auto* token :
       {"", "p", "p1", "p1.", "p.1", "1.1", "p1.1 ", " p1.1", "p-1.1", "p1.-1", "p1.1.1", "p1,1",
        "p+1.1", "p1.9223372036854775808", "p99999999999.1", "P1.1"}) {
    EXPECT_EQ(read_position_token(token), std::nullopt) << token;
  }
}

TEST(RequestId, IsTheCallersWhereItCanBePrinted) {
  const auto fresh = [] { return id<Uuid>('7'); };
  const auto sent = [&](std::optional<std::string> header) {
    HttpRequest request;
    if (header) request.headers.emplace_back("x-request-id", *header);
    return request_id_of(request, fresh);
  };
  for (const auto& its : {std::string("a"), std::string(" ~!"), std::string(128, 'x')}) {
    EXPECT_EQ(sent(its), its);
  }
  EXPECT_EQ(sent({}), id<Uuid>('7').text());
  for (const auto& its : {std::string(), std::string(129, 'x'), std::string("a\tb"),
                          std::string("\x7F"), std::string("caf\xC3\xA9")}) {
    EXPECT_EQ(sent(its), id<Uuid>('7').text());
  }
}

class IdempotencyKey : public ::testing::Test {
 protected:
  IdempotencyKey() {
    request.method = "POST";
    request.path = "/api/v1/farms";
    request.query = "a=1";
    request.body = "{}";
    request.headers.emplace_back("idempotency-key", "00000000-0000-4000-8000-00000000000A");
  }
  std::string hash() const { return (*read_idempotency(request))->request_hash; }
  HttpRequest request;
};

TEST_F(IdempotencyKey, IsAUuidInEitherCase) {
  EXPECT_EQ((*read_idempotency(request))->key, "00000000-0000-4000-8000-00000000000a");
  for (const auto* key : {"", "mine", "00000000-0000-4000-8000-00000000000", "*"}) {
    request.headers.front().second = key;
    const auto read = read_idempotency(request);
    ASSERT_FALSE(read) << key;
    EXPECT_EQ(read.error().code, ErrorCode::kInvalid);
    EXPECT_TRUE(read.error().issues.contains("Idempotency-Key"));
  }
  request.headers.clear();
  EXPECT_EQ(*read_idempotency(request), std::nullopt);
}

TEST_F(IdempotencyKey, TellsRequestsApartByMethodPathQueryAndBody) {
  std::set<std::string> hashes{hash()};
  request.headers.emplace_back("x-other", "1");
  EXPECT_TRUE(hashes.contains(hash())) << "headers do not count";
  const auto original = request;
  const auto other = [&](auto change) {
    request = original;
    change();
    EXPECT_TRUE(hashes.insert(hash()).second) << request.method << request.path << request.body;
  };
  other([&] { request.method = "PUT"; });
  other([&] { request.path = "/api/v1/farms/"; });
  other([&] { request.query = "a=2"; });
  other([&] { request.query = ""; });
  other([&] { request.body = "{ }"; });
  other([&] { request.body = ""; });
}

}  // namespace
}  // namespace tilth::testing
