// Ids: UUIDs for a farmer's records, prefixed nanoids for users and API keys.

#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "events/values/textual.h"
#include "events/values/time.h"

namespace tilth {

// 128 bits, written 8-4-4-4-12. Parsed in either case, written in lower case. Ordered by bytes, so
// version 7 UUIDs sort by creation time.
struct Uuid {
  static constexpr std::string_view kExpected = "a UUID";
  static constexpr std::string_view kFormat = "uuid";
  std::array<std::uint8_t, 16> bytes = {};

  static std::optional<Uuid> parse(std::string_view text);
  std::string text() const;
  void append_to(std::string& out) const;
  // The same 16 bytes as part of an ordered key, and back.
  std::string_view key() const { return {reinterpret_cast<const char*>(bytes.data()), 16}; }
  static Uuid from_key(std::string_view sixteen_bytes);
  friend auto operator<=>(const Uuid&, const Uuid&) = default;
};

// The UUID of an Of: an Id<Plant> cannot be passed as an Id<Block>.
template <class Of>
struct Id {
  static constexpr std::string_view kExpected = Uuid::kExpected;
  static constexpr std::string_view kFormat = Uuid::kFormat;
  Uuid uuid;

  static std::optional<Id> parse(std::string_view text) {
    const auto uuid = Uuid::parse(text);
    return uuid ? std::optional(Id{*uuid}) : std::nullopt;
  }
  std::string text() const { return uuid.text(); }
  void append_to(std::string& out) const { uuid.append_to(out); }
  friend auto operator<=>(const Id&, const Id&) = default;
};

// Generates ids. Pure given its two sources; threads: any, if any thread may call `random`.
class IdSource {
 public:
  // `random` fills a buffer with random bytes.
  using Random = std::function<void(std::uint8_t* bytes, std::size_t count)>;
  explicit IdSource(Random random) : random_(std::move(random)) {}

  // RFC 9562 version 7: the millisecond of `now`, then 74 random bits.
  Uuid uuid(Timestamp now) const;

  // `prefix` and 21 characters of A-Za-z0-9_-, 126 random bits: "user_V1StGXR8_Z5jdHi6B-myT".
  std::string nanoid(std::string_view prefix) const;

  // `count` random bytes as lower-case hex.
  std::string hex(std::size_t count) const;

 private:
  Random random_;
};

}  // namespace tilth
