#include "infra/peers/peer_secret.h"

#include <cstdlib>
#include <string>
#include <system_error>

#include <sodium.h>

#include "infra/system/whole_file.h"

namespace tilth {
namespace {

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

bool others_can_read(const std::filesystem::path& file) {
  std::error_code failed;
  const auto permissions = std::filesystem::status(file, failed).permissions();
  return !failed &&
         (permissions & std::filesystem::perms::others_read) != std::filesystem::perms::none;
}

}  // namespace

Result<PeerSecret> PeerSecret::read(const std::filesystem::path& file, LogLines& log_lines) {
  const auto cannot = [&](const std::string& why) {
    return Error{ErrorCode::kUnavailable,
                 "The secret of the cluster, " + file.string() + ", " + why + "."};
  };
  const auto content = read_whole_file(file);
  if (!content) return cannot("cannot be read");
  if (!*content) return cannot("does not exist");
  auto text = **content;
  while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
  if (text.size() < kLeastCharacters) {
    return cannot("is too short: it needs at least " + std::to_string(kLeastCharacters) +
                  " characters");
  }
  if (others_can_read(file)) {
    log_lines.warn("Others on this machine can read the secret of the cluster.",
                   {{"file", file.string()}});
  }
  PeerSecret secret(text);
  log_lines.keep_secret(std::move(text));
  return secret;
}

PeerSecret::PeerSecret(std::string_view text) {
  if (::sodium_init() < 0) std::abort();
  constexpr std::string_view kPurpose = "tilth nodes";
  ::crypto_generichash(key_.data(), key_.size(), bytes_of(text), text.size(), bytes_of(kPurpose),
                       kPurpose.size());
}

PeerSecret::~PeerSecret() { ::sodium_memzero(key_.data(), key_.size()); }

PeerSecret::Key PeerSecret::key_for(std::string_view purpose) const {
  Key key;
  ::crypto_generichash(key.data(), key.size(), bytes_of(purpose), purpose.size(), key_.data(),
                       key_.size());
  return key;
}

}  // namespace tilth
