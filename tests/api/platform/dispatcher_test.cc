// What applies to every route: rate limits, methods, preconditions, positions, idempotent retries.

#include <future>
#include <thread>

#include "tests/api/api_fixture.h"

namespace tilth::testing {
namespace {

class Platform : public ApiFixture {
 protected:
  std::string farm(const std::string& name = "Oasis") {
    return call("POST", "/farms", R"({"totalArea":1,"name":")" + name + "\"}").data("id");
  }
  static constexpr auto kKey = "00000000-0000-4000-8000-00000000000A";
};

TEST_F(Platform, CountsEveryAuthenticatedRequestAndSaysSo) {
  requests_allowed = 3;
  const auto first = call("GET", "/farms");
  EXPECT_EQ(first.header("X-RateLimit-Limit"), "3");
  EXPECT_EQ(first.header("X-RateLimit-Remaining"), "2");
  EXPECT_EQ(first.header("X-RateLimit-Reset"), "2026-03-01T07:30:00.000Z");
  clock.at = {kNow.at + std::chrono::seconds(10)};
  EXPECT_EQ(call("GET", "/nowhere").header("X-RateLimit-Remaining"), "1") << "refusals count";
  EXPECT_EQ(call("OPTIONS", "/farms").header("X-RateLimit-Remaining"), "0");
  for (int i = 0; i < 2; ++i) {
    const auto refused = call("GET", "/farms");
    EXPECT_EQ(refused.code(), "429 RATE_LIMIT_EXCEEDED");
    EXPECT_EQ(refused.header("Retry-After"), "3590");
    EXPECT_EQ(refused.header("X-RateLimit-Reset"), "2026-03-01T07:30:00.000Z");
    EXPECT_EQ(refused.header("X-RateLimit-Remaining"), "0");
  }
  EXPECT_EQ(call("GET", "/farms", {}, omar).status(), 200) << "other users have their own limit";
  clock.at = {kNow.at + std::chrono::hours(1)};
  EXPECT_EQ(call("GET", "/farms").status(), 200) << "429 responses do not count";
}

TEST_F(Platform, LimitsStrangersByAddress) {
  auto asked = request("GET", "/farms");
  asked.headers.clear();
  for (int left = 59; left >= 0; --left) {
    const auto refused = call(asked);
    EXPECT_EQ(refused.code(), "401 MISSING_API_KEY");
    EXPECT_EQ(refused.header("WWW-Authenticate"), "Bearer");
    EXPECT_EQ(refused.header("X-RateLimit-Limit"), "60");
    EXPECT_EQ(refused.header("X-RateLimit-Remaining"), std::to_string(left));
  }
  EXPECT_EQ(call(asked).code(), "429 RATE_LIMIT_EXCEEDED");
  EXPECT_EQ(call("GET", "/farms").status(), 200) << "a caller with a key is no stranger";
  asked.peer = "192.0.2.9";
  EXPECT_EQ(call(asked).code(), "401 MISSING_API_KEY");
  asked.peer = "10.0.0.1";  // a trusted proxy
  asked.headers = {{"x-forwarded-for", "127.0.0.1"}};
  EXPECT_EQ(call(asked).code(), "429 RATE_LIMIT_EXCEEDED");
}

TEST_F(Platform, LetsAKeyInFromItsAddressesOnly) {
  auto its = details();
  its.allowed_ips = {"192.0.2.0/24", "2001:db8::1"};
  auto asked = request("GET", "/farms", {}, mint(kAisha, its));
  EXPECT_EQ(call(asked).code(), "403 IP_NOT_ALLOWED");
  for (const auto* peer : {"192.0.2.200", "2001:db8::1", "::ffff:192.0.2.3"}) {
    asked.peer = peer;
    EXPECT_EQ(call(asked).status(), 200) << peer;
  }
  asked.peer = "10.0.0.1";
  asked.headers.emplace_back("x-forwarded-for", "192.0.2.1, 198.51.100.1");
  asked.headers.emplace_back("x-forwarded-for", "10.0.0.2");
  EXPECT_EQ(call(asked).code(), "403 IP_NOT_ALLOWED");
  asked.headers.back().second = "192.0.2.1, 10.0.0.2";
  EXPECT_EQ(call(asked).status(), 200);
}

TEST_F(Platform, NamesTheScopeThatIsMissing) {
  const auto key = mint(kAisha, details({"farms:write", "fields:read"}));
  const auto refused = call("GET", "/farms", {}, key);
  EXPECT_EQ(refused.code(), "403 INSUFFICIENT_SCOPE");
  EXPECT_NE(refused.body().find(R"("details":{"requiredScope":"farms:read"})"), std::string::npos);
  EXPECT_EQ(call("POST", "/farms", R"({"name":"A","totalArea":1})", key).status(), 201);
}

TEST_F(Platform, SaysWhatAPathAnswersTo) {
  for (const auto& [path, allow] : {std::pair("/farms", "GET, HEAD, POST, OPTIONS"),
                                    std::pair("/farms/x", "GET, HEAD, PUT, DELETE, OPTIONS"),
                                    std::pair("/crops/x/status", "PUT, OPTIONS")}) {
    const auto options = call("OPTIONS", path);
    EXPECT_EQ(options.status(), 204);
    EXPECT_EQ(options.header("Allow"), allow);
    const auto refused = call("PATCH", path);
    EXPECT_EQ(refused.code(), "405 METHOD_NOT_ALLOWED");
    EXPECT_EQ(refused.header("Allow"), allow);
  }
  auto without_key = request("OPTIONS", "/farms");
  without_key.headers.clear();
  EXPECT_EQ(call(without_key).status(), 204);
  EXPECT_EQ(call(without_key).header("X-RateLimit-Limit"), "60");
  without_key.headers = {{"authorization", "Bearer x"}};
  EXPECT_EQ(call(without_key).code(), "401 INVALID_API_KEY_FORMAT");
  EXPECT_EQ(call("OPTIONS", "/nowhere").code(), "404 NOT_FOUND");
}

TEST_F(Platform, AnswersHeadAsGet) {
  const auto path = "/farms/" + farm();
  const auto head = call("HEAD", path), get = call("GET", path);
  EXPECT_EQ(head.status(), 200);
  EXPECT_EQ(head.header("ETag"), get.header("ETag"));
  EXPECT_EQ(call("HEAD", "/crops/x/status").code(), "405 METHOD_NOT_ALLOWED");
}

TEST_F(Platform, EchoesTheCallersRequestIdAndKeepsItInTheEvent) {
  EXPECT_EQ(
      call_with({{"x-request-id", "mine 1"}}, "POST", "/farms", R"({"name":"A","totalArea":1})")
          .header("X-Request-Id"),
      "mine 1");
  auto reader = log.read({{log.partition_of(kAisha), 0}});
  const auto records = *(*reader)->next(10, std::chrono::milliseconds(0));
  EXPECT_EQ(records.back().record->envelope.correlation_id, "mine 1");
  EXPECT_EQ(records.back().record->envelope.actor, key_id(1));
  EXPECT_TRUE(Uuid::parse(call("GET", "/nowhere").header("X-Request-Id")));
}

TEST_F(Platform, SaysOfWhatIsNoRequestWhoseLimitHoldsWithoutCountingIt) {
  HttpRequest heard;
  heard.peer = "192.0.2.7";
  for (int round = 0; round < 2; ++round) {
    const Answer refused{api.refuse(431, "Too long.", heard)};
    EXPECT_TRUE(Uuid::parse(refused.header("X-Request-Id")));
    EXPECT_EQ(refused.header("X-RateLimit-Limit"), "60");
    EXPECT_EQ(refused.header("X-RateLimit-Remaining"), "60");
    EXPECT_EQ(refused.header("X-RateLimit-Reset"), "2026-03-01T06:31:00.000Z");
  }
  heard.headers = {{"x-request-id", "mine 1"}};
  EXPECT_EQ(Answer{api.refuse(431, "Too long.", heard)}.header("X-Request-Id"), "mine 1");
}

TEST_F(Platform, AnswersThatARecordIsAsTheReaderKnowsIt) {
  const auto path = "/farms/" + farm();
  const auto tag = call("GET", path).header("ETag");
  for (const auto& wanted : {tag, "W/" + tag, "\"x\", " + tag, std::string("*")}) {
    const auto same = call_with({{"if-none-match", wanted}}, "GET", path);
    EXPECT_EQ(same.status(), 304) << wanted;
    EXPECT_EQ(same.body(), "");
    EXPECT_EQ(same.header("ETag"), tag);
    EXPECT_NE(same.header("X-RateLimit-Limit"), "");
  }
  EXPECT_EQ(call_with({{"if-none-match", "\"x\""}}, "GET", path).status(), 200);
  call("PUT", path, R"({"city":"Medina"})");
  EXPECT_EQ(call_with({{"if-none-match", tag}}, "GET", path).status(), 200);
}

TEST_F(Platform, ChangesARecordOnlyAsTheCallerKnowsIt) {
  const auto path = "/farms/" + farm();
  const auto tag = call("GET", path).header("ETag");
  const auto with = [&](const std::string& wanted, const char* method) {
    return call_with({{"if-match", wanted}}, method, path, R"({"city":"Medina"})").code();
  };
  EXPECT_EQ(with(tag, "PUT"), "200");
  EXPECT_EQ(with(tag, "PUT"), "412 PRECONDITION_FAILED");
  EXPECT_EQ(with(tag, "DELETE"), "412 PRECONDITION_FAILED");
  EXPECT_EQ(with("", "DELETE"), "412 PRECONDITION_FAILED");
  EXPECT_EQ(with("\"x\", *", "PUT"), "200");
  EXPECT_EQ(call_with({{"if-match", "\"x\""}}, "POST", "/farms", R"({"name":"B","totalArea":1})")
                .status(),
            201);
  EXPECT_EQ(with(call("GET", path).header("ETag"), "DELETE"), "204");
  EXPECT_EQ(with("\"x\"", "DELETE"), "404 NOT_FOUND");
}

TEST_F(Platform, ReadsWhatWasWrittenUpToThere) {
  const auto made = call("POST", "/farms", R"({"name":"A","totalArea":1})");
  const auto position = made.header("Tilth-Position");
  ASSERT_NE(position, "");
  EXPECT_EQ(call_with({{"tilth-min-position", position}}, "GET", "/farms").status(), 200);
  EXPECT_EQ(call_with({{"tilth-min-position", "x"}}, "GET", "/farms").code(),
            "400 VALIDATION_ERROR");
  auto ahead = *read_position_token(position);
  ++ahead.offset;
  auto asked = request("GET", "/farms");
  asked.headers.emplace_back("tilth-min-position", position_token(ahead));
  const auto waits = start(asked);
  EXPECT_FALSE(waits->has_value());
  call("POST", "/farms", R"({"name":"B","totalArea":1})");
  EXPECT_NE(answer(waits).body().find(R"("name":"B")"), std::string::npos);
}

TEST_F(Platform, AsksAnotherProjectionOnceItIsAsNewAsTheRegistry) {
  const auto made = start(request("POST", "/farms", R"({"name":"A","totalArea":1})"));
  turn_until([&] { return made->has_value(); }, {&node});
  const auto farm = answer(made).data("id");
  const auto spent = start(request("POST", "/farms/" + farm + "/expenses",
                                   R"({"amount":5,"category":"fuel",)"
                                   R"("transactionDate":"2026-02-01"})"));
  turn_until([&] { return spent->has_value(); }, {&node});
  const auto asked = start(request("GET", "/farms/" + farm + "/financial-summary"));
  EXPECT_FALSE(asked->has_value());
  EXPECT_EQ(answer(asked).data("net"), "-5");
}

TEST_F(Platform, DoesNotWaitForEver) {
  auto asked = request("GET", "/farms");
  asked.headers.emplace_back("tilth-min-position", "p0.999");
  const auto late = call(asked);
  EXPECT_EQ(late.code(), "503 SERVICE_UNAVAILABLE");
  EXPECT_NE(late.header("Retry-After"), "");
}

TEST_F(Platform, LetsAnOwnerWaitForAPositionWithSoManyRequestsAtOnce) {
  constexpr int kMost = 512;
  requests_allowed = 10'000;
  const auto asks = [&](const std::string& key) {
    auto asked = request("GET", "/farms", {}, key);
    asked.headers.emplace_back("tilth-min-position", "p0.999");
    return start(asked);
  };
  std::vector<decltype(asks({}))> waiting(kMost);
  for (auto& each : waiting) each = asks(aisha);
  const auto refused = asks(aisha);
  ASSERT_TRUE(refused->has_value());
  EXPECT_EQ(answer(refused).code(), "503 SERVICE_UNAVAILABLE");
  EXPECT_NE(answer(refused).header("Retry-After"), "");
  const auto other = asks(omar);
  EXPECT_FALSE(other->has_value()) << "other owners have their own places";
  for (const auto& each : waiting) EXPECT_EQ(answer(each).code(), "503 SERVICE_UNAVAILABLE");
  const auto later = asks(aisha);
  EXPECT_FALSE(later->has_value()) << "places that were given back";
  for (const auto& last : {other, later}) answer(last);
}

TEST_F(Platform, AnswersARepeatAsTheFirstTime) {
  const ApiFixture::Headers keyed{{"idempotency-key", kKey}};
  const std::string body = R"({"name":"A","totalArea":1})";
  const auto first = call_with(keyed, "POST", "/farms", body);
  EXPECT_EQ(first.header("Idempotent-Replayed"), "");
  call("PUT", "/farms/" + first.data("id"), R"({"city":"Medina"})");
  const auto again = call_with(keyed, "POST", "/farms", body);
  EXPECT_EQ(again.status(), 201);
  EXPECT_EQ(again.body(), first.body());
  for (const auto* header : {"ETag", "Location", "Tilth-Position"}) {
    EXPECT_EQ(again.header(header), first.header(header)) << header;
  }
  EXPECT_EQ(again.header("Idempotent-Replayed"), "true");
  EXPECT_NE(again.header("X-Request-Id"), first.header("X-Request-Id"));
  EXPECT_NE(again.header("X-RateLimit-Remaining"), first.header("X-RateLimit-Remaining"));
  const ApiFixture::Headers lower{{"idempotency-key", "00000000-0000-4000-8000-00000000000a"}};
  EXPECT_EQ(call_with(lower, "POST", "/farms", body).body(), first.body());
  EXPECT_EQ(call_with(lower, "POST", "/farms", body + " ").code(), "409 CONFLICT");
  const auto other_key = mint(kAisha, details());
  EXPECT_EQ(call_with(keyed, "POST", "/farms", body, other_key).body(), first.body());
  EXPECT_EQ(call_with(keyed, "POST", "/farms", body, omar).header("Idempotent-Replayed"), "");
}

TEST_F(Platform, AnswersARefusalAgainAsTheFirstTime) {
  const auto path = "/farms/" + id<FarmId>('f').text();
  const std::pair<const char*, std::string> asked[] = {
      {"/farms", R"({"name":"","totalArea":0})"}, {"/farms", "{"}, {"/crops", "{}"}};
  char digit = '1';
  for (const auto& [where, body] : asked) {
    const ApiFixture::Headers keyed{{"idempotency-key", id<Uuid>(digit++).text()}};
    const auto first = call_with(keyed, "POST", where, body);
    const auto again = call_with(keyed, "POST", where, body);
    EXPECT_EQ(first.status(), 400);
    EXPECT_EQ(again.status(), 400);
    EXPECT_EQ(again.body(), first.body());
    EXPECT_EQ(first.header("Idempotent-Replayed"), "");
    EXPECT_EQ(again.header("Idempotent-Replayed"), "true");
  }
  const ApiFixture::Headers keyed{{"idempotency-key", kKey}};
  EXPECT_EQ(call_with(keyed, "DELETE", path).code(), "404 NOT_FOUND");
  EXPECT_EQ(call_with(keyed, "DELETE", path).code(), "404 NOT_FOUND");
  EXPECT_EQ(call_with(keyed, "GET", path).header("Idempotent-Replayed"), "") << "reads ignore it";
  EXPECT_EQ(call_with({{"idempotency-key", "x"}}, "GET", "/farms").status(), 200);
}

TEST_F(Platform, IsUnavailableUntilItIsReady) {
  api.set_ready(false);
  const auto refused = call("GET", "/farms");
  EXPECT_EQ(refused.code(), "503 SERVICE_UNAVAILABLE");
  EXPECT_EQ(refused.header("Retry-After"), "1");
  EXPECT_NE(refused.header("X-RateLimit-Limit"), "");
}

// Records which thread responds.
class Witness final : public Responder {
 public:
  explicit Witness(std::promise<std::thread::id>& told) : told_(told) {}
  void respond(HttpResponse response) override {
    EXPECT_EQ(response.status, 400);
    told_.set_value(std::this_thread::get_id());
  }
  std::unique_ptr<BodyStream> stream(HttpResponse) override { std::abort(); }

