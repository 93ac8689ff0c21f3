#include "api/keys/authentication.h"

#include "tests/fixtures/spec.h"

namespace tilth::testing {
namespace {

const std::string kHex(48, 'a');
const std::string kKey = "svc_live_" + kHex, kTestKey = "svc_test_" + std::string(48, '0');
const std::string kUser = "user_AAAAAAAAAAAAAAAAAAAAA", kId = "key_AAAAAAAAAAAAAAAAAAAAA";

class Authentication : public ::testing::Test {
 protected:
  static KeyDetails robot() {
    KeyDetails details;
    details.name = "Robot";
    details.scopes = {"farms:read", "crops:write", "of another age"};
    return details;
  }
  void mint(const KeyDetails& details, const std::string& key = kKey,
            const std::string& its = kId) {
    ring.on_event(ApiKeyMinted{its, kUser, details, "", digest.of(key), kThen});
  }

  Result<std::shared_ptr<const KeyHolder>> with(std::optional<std::string> header,
                                                Timestamp now = kNow) {
    HttpRequest request;
    if (header) request.headers.emplace_back("authorization", *header);
    return authenticate(request, digest, ring, now);
  }
  ErrorCode code(std::optional<std::string> header, Timestamp now = kNow) {
    const auto holder = with(std::move(header), now);
    EXPECT_FALSE(holder);
    return holder ? ErrorCode::kStale : holder.error().code;
  }

  KeyDigest digest{"a secret"};
  KeyRing ring;
};

TEST_F(Authentication, TakesBearerInAnyCaseAndBlanks) {
  mint(robot());
  for (const auto* scheme : {"Bearer ", "bearer ", "BEARER ", "bEaReR    "}) {
    const auto holder = with(scheme + kKey);
    ASSERT_TRUE(holder) << scheme;
    EXPECT_EQ((*holder)->key_id, kId);
    EXPECT_EQ((*holder)->user_id, kUser);
  }
}

TEST_F(Authentication, TellsApartWhatIsWrong) {
  mint(robot());
  EXPECT_EQ(code({}), ErrorCode::kMissingApiKey);
  for (const auto& header :
       {std::string(), kKey, "Basic " + kKey, "Bearer" + kKey, std::string("Bearer"),
        std::string("Bearer   "), "Bearer " + kKey + " x", "Bearer x " + kKey, "Bear " + kKey,
        "Bearer: " + kKey}) {
    EXPECT_EQ(code(header), ErrorCode::kInvalidAuthFormat) << header;
  }
  for (const auto& key :
       {std::string("x"), "svc_live_" + kHex + "a", kKey.substr(0, kKey.size() - 1),
        "svc_prod_" + kHex, "SVC_live_" + kHex, "svc_live_" + std::string(48, 'A'),
        "svc_live_" + std::string(48, 'g'), "svc_live" + kHex + "_", "svc_live_" + kHex + ","}) {
    EXPECT_EQ(code("Bearer " + key), ErrorCode::kInvalidApiKeyFormat) << key;
  }
  EXPECT_EQ(code("Bearer " + kTestKey), ErrorCode::kInvalidApiKey);
}

TEST_F(Authentication, RefusesTwoHeadersOfWhichOneMayBeAnothers) {
  mint(robot());
  HttpRequest request;
  request.headers.emplace_back("authorization", "Bearer " + kKey);
  request.headers.emplace_back("authorization", "Bearer " + kTestKey);
  const auto holder = authenticate(request, digest, ring, kNow);
  ASSERT_FALSE(holder);
  EXPECT_EQ(holder.error().code, ErrorCode::kInvalidAuthFormat);
}

TEST_F(Authentication, EndsWithTheInstantAtWhichTheKeyExpires) {
  auto details = robot();
  details.expires_at = kNow;
  mint(details);
  EXPECT_TRUE(with("Bearer " + kKey, {kNow.at - std::chrono::milliseconds(1)}));
  EXPECT_EQ(code("Bearer " + kKey, kNow), ErrorCode::kExpiredApiKey);
}

TEST_F(Authentication, CallsARevokedKeyInvalidAlsoWhenItExpiredToo) {
  auto details = robot();
  details.expires_at = kThen;
  mint(details);
  mint(robot(), kTestKey, "key_BBBBBBBBBBBBBBBBBBBBB");
  ring.on_event(ApiKeyRevoked{kId, kUser, kNow});
  EXPECT_EQ(code("Bearer " + kKey), ErrorCode::kInvalidApiKey);
  EXPECT_TRUE(with("Bearer " + kTestKey)) << "the user's other key still works";
}

TEST_F(Authentication, NeedsTheServicesOwnSecret) {
  mint(robot());
  const KeyDigest other("another secret");
  EXPECT_NE(other.of(kKey), digest.of(kKey));
  EXPECT_EQ(digest.of(kKey).size(), 64U);
  EXPECT_EQ(KeyDigest("a secret").of(kKey), digest.of(kKey));
}

TEST(KeyDigest, IsTheSameWhetherOrNotItIsRemembered) {
  const KeyDigest digest("a secret");
  std::vector<std::string> first;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 10'000; ++i) {
      const auto key = "svc_live_" + std::to_string(i);
      const auto its = digest.of(key);
      if (round == 0) first.push_back(its);
      ASSERT_EQ(its, first.at(static_cast<std::size_t>(i))) << key;
      ASSERT_EQ(its, digest.of(key)) << key;
    }
  }
}

