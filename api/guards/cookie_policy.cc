#include "api/guards/cookie_policy.h"

#include <algorithm>

#include "api/guards/origin.h"

namespace tilth {
namespace {

template <class Visit>
void for_each_cookie(const HttpRequest& request, Visit visit) {
  for (const auto& [header, text] : request.headers) {
    if (header != "cookie") continue;
    for (std::string_view rest = text; !rest.empty();) {
      rest.remove_prefix(std::min(rest.find_first_not_of("; \t"), rest.size()));
      const auto cookie = rest.substr(0, rest.find(';'));
      const auto equals = cookie.find('=');
      if (equals != cookie.npos) visit(cookie.substr(0, equals), cookie.substr(equals + 1));
      rest.remove_prefix(cookie.size());
    }
  }
}

}  // namespace

bool CookiePolicy::is_secure(const HttpRequest& request) const {
  return !on_loopback_ || OwnOrigin::of(request, trusted_proxies_).scheme != "http";
}

std::string CookiePolicy::name_of(const HttpRequest& request, std::string_view cookie) const {
  return (is_secure(request) ? "__Host-" : "") + std::string(cookie);
}

std::string CookiePolicy::set(const HttpRequest& request, std::string_view cookie,
                              const std::string& value, std::chrono::seconds left) const {
  auto text = name_of(request, cookie) + "=" + value +
              "; Path=/; HttpOnly; SameSite=Lax; Max-Age=" + std::to_string(left.count());
  if (is_secure(request)) text.append("; Secure");
  return text;
}

std::vector<std::string> CookiePolicy::values(const HttpRequest& request,
                                              std::string_view cookie) const {
  return cookies_of(request, name_of(request, cookie));
}

std::vector<HttpHeader> CookiePolicy::values_of_all(const HttpRequest& request,
                                                    std::string_view prefix) const {
  const auto wanted = name_of(request, prefix);
  const auto added = wanted.size() - prefix.size();
  std::vector<HttpHeader> all;
  for_each_cookie(request, [&](std::string_view name, std::string_view value) {
    if (name.starts_with(wanted)) all.emplace_back(name.substr(added), value);
  });
  return all;
}

std::vector<std::string> cookies_of(const HttpRequest& request, std::string_view name) {
  constexpr std::size_t kMost = 8;  // of one name: more than any browser sends
  std::vector<std::string> values;
  for_each_cookie(request, [&](std::string_view its, std::string_view value) {
    if (its == name && values.size() < kMost) values.emplace_back(value);
  });
  return values;
}

}  // namespace tilth
