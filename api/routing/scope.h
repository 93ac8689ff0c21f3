// What a key permits.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tilth {

enum class Scope : std::uint8_t {
  kFarmsRead,
  kFarmsWrite,
  kCropsRead,
  kCropsWrite,
  kFieldsRead,
  kFieldsWrite,
  kTasksRead,
  kTasksWrite,
  kLibraryRead,
  kLibraryWrite,
  kMarketRead,
  kMarketWrite,
  kAnalyticsRead,
  kFinanceRead,
  kFinanceWrite,
  kBillingRead,
  kEventsRead,
  kWebhooksRead,
  kWebhooksWrite,
  kAll,
};

inline constexpr std::array<std::string_view, 20> kScopeNames{
    "farms:read",   "farms:write",  "crops:read",     "crops:write",    "fields:read",
    "fields:write", "tasks:read",   "tasks:write",    "library:read",   "library:write",
    "market:read",  "market:write", "analytics:read", "finance:read",   "finance:write",
    "billing:read", "events:read",  "webhooks:read",  "webhooks:write", "all"};

constexpr std::string_view scope_name(Scope scope) {
  return kScopeNames.at(static_cast<std::size_t>(scope));
}

constexpr std::optional<Scope> find_scope(std::string_view name) {
  for (std::size_t i = 0; i < kScopeNames.size(); ++i) {
    if (kScopeNames.at(i) == name) return static_cast<Scope>(i);
  }
  return std::nullopt;
}

// A set of scopes. `all` includes every scope; no other includes another.
class Scopes {
 public:
  void add(Scope scope) { bits_ |= bit(scope); }
  bool include(Scope scope) const { return (bits_ & (bit(scope) | bit(Scope::kAll))) != 0; }

 private:
  static constexpr std::uint32_t bit(Scope scope) { return 1U << static_cast<unsigned>(scope); }
  std::uint32_t bits_ = 0;
};

}  // namespace tilth