 private:
  std::promise<std::thread::id>& told_;
};

// Checking its polygons may take long, while the thread's other clients would wait.
TEST_F(Platform, ChecksALargeBodyOnAnotherThread) {
  const auto here = [&](const std::string& path, std::size_t size) {
    std::promise<std::thread::id> told;
    api.handle(request("POST", path, std::string(size, ' ') + "{}"),
               std::make_unique<Witness>(told));
    return told.get_future().get() == std::this_thread::get_id();
  };
  EXPECT_TRUE(here("/templates", 5'000));
  EXPECT_FALSE(here("/templates", 10'000));
  Dispatcher others({.guards = guards,
                     .row_faults = row_faults,
                     .clock = clock,
                     .ids = ids,
                     .executor = &executor},
                    {{.method = "POST",
                      .pattern = "/any",
                      .summary = "",
                      .guard = Guard::kNone,
                      .action = Handler([](const Call& call) { call.answer(HttpResponse{400}); }),
                      .mount = "/api/v1"}});
  others.set_ready(true);
  const auto here_without_operations = [&](std::size_t size) {
    std::promise<std::thread::id> told;
    others.handle(request("POST", "/any", std::string(size, ' ')), std::make_unique<Witness>(told));
    return told.get_future().get() == std::this_thread::get_id();
  };
  EXPECT_TRUE(here_without_operations(5'000));
  EXPECT_FALSE(here_without_operations(10'000));
  executor.stop();  // before `others` is destroyed
}

TEST_F(Platform, ChecksAGeometryOnAnotherThread) {
  const auto here = [&](const std::string& path, std::size_t size) {
    std::promise<std::thread::id> told;
    api.handle(request("POST", path, std::string(size, ' ') + "{}"),
               std::make_unique<Witness>(told));
    return told.get_future().get() == std::this_thread::get_id();
  };
  const auto takes_geometry = land("0").blocks();
  EXPECT_TRUE(here(takes_geometry, 500));
  EXPECT_FALSE(here(takes_geometry, 2'000));
}

}  // namespace
}  // namespace tilth::testing
