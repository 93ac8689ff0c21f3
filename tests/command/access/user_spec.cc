#include "command/access/user.h"
#include "tests/fixtures/spec.h"

namespace tilth::testing {
namespace {

const std::string kUser = "user_AAAAAAAAAAAAAAAAAAAAA", kOther = "user_BBBBBBBBBBBBBBBBBBBBB";
const std::string kKey = "key_AAAAAAAAAAAAAAAAAAAAA";
const UserRegistered kRegistered{kUser, "Aisha@farm.example", "Aisha", "seed", {}, kThen};
const UserRegistered kOtherRegistered{kOther, "omar@farm.example", {}, "grove", {}, kThen};
const KeyDetails kDetails = [] {
  KeyDetails details;
  details.name = "Robot";
  details.scopes = {"farms:read"};
  return details;
}();
const ApiKeyMinted kMinted{kKey, kUser, kDetails, "svc_live_123...4567", "digest", kThen};
const ApiKeyRevoked kRevoked{kKey, kUser, kThen};

Spec given_user() { return Spec().given(kRegistered); }
Spec given_key() { return given_user().given(kMinted); }

MintKey mint(const KeyDetails& details) {
  return {kKey, kUser, details, "svc_live_123...4567", "digest"};
}

TEST(RegisterUser, Acts) {
  Spec()
      .when(RegisterUser{kUser, "Aisha@farm.example", "seed", "Aisha", "hash"})
      .then(UserRegistered{kUser, "Aisha@farm.example", "Aisha", "seed", "hash", kNow});
}

TEST(RegisterUser, RefusesAnEmailThatAUserHasInAnyCase) {
  for (const auto* email : {"Aisha@farm.example", "aisha@FARM.example"}) {
    given_user().when(RegisterUser{kOther, email, "seed"}).then_refused(ErrorCode::kConflict);
  }
  given_user()
      .when(RegisterUser{kOther, "aisha2@farm.example", "seed"})
      .then(UserRegistered{kOther, "aisha2@farm.example", {}, "seed", {}, kNow});
}

TEST(AmendUser, Acts) {
  given_user()
      .when(AmendUser{kUser, {"grove"}, null<std::string>(), {"hash"}})
      .then(UserAmended{kUser, {"grove"}, null<std::string>(), {"hash"}, kNow});
}

TEST(AmendUser, StaysQuietWhenItCarriesNothing) {
  given_user().when(AmendUser{kUser}).then_nothing();
}

TEST(AmendUser, NeedsThatUser) {
  given_user().when(AmendUser{kOther}).then_refused(ErrorCode::kNotFound);
  given_user().when(AmendUser{"user_1"}).then_refused(ErrorCode::kNotFound);
}

TEST(ChangePassword, Acts) {
  given_user()
      .when(ChangePassword{kUser, {}, "new hash"})
      .then(UserAmended{kUser, {}, {}, {"new hash"}, kNow});
  given_user()
      .given(UserAmended{kUser, {}, {}, {"hash"}, kThen})
      .when(ChangePassword{kUser, "hash", "new hash"})
      .then(UserAmended{kUser, {}, {}, {"new hash"}, kNow});
}

TEST(ChangePassword, RefusesAProofThatIsOutOfDate) {
  const auto changed = [] {
    return given_user().given(UserAmended{kUser, {}, {}, {"hash"}, kThen});
  };
  for (const auto& proved : {std::optional<std::string>(), std::optional<std::string>("former")}) {
    changed()
        .when(ChangePassword{kUser, proved, "new hash"})
        .then_refused(ErrorCode::kWrongPassword);
  }
  changed()
      .given(UserDisabled{kUser, kThen})
      .when(ChangePassword{kUser, "hash", "new hash"})
      .then_refused(ErrorCode::kWrongPassword);
}

TEST(ChangePassword, NeedsThatUser) {
  given_user().when(ChangePassword{kOther, {}, "hash"}).then_refused(ErrorCode::kNotFound);
}

const UserDisabled kDisabled{kUser, kThen};

TEST(DisableUser, HappensOnceUntilTheUserIsEnabled) {
  given_user().when(DisableUser{kUser}).then(UserDisabled{kUser, kNow});
  given_user().given(kDisabled).when(DisableUser{kUser}).then_nothing();
  given_user()
      .given(kDisabled, UserEnabled{kUser, kThen})
      .when(DisableUser{kUser})
      .then(UserDisabled{kUser, kNow});
  Spec().when(DisableUser{kUser}).then_refused(ErrorCode::kNotFound);
}

TEST(EnableUser, ActsOnWhoIsDisabled) {
  given_user().given(kDisabled).when(EnableUser{kUser}).then(UserEnabled{kUser, kNow});
  given_user().when(EnableUser{kUser}).then_nothing();
  Spec().when(EnableUser{kUser}).then_refused(ErrorCode::kNotFound);
}

const Identity kIdentity{"https://id.example", "subject"};

JoinUser join(std::string email, bool verified) {
  return {kOther, kIdentity, std::move(email), verified, "Omar", "trial"};
}

TEST(JoinUser, RegistersWhoIsNew) {
  given_user()
      .when(join("omar@farm.example", false))
      .then(UserRegistered{kOther, "omar@farm.example", "Omar", "trial", {}, kNow, kIdentity});
}

TEST(JoinUser, IdentifiesTheUserWhoseEmailTheProviderVerified) {
  given_user().when(join("aisha@FARM.example", true)).then(UserIdentified{kUser, kIdentity, kNow});
  given_user().when(join("aisha@farm.example", false)).then_refused(ErrorCode::kConflict);
}

TEST(JoinUser, StaysQuietAboutWhomTheProviderHasNamed) {
  given_user()
      .given(UserIdentified{kUser, kIdentity, kThen})
      .when(join("new@farm.example", true))
      .then_nothing();
  Spec()
      .given(UserRegistered{kOther, "omar@farm.example", {}, "trial", {}, kThen, kIdentity})
      .when(join("omar@farm.example", true))
      .then_nothing();
}

TEST(JoinUser, GivesNoAccountToAnotherPersonOfTheSameProvider) {
  const Identity other{kIdentity.issuer, "somebody else"};
  given_user()
      .given(UserIdentified{kUser, other, kThen})
      .when(join("aisha@farm.example", true))
      .then_refused(ErrorCode::kConflict);
  given_user()
      .given(UserIdentified{kUser, {"https://former.example", "subject"}, kThen})
      .when(join("aisha@farm.example", true))
      .then(UserIdentified{kUser, kIdentity, kNow});
}

TEST(JoinUser, LeavesAnAccountWithAPasswordToWhoKnowsThePassword) {
  given_user()
      .given(UserAmended{kUser, {}, {}, {"hash"}, kThen})
      .when(join("aisha@farm.example", true))
      .then_refused(ErrorCode::kConflict);
}

TEST(LinkIdentity, Acts) {
  given_user().when(LinkIdentity{kUser, kIdentity}).then(UserIdentified{kUser, kIdentity, kNow});
  given_user()
      .given(UserIdentified{kUser, {kIdentity.issuer, "former"}, kThen})
      .when(LinkIdentity{kUser, kIdentity})
      .then(UserIdentified{kUser, kIdentity, kNow});
}

TEST(LinkIdentity, StaysQuietAboutTheOneThatTheUserHas) {
  given_user()
      .given(UserIdentified{kUser, kIdentity, kThen})
      .when(LinkIdentity{kUser, kIdentity})
      .then_nothing();
}

TEST(LinkIdentity, RefusesTheOneOfAnotherUser) {
  given_user()
      .given(kOtherRegistered, UserIdentified{kOther, kIdentity, kThen})
      .when(LinkIdentity{kUser, kIdentity})
      .then_refused(ErrorCode::kConflict);
  Spec().when(LinkIdentity{kUser, kIdentity}).then_refused(ErrorCode::kNotFound);
}

TEST(MintKey, Acts) {
  given_user()
      .when(mint(kDetails))
      .then(ApiKeyMinted{kKey, kUser, kDetails, "svc_live_123...4567", "digest", kNow});
}

TEST(MintKey, NeedsThatUser) { Spec().when(mint(kDetails)).then_refused(ErrorCode::kNotFound); }

TEST(MintKey, RefusesAKeyThatWouldHaveExpiredAlready) {
  auto details = kDetails;
  for (const auto& expires_at : {kThen, kNow}) {
    details.expires_at = expires_at;
    auto spec = given_user();
    spec.when(mint(details)).then_refused(ErrorCode::kInvalid);
    EXPECT_TRUE(spec.refusal().issues.contains("expiresAt"));
  }
  details.expires_at = Timestamp{kNow.at + std::chrono::milliseconds(1)};
  given_user()
      .when(mint(details))
      .then(ApiKeyMinted{kKey, kUser, details, "svc_live_123...4567", "digest", kNow});
}

TEST(MintKey, RefusesOneMoreThanMayWorkAtATime) {
  auto command = mint(kDetails);
  command.key_id = "key_BBBBBBBBBBBBBBBBBBBBB";
  const ApiKeyMinted acts{command.key_id, kUser, kDetails, "svc_live_123...4567", "digest", kNow};
  command.most_keys = 2;
  given_key().when(command).then(acts);
  command.most_keys = 1;
  given_key().when(command).then_refused(ErrorCode::kKeyLimitExceeded);
  command.most_keys = {};
  given_key().when(command).then(acts);
}

TEST(MintKey, CountsNoKeyThatIsRevokedOrHasExpired) {
  auto expired = kMinted;
  expired.details.expires_at = kNow;
  auto command = mint(kDetails);
  command.most_keys = 1;
  const ApiKeyMinted acts{kKey, kUser, kDetails, "svc_live_123...4567", "digest", kNow};
  given_key().given(kRevoked).when(command).then(acts);
  given_user().given(expired).when(command).then(acts);
}

TEST(MintKey, RefusesOneMoreThanMayBeUnrevokedThoughAllHaveExpired) {
  auto expired = kMinted;
  expired.details.expires_at = kNow;
  auto spec = given_user();
  const auto given_keys = [&](std::size_t from, std::size_t to) {
    for (auto i = from; i < to; ++i) {
      const char digits[] = {static_cast<char>('a' + i / 10), static_cast<char>('a' + i % 10)};
      expired.key_id.replace(expired.key_id.size() - 2, 2, digits, 2);
      spec.given(expired);
    }
  };
  auto command = mint(kDetails);
  command.most_keys = 10;
  const ApiKeyMinted acts{kKey, kUser, kDetails, "svc_live_123...4567", "digest", kNow};
  given_keys(0, kMostUnrevokedKeys - 1);
  spec.when(command).then(acts);
  given_keys(kMostUnrevokedKeys - 1, kMostUnrevokedKeys);
  spec.when(command).then_refused(ErrorCode::kKeyLimitExceeded);
  EXPECT_EQ(spec.refusal().message,
            "There are 100 keys that are not revoked. Revoke those that have expired.");
  spec.given(ApiKeyRevoked{expired.key_id, kUser, kNow}).when(command).then(acts);
  given_keys(0, kMostUnrevokedKeys);
  command.most_keys = {};
  spec.when(command).then(acts);
}

TEST(RevokeKey, TellsFromWhere) {
  given_key()
      .when(RevokeKey{kUser, kKey, "192.0.2.7"})
      .then(ApiKeyRevoked{kKey, kUser, kNow, "192.0.2.7"});
}

TEST(RevokeKey, HappensOnce) {
  given_key().when(RevokeKey{kUser, kKey}).then(ApiKeyRevoked{kKey, kUser, kNow});
  given_key().given(kRevoked).when(RevokeKey{kUser, kKey}).then_refused(ErrorCode::kNotFound);
}

TEST(RevokeKey, NeedsThatKeyOfThatUser) {
  given_user().when(RevokeKey{kUser, kKey}).then_refused(ErrorCode::kNotFound);
  given_key().when(RevokeKey{kUser, "key_1"}).then_refused(ErrorCode::kNotFound);
  given_key()
      .given(kOtherRegistered)
      .when(RevokeKey{kOther, kKey})
      .then_refused(ErrorCode::kNotFound);
}

TEST(UserRows, FollowTheEvents) {
  const auto spec =
      given_user().given(UserAmended{kUser, {"summit"}, null<std::string>(), {"hash"}, kNow});
  const auto user = *spec.rows().find(Id<User>{*nanoid_bits("user_", kUser)});
  EXPECT_EQ(render_json(user),
            R"({"id":"user_AAAAAAAAAAAAAAAAAAAAA","email":"Aisha@farm.example","name":null,)"
            R"("plan":"summit","createdAt":"2026-02-01T12:00:00.000Z",)"
            R"("updatedAt":"2026-03-01T06:30:00.000Z"})");
  EXPECT_EQ(user.password_hash, "hash");
}

TEST(UserRows, BeginAnEpochOfSessionsWithEachPasswordAndWhenTheUserIsDisabled) {
  auto spec = given_user();
  const auto epoch = [&] {
    return spec.rows().find(Id<User>{*nanoid_bits("user_", kUser)})->session_epoch;
  };
  EXPECT_EQ(epoch(), 0);
  spec.given(UserAmended{kUser, {"summit"}, null<std::string>(), {}, kNow});
  EXPECT_EQ(epoch(), 0);
  spec.given(UserAmended{kUser, {}, {}, {"hash"}, kNow});
  EXPECT_EQ(epoch(), 1);
  spec.given(UserDisabled{kUser, kNow});
  EXPECT_EQ(epoch(), 2);
  spec.given(UserEnabled{kUser, kNow});
  EXPECT_EQ(epoch(), 2);
}

TEST(KeyRows, OutliveRevocationAndTellNoDigest) {
  const auto spec = given_key().given(ApiKeyRevoked{kKey, kUser, kNow});
  const auto key = *spec.rows().find(Id<ApiKey>{*nanoid_bits("key_", kKey)});
  EXPECT_EQ(key.revoked_at, kNow);
  EXPECT_EQ(key.updated_at, kNow);
  EXPECT_EQ(render_json(key).find("digest"), std::string::npos);
  EXPECT_EQ(spec.rows().count<ApiKey>(*nanoid_bits("user_", kUser)), 1U);
}

TEST(NanoidBits, TellsIdsApart) {
  EXPECT_EQ(nanoid_bits("user_", kUser), Uuid{});
  EXPECT_NE(nanoid_bits("user_", "user_AAAAAAAAAAAAAAAAAAAAB"), nanoid_bits("user_", kUser));
  EXPECT_NE(nanoid_bits("user_", "user_BAAAAAAAAAAAAAAAAAAAA"), nanoid_bits("user_", kUser));
  for (const auto* text : {"", "user_", "user_AAAAAAAAAAAAAAAAAAAA", "user_AAAAAAAAAAAAAAAAAAAAAA",
                           "user_AAAAAAAAAAAAAAAAAAAA!", "key_AAAAAAAAAAAAAAAAAAAAA"}) {
    EXPECT_EQ(nanoid_bits("user_", text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace tilth::testing
