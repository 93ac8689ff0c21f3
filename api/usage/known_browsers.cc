#include "api/usage/known_browsers.h"

#include <sodium.h>

#include "events/json/codec.h"

namespace tilth {
namespace {

constexpr std::size_t kNameBytes = 16, kMostLength = 200;

bool equal(std::string_view a, std::string_view b) {
  return a.size() == b.size() && sodium_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace

std::string KnownBrowsers::cookie_for(const std::string& user_id,
                                      const std::optional<std::string>& browser) const {
  const auto now = clock_.now().at.time_since_epoch().count();
  const auto part = std::to_string(now) + "." + (browser ? *browser : ids_.hex(kNameBytes));
  return part + "." + signature(part, user_id);
}

std::optional<std::string> KnownBrowsers::name_of(std::span<const std::string> cookies,
                                                  const std::string& user_id) const {
  const auto now = clock_.now();
  for (const std::string_view cookie : cookies) {
    const auto first = cookie.find('.'), last = cookie.rfind('.');
    if (cookie.size() > kMostLength || first == last) continue;
    if (!equal(cookie.substr(last + 1), signature(cookie.substr(0, last), user_id))) continue;
    const auto made = read_whole(cookie.substr(0, first)).value_or(0);
    const std::chrono::sys_time<std::chrono::milliseconds> at{std::chrono::milliseconds(made)};
    if (now.at < at + kLength) return std::string(cookie.substr(first + 1, last - first - 1));
  }
  return std::nullopt;
}

std::string KnownBrowsers::signature(std::string_view signed_part,
                                     const std::string& user_id) const {
  return digest_.of("browser " + std::string(signed_part) + " of " + user_id);
}

}  // namespace tilth
