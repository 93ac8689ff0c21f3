#include "api/dashboard/sign_in_attempts.h"

#include <algorithm>
#include <utility>

#include "api/guards/origin.h"

namespace tilth {
namespace {

constexpr std::string_view kStateCookie = "tilth_sign_in_";
constexpr std::size_t kMostAtOnce = 8;  // in one browser

// A state is "TIME.RANDOM", or "TIME.RANDOM.MARK" if it is to link: the time of its creation, a
// part that cannot be guessed, and a digest of the session.
std::string unmarked(const std::string& state) {
  const auto mark = state.find('.', state.find('.') + 1);
  return state.find('.') == state.npos ? state : state.substr(0, mark);
}

std::string cookie_of(const std::string& state) {
  constexpr std::size_t kDigits = 12;
  const auto dot = state.find('.');
  return std::string(kStateCookie) +
         (dot == state.npos ? std::string() : state.substr(dot + 1, kDigits));
}

std::int64_t made_at(const std::string& state) {
  return read_whole(state.substr(0, state.find('.'))).value_or(0);
}

}  // namespace

SignInAttempt SignInAttempts::attempt_of(const HttpRequest& request, std::string state) const {
  const auto& digest = dashboard_.parts().digest;
  const auto own = OwnOrigin::of(request, dashboard_.settings().trusted_proxies);
  SignInAttempt attempt{std::move(state), {}, {}, own.text() + "/api/auth/callback"};
  attempt.nonce = digest.of("nonce of " + attempt.state);
  attempt.verifier = digest.of("verifier of " + attempt.state);
  return attempt;
}

std::string SignInAttempts::link_mark(const std::string& state,
                                      const Sessions::Found& session) const {
  return dashboard_.parts().digest.of("link " + unmarked(state) + " to " + session.id);
}

SignInAttempts::Begun SignInAttempts::begin(const Call& call,
                                            const std::optional<Sessions::Found>& session) const {
  constexpr std::size_t kRandomBytes = 24;
  const auto& parts = dashboard_.parts();
  auto state = std::to_string(parts.clock.now().at.time_since_epoch().count()) + "." +
               parts.ids.hex(kRandomBytes);
  if (session) state.append(1, '.').append(link_mark(state, *session));
  const auto& cookies = dashboard_.cookies();
  Begun begun{attempt_of(call.request(), state), {}};
  begun.headers.emplace_back("Set-Cookie",
                             cookies.set(call.request(), cookie_of(state), state, kTime));
  auto earlier = cookies.values_of_all(call.request(), kStateCookie);
  std::sort(earlier.begin(), earlier.end(),
            [](const auto& a, const auto& b) { return made_at(a.second) > made_at(b.second); });
  for (auto i = kMostAtOnce - 1; i < earlier.size(); ++i) {
    begun.headers.emplace_back("Set-Cookie", cookies.set(call.request(), earlier[i].first, {}, {}));
  }
  return begun;
}

std::optional<SignInAttempt> SignInAttempts::find(const Call& call,
                                                  const std::string& state) const {
  const auto kept = dashboard_.cookies().values(call.request(), cookie_of(state));
  const bool is_ours = kept.size() == 1 && kept.front() == state;
  const std::chrono::milliseconds made(made_at(state));
  const auto now = dashboard_.parts().clock.now().at.time_since_epoch();
  if (!is_ours || now - made >= kTime) return std::nullopt;
  return attempt_of(call.request(), state);
}

bool SignInAttempts::is_to_link(const std::string& state) { return unmarked(state) != state; }

bool SignInAttempts::is_to_link(const std::string& state, const Sessions::Found& session) const {
  return state == unmarked(state) + "." + link_mark(state, session);
}

HttpHeader SignInAttempts::end(const Call& call, const std::string& state) const {
  return {"Set-Cookie", dashboard_.cookies().set(call.request(), cookie_of(state), {}, {})};
}

}  // namespace tilth