// RFC 4231, test case 2.
TEST(KeyDigest, IsHmacSha256) {
  const KeyDigest digest("Jefe");
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(digest.of("what do ya want for nothing?"),
              "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  }
}

TEST_F(Authentication, KnowsWhatTheKeyMayDo) {
  ring.on_event(UserRegistered{kUser, "a@farm.example", {}, "seed", {}, kThen});
  auto details = robot();
  details.rate_limit = 7;
  details.allowed_ips = {"192.0.2.0/24", "2001:db8::1"};
  mint(details);
  const auto holder = **with("Bearer " + kKey);
  EXPECT_TRUE(holder.scopes.include(Scope::kFarmsRead));
  EXPECT_TRUE(holder.scopes.include(Scope::kCropsWrite));
  EXPECT_FALSE(holder.scopes.include(Scope::kFarmsWrite));
  EXPECT_FALSE(holder.scopes.include(Scope::kCropsRead)) << "a write scope does not allow reads";
  EXPECT_EQ(holder.rate_limit, 7U);
  EXPECT_EQ(holder.allowed_ips->size(), 2U);
  EXPECT_EQ(holder.plan, "seed");
  ring.on_event(UserAmended{kUser, {"summit"}, {}, {}, kNow});
  EXPECT_EQ((*with("Bearer " + kKey))->plan, "summit");
  ring.on_event(UserAmended{kUser, {}, null<std::string>(), {}, kNow});
  EXPECT_EQ((*with("Bearer " + kKey))->plan, "summit");
}

TEST_F(Authentication, TakesANetworkThatItCannotReadForOneWithoutAddresses) {
  auto details = robot();
  details.allowed_ips = {"of another age"};
  mint(details);
  const auto holder = **with("Bearer " + kKey);
  ASSERT_TRUE(holder.allowed_ips);
  EXPECT_TRUE(holder.allowed_ips->empty());
}

TEST_F(Authentication, RefusesEveryKeyOfADisabledUser) {
  ring.on_event(UserRegistered{kUser, "a@farm.example", {}, "seed", {}, kThen});
  mint(robot());
  ring.on_event(UserDisabled{kUser, kThen});
  EXPECT_EQ(with("Bearer " + kKey).error().code, ErrorCode::kInvalidApiKey);
  ring.on_event(UserAmended{kUser, {"summit"}, {}, {}, kNow});
  mint(robot());
  EXPECT_EQ(with("Bearer " + kKey).error().code, ErrorCode::kInvalidApiKey);
  ring.on_event(UserEnabled{kUser, kNow});
  EXPECT_EQ((*with("Bearer " + kKey))->plan, "summit");
}

TEST_F(Authentication, IsTheSameFromRowsAsFromEvents) {
  const UserRegistered user{kUser, "a@farm.example", {}, "grove", {}, kThen};
  const ApiKeyMinted kept{kId, kUser, robot(), "", digest.of(kKey), kThen};
  const ApiKeyMinted gone{"key_BBBBBBBBBBBBBBBBBBBBB", kUser, robot(), "",
                          digest.of(kTestKey),         kThen};
  const auto spec = Spec().given(user, kept, gone, ApiKeyRevoked{gone.key_id, kUser, kNow});
  ring.add(*spec.rows().find(Id<User>{*nanoid_bits("user_", kUser)}));
  ring.add(*spec.rows().find(Id<ApiKey>{*nanoid_bits("key_", kept.key_id)}));
  ring.add(*spec.rows().find(Id<ApiKey>{*nanoid_bits("key_", gone.key_id)}));
  EXPECT_EQ((*with("Bearer " + kKey))->plan, "grove");
  EXPECT_TRUE((*with("Bearer " + kKey))->scopes.include(Scope::kFarmsRead));
  EXPECT_EQ(code("Bearer " + kTestKey), ErrorCode::kInvalidApiKey);
}

TEST_F(Authentication, KnowsTheKeysOfAllUsersFromRows) {
  constexpr int kUsers = 501;  // more than are read at once
  std::vector<std::string> digests;
  Spec spec;
  for (int i = 0; i < kUsers; ++i) {
    const auto number = std::to_string(1'000 + i);
    const auto user = "user_" + std::string(17, 'A') + number;
    digests.push_back(digest.of(number));
    spec.given(UserRegistered{user, number + "@farm.example", {}, "grove", {}, kThen},
               ApiKeyMinted{"key_" + std::string(17, 'A') + number, user, robot(), "",
                            digests.back(), kThen});
  }
  KeyRing filled;
  filled.fill(spec.rows());
  for (const auto& each : digests) EXPECT_NE(filled.find(each), nullptr) << each;
}

TEST_F(Authentication, KnowsWhoWasErasedFromRowsAsFromEvents) {
  const UserErased erased{kUser, {}, kNow};
  EXPECT_FALSE(ring.is_erased(kUser));
  ring.on_event(erased);
  EXPECT_TRUE(ring.is_erased(kUser));
  KeyRing filled;
  filled.fill(
      Spec().given(UserRegistered{kUser, "a@farm.example", {}, "grove", {}, kThen}, erased).rows());
  EXPECT_TRUE(filled.is_erased(kUser));
}

TEST(Scopes, AllIncludesEveryOneAndNoOtherIncludesAnother) {
  for (std::size_t i = 0; i < kScopeNames.size(); ++i) {
    Scopes scopes;
    scopes.add(*find_scope(kScopeNames.at(i)));
    for (std::size_t j = 0; j < kScopeNames.size(); ++j) {
      const bool expected = i == j || kScopeNames.at(i) == "all";
      EXPECT_EQ(scopes.include(static_cast<Scope>(j)), expected) << i << " " << j;
    }
  }
  EXPECT_EQ(find_scope("farms"), std::nullopt);
}

}  // namespace
}  // namespace tilth::testing
