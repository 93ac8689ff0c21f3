// Which ID tokens of an identity provider are accepted.

#include "infra/oidc/id_token.h"

#include <memory>
#include <string>

#include <cjose/cjose.h>
#include <gtest/gtest.h>

namespace tilth {
namespace {

const ExpectedToken kExpected{"https://id.example", "tilth", "nonce"};
const Timestamp kNow = *Timestamp::parse("2026-03-01T06:30:00Z");  // 1772346600
const std::string kSound =
    R"({"iss":"https://id.example","sub":"aisha","aud":"tilth","nonce":"nonce","exp":1772346601})";

using Jwk = std::unique_ptr<cjose_jwk_t, decltype(&cjose_jwk_release)>;

Jwk rsa_key(const char* id) {
  cjose_err failed;
  Jwk key(cjose_jwk_create_RSA_random(2048, nullptr, 0, &failed), cjose_jwk_release);
  cjose_jwk_set_kid(key.get(), id, std::string(id).size(), &failed);
  return key;
}

// Made by the first test that asks: this program starts for each test, and a key takes long.
const Jwk& provider_key() {
  static const Jwk key = rsa_key("one");
  return key;
}

Json set_of(const Jwk& key) {
  cjose_err failed;
  char* text = cjose_jwk_to_json(key.get(), false, &failed);
  const auto json = parse_json("{\"keys\":[" + std::string(text) + "]}");
  cjose_get_dealloc()(text);
  return *json;
}

std::string signed_token(const std::string& claims, const cjose_jwk_t* key = provider_key().get(),
                         const char* algorithm = "RS256", const char* id = "one",
                         const char* critical = nullptr) {
  cjose_err failed;
  auto* header = cjose_header_new(&failed);
  cjose_header_set(header, "alg", algorithm, &failed);
  if (id != nullptr) cjose_header_set(header, "kid", id, &failed);
  if (critical != nullptr && !cjose_header_set_raw(header, "crit", critical, &failed)) {
    cjose_header_set(header, "crit", critical, &failed);  // as a string
  }
  auto* jws = cjose_jws_sign(key, header, reinterpret_cast<const std::uint8_t*>(claims.data()),
                             claims.size(), &failed);
  const char* text = nullptr;
  cjose_jws_export(jws, &text, &failed);
  const std::string token = text;
  cjose_jws_release(jws);
  cjose_header_release(header);
  return token;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

// The subject of the token, or why it is refused.
std::string read(const std::string& token, const Json& keys = set_of(provider_key())) {
  const auto claims = verified_claims(token, keys, kExpected, kNow);
  return claims ? text_claim(*claims, "sub") : claims.error().message;
}

TEST(IdToken, NamesWhoSignedIn) {
  EXPECT_EQ(read(signed_token(kSound)), "aisha");
  EXPECT_EQ(read(signed_token(kSound, provider_key().get(), "PS256")), "aisha");
  EXPECT_EQ(read(signed_token(kSound, provider_key().get(), "RS256", nullptr)), "aisha");
}

TEST(IdToken, MayHaveOtherAudiencesIfWeAreTheOneItWasMadeFor) {
  const auto several = replaced(kSound, R"("tilth")", R"(["tilth","other"])");
  EXPECT_EQ(read(signed_token(several)), "The provider's ID token is for another client.");
  EXPECT_EQ(read(signed_token(replaced(several, "{", R"({"azp":"tilth",)"))), "aisha");
}

TEST(IdToken, IsNotForAnyoneElseThanItsAuthorizedParty) {
  for (const auto* azp : {R"("other")", "null", "5", R"(["tilth"])"}) {
    const auto token = signed_token(replaced(kSound, "{", R"({"azp":)" + std::string(azp) + ","));
    EXPECT_EQ(read(token), "The provider's ID token is for another client.") << azp;
  }
  EXPECT_EQ(read(signed_token(replaced(kSound, "{", R"({"azp":"tilth",)"))), "aisha");
}

TEST(IdToken, MayBeginAMinuteAheadOfOurClock) {
  const auto beginning = [](const std::string& at) {
    return read(signed_token(replaced(kSound, "{", R"({"nbf":)" + at + ",")));
  };
  for (const auto* at : {"0", "1772346600", "1772346660"}) EXPECT_EQ(beginning(at), "aisha") << at;
  for (const auto* at : {"1772346661", "1e12", R"("1772346600")", "null"}) {
    EXPECT_EQ(beginning(at), "The provider's ID token is not valid yet.") << at;
  }
}

TEST(IdToken, IsNotBelievedIfItDependsOnAnUnknownExtension) {
  for (const auto* critical : {R"(["exp"])", R"(["b64"])", "[]", "{}", "exp"}) {
    EXPECT_EQ(read(signed_token(kSound, provider_key().get(), "RS256", "one", critical)),
              "The provider's ID token has an extension that is unknown.")
        << critical;
  }
}

TEST(IdToken, IsNotBelievedUnlessItIsForThisSignIn) {
  const std::string is = "The provider's ID token ";
  EXPECT_EQ(read(signed_token(replaced(kSound, "id.example", "evil.example"))),
            is + "is of another issuer.");
  EXPECT_EQ(read(signed_token(replaced(kSound, R"("tilth")", R"("other")"))),
            is + "is for another client.");
  EXPECT_EQ(read(signed_token(replaced(kSound, R"("nonce":"nonce")", R"("nonce":"used")"))),
            is + "is of another sign-in.");
  EXPECT_EQ(read(signed_token(replaced(kSound, "1772346601", "1772346600"))), is + "has expired.");
  EXPECT_EQ(read(signed_token(replaced(kSound, R"("exp")", R"("ex")"))), is + "has expired.");
  EXPECT_EQ(read(signed_token(replaced(kSound, R"("aisha")", R"("")"))), is + "names no one.");
  EXPECT_EQ(read(signed_token(replaced(kSound, "aisha", R"(ai\u0000sha)"))), is + "names no one.");
}

TEST(IdToken, IsNotBelievedWithoutTheProvidersSignature) {
  const auto token = signed_token(kSound);
  const auto other = rsa_key("one");
  EXPECT_EQ(read(token, set_of(other)), "The provider's ID token has a wrong signature.");
  const auto body = token.find('.') + 1;
  auto changed = token;
  changed[body + 20] = changed[body + 20] == 'A' ? 'B' : 'A';
  EXPECT_EQ(read(changed), "The provider's ID token has a wrong signature.");
  const auto unsigned_token =
      "eyJhbGciOiJub25lIn0." + token.substr(body, token.rfind('.') - body) + ".";
  EXPECT_TRUE(read(unsigned_token).starts_with("The provider's ID token is "));
  for (const auto* text : {"", "a", "a.b.c", "....", "eyJhbGciOiJSUzI1NiJ9.aaaaa.aaaa",
                           "eyJhbGciOiJSUzI1NiJ9.aa=aa\xC3\xA9.aaaa"}) {
    EXPECT_EQ(read(text), "The provider's ID token is no signed token.") << text;
  }
}

TEST(IdToken, IsNotBelievedIfThePublicKeyIsTakenForASharedSecret) {
  cjose_err failed;
  const std::string secret(64, 's');
  const Jwk shared(cjose_jwk_create_oct_spec(reinterpret_cast<const std::uint8_t*>(secret.data()),
                                             secret.size(), &failed),
                   cjose_jwk_release);
  EXPECT_EQ(read(signed_token(kSound, shared.get(), "HS256")),
            "The provider's ID token is signed by HS256.");
}

TEST(IdToken, IsNotBelievedIfAKeyOfTheProviderIsMalformed) {
  const auto keys = parse_json(
      R"({"keys":[{"kty":"RSA","kid":"one","e":"AQAB","n":"aaaaa"},{"kty":"RSA","kid":"one","n":1}]})");
  EXPECT_EQ(read(signed_token(kSound), *keys), "The provider's ID token has a wrong signature.");
}

TEST(IdToken, AsksForNewerKeysWhenItsOwnIsUnknown) {
  const auto newer = rsa_key("two");
  const auto token = signed_token(kSound, newer.get(), "RS256", "two");
  const auto claims = verified_claims(token, set_of(provider_key()), kExpected, kNow);
  ASSERT_FALSE(claims);
  EXPECT_EQ(claims.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(read(token, set_of(newer)), "aisha");
}

}  // namespace
}  // namespace tilth
