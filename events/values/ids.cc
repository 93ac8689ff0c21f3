#include "events/values/ids.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

namespace tilth {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";

constexpr std::size_t kTextSize = 36;
constexpr std::array<std::uint8_t, 4> kDashes = {8, 13, 18, 23};

// Where the two digits of each byte are.
constexpr std::array<std::uint8_t, 16> kPlaces = [] {
  std::array<std::uint8_t, 16> places = {};
  std::uint8_t at = 0;
  for (auto& place : places) {
    for (const auto dash : kDashes) {
      if (at == dash) ++at;
    }
    place = at;
    at += 2;
  }
  return places;
}();

// 16 for a character that is no hexadecimal digit.
constexpr std::array<std::uint8_t, 256> kNibbles = [] {
  std::array<std::uint8_t, 256> nibbles = {};
  nibbles.fill(16);
  for (std::uint8_t i = 0; i < 10; ++i) nibbles['0' + i] = i;
  for (std::uint8_t i = 10; i < 16; ++i) {
    nibbles['a' + i - 10] = i;
    nibbles['A' + i - 10] = i;
  }
  return nibbles;
}();

constexpr std::array<std::array<char, 2>, 256> kHexPairs = [] {
  std::array<std::array<char, 2>, 256> pairs = {};
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = {kHex[i >> 4], kHex[i & 15]};
  return pairs;
}();

}  // namespace

std::optional<Uuid> Uuid::parse(std::string_view text) {
  if (text.size() != kTextSize) return std::nullopt;
  for (const auto dash : kDashes) {
    if (text[dash] != '-') return std::nullopt;
  }
  Uuid uuid;
  unsigned all = 0;
  auto place = kPlaces.begin();
  for (auto& byte : uuid.bytes) {
    const char* const digits = text.data() + *place++;
    const auto high = kNibbles[static_cast<unsigned char>(digits[0])];
    const auto low = kNibbles[static_cast<unsigned char>(digits[1])];
    all |= high | low;
    byte = static_cast<std::uint8_t>(high << 4 | low);
  }
  return all > 15 ? std::nullopt : std::optional(uuid);
}

std::string Uuid::text() const {
  std::string text;
  text.reserve(kTextSize);
  append_to(text);
  return text;
}

void Uuid::append_to(std::string& out) const {
  const auto size = out.size();
  out.append(kTextSize, '-');
  char* const digits = out.data() + size;
  auto place = kPlaces.begin();
  for (const auto byte : bytes) std::memcpy(digits + *place++, kHexPairs[byte].data(), 2);
}

Uuid Uuid::from_key(std::string_view sixteen_bytes) {
  Uuid uuid;
  if (sixteen_bytes.size() != uuid.bytes.size()) std::abort();
  std::copy(sixteen_bytes.begin(), sixteen_bytes.end(), uuid.bytes.begin());
  return uuid;
}

Uuid IdSource::uuid(Timestamp now) const {
  Uuid uuid;
  auto& bytes = uuid.bytes;
  random_(bytes.data() + 6, 10);
  const auto milliseconds = static_cast<std::uint64_t>(now.at.time_since_epoch().count());
  for (std::size_t i = 0; i < 6; ++i) {
    bytes[i] = static_cast<std::uint8_t>(milliseconds >> (40 - 8 * i));
  }
  bytes[6] = static_cast<std::uint8_t>(0x70 | (bytes[6] & 0x0F));
  bytes[8] = static_cast<std::uint8_t>(0x80 | (bytes[8] & 0x3F));
  return uuid;
}

std::string IdSource::nanoid(std::string_view prefix) const {
  // 64 characters: six bits of a random byte choose one, all equally often.
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
  static_assert(kAlphabet.size() == 64);
  std::array<std::uint8_t, 21> bytes = {};
  random_(bytes.data(), bytes.size());
  std::string id(prefix);
  for (const auto byte : bytes) id += kAlphabet[byte & 63];
  return id;
}

std::string IdSource::hex(std::size_t count) const {
  std::string bytes(count, '\0');
  random_(reinterpret_cast<std::uint8_t*>(bytes.data()), count);
  std::string text;
  text.reserve(2 * count);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += kHex[byte >> 4];
    text += kHex[byte & 15];
  }
  return text;
}

}  // namespace tilth
