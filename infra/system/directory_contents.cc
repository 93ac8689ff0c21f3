#include "infra/system/directory_contents.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <memory>
#include <set>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <unistd.h>
#include <xxhash.h>

namespace tilth {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHexDigits = 32;

std::set<std::string_view> lines_of(std::string_view text) {
  std::set<std::string_view> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    lines.insert(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

Result<std::string> hash_of_file(const fs::path& path) {
  std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(),
                                                                 &XXH3_freeState);
  XXH3_128bits_reset(state.get());
  std::vector<char> piece(1 << 20);
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  ssize_t got = file < 0 ? -1 : 1;
  while (got > 0) {
    got = ::read(file, piece.data(), piece.size());
    if (got > 0) XXH3_128bits_update(state.get(), piece.data(), static_cast<std::size_t>(got));
  }
  const auto why = std::generic_category().message(errno);
  if (file >= 0) ::close(file);
  if (got < 0) {
    return Error{ErrorCode::kUnavailable, path.string() + " cannot be read: " + why + "."};
  }
  XXH128_canonical_t digest;
  XXH128_canonicalFromHash(&digest, XXH3_128bits_digest(state.get()));
  std::string hex;
  for (const auto byte : digest.digest) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    hex.append({kDigits[byte >> 4], kDigits[byte & 15]});
  }
  return hex;
}

Result<std::string> contents_of(const fs::path& directory, const MayDisappear& may_disappear) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    if (!entry.is_directory()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::string lines;
  for (const auto& file : files) {
    const auto name = file.lexically_relative(directory);
    const auto hash = hash_of_file(file);
    std::error_code failed;
    if (!hash && !fs::exists(file, failed) && may_disappear && may_disappear(name)) continue;
    if (!hash) return hash;
    lines += *hash + " " + name.string() + "\n";
  }
  return lines;
}

std::optional<std::string> difference_of(std::string_view contents, std::string_view others) {
  const auto one = lines_of(contents), other = lines_of(others);
  std::vector<std::string_view> differing;
  std::set_symmetric_difference(one.begin(), one.end(), other.begin(), other.end(),
                                std::back_inserter(differing));
  if (differing.empty()) return std::nullopt;
  const auto& line = differing.front();
  return std::string(line.substr(std::min(kHexDigits + 1, line.size())));
}

}  // namespace tilth
