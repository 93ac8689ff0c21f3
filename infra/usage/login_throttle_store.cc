#include "infra/usage/login_throttle_store.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace tilth {
namespace {

constexpr char kLoginFailures = 'g';  // before the digest in an entry's key

// Each instant as text, with its number of failures: "2026-03-01T06:30:00.000Z 2 …"
std::string bytes_of(const LoginThrottleStore::Failures& failures) {
  std::string bytes;
  for (const auto& [at, count] : failures) {
    if (!bytes.empty()) bytes.push_back(' ');
    bytes.append(at.text()).append(1, ' ').append(std::to_string(count));
  }
  return bytes;
}

std::string_view take_word(std::string_view& bytes) {
  const auto word = bytes.substr(0, bytes.find(' '));
  bytes.remove_prefix(std::min(word.size() + 1, bytes.size()));
  return word;
}

LoginThrottleStore::Failures read_failures(std::string_view bytes) {
  LoginThrottleStore::Failures failures;
  while (!bytes.empty()) {
    const auto at = Timestamp::parse(take_word(bytes));
    const auto digits = take_word(bytes);
    std::uint32_t count = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), count);
    if (at) failures.emplace_back(*at, count);
  }
  return failures;
}

}  // namespace

Status RocksLoginThrottleStore::keep(const std::string& digest, const Failures& failures) {
  return usage_.keep_entry(kLoginFailures + digest, bytes_of(failures));
}

Status RocksLoginThrottleStore::forget(const std::string& digest) {
  return usage_.forget_entry(kLoginFailures + digest);
}

Status RocksLoginThrottleStore::read(const Each& each) {
  return usage_.read_entries(kLoginFailures, [&](std::string_view key, std::string_view value) {
    each(std::string(key.substr(1)), read_failures(value));
  });
}

}  // namespace tilth
