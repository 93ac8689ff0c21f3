// No bytes are an ID token of a key whose private part is unknown; and any set of keys is read.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "infra/oidc/id_token.h"

namespace {

// Of RFC 7515, A.2 and A.3; their private parts sign none of our claims.
const tilth::Json& keys() {
  static const auto keys = *tilth::parse_json(R"({"keys":[
    {"kty":"EC","crv":"P-256","kid":"e","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
     "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"},
    {"kty":"RSA","kid":"r","e":"AQAB","n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"}]})");
  return keys;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  const tilth::ExpectedToken expected{"https://issuer.example", "client", "nonce"};
  if (tilth::verified_claims(text, keys(), expected, {})) std::abort();
  const auto split = std::min(text.find('\n'), text.size());
  const auto set = tilth::parse_json(std::string_view(text).substr(std::min(split + 1, size)));
  if (set) static_cast<void>(tilth::verified_claims(text.substr(0, split), *set, expected, {}));
  return 0;
}
