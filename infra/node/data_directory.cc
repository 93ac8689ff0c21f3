#include "infra/node/data_directory.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "infra/node/backup.h"
#include "infra/system/path_within.h"
#include "infra/system/random.h"
#include "infra/system/whole_file.h"

namespace tilth {
namespace {

constexpr std::size_t kSecretBytes = 32;
constexpr std::size_t kShortestToken = 16;

// Those that docs/operations.md describes.
constexpr std::array<std::string_view, 12> kFolders = {
    "archive",    "archive-cache", "backup-aside", "import", "log",   "log-check",
    "owner-keys", "requests",      "scratch",      "usage",  "views", "webhooks"};

std::string random_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  fill_random(reinterpret_cast<std::uint8_t*>(bytes.data()), count);
  return bytes;
}

std::string random_hex(std::size_t bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (const char c : random_bytes(bytes)) {
    const auto byte = static_cast<unsigned char>(c);
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

Error unavailable(const std::filesystem::path& path, const std::string& what, int reason) {
  return {ErrorCode::kUnavailable,
          path.string() + " " + what + ": " + std::generic_category().message(reason) + "."};
}

// The process that holds the lock, by the pid in the file.
std::string holder(int lock) {
  std::array<char, 24> pid = {};
  const auto got = ::pread(lock, pid.data(), pid.size() - 1, 0);
  const std::string text(pid.data(), static_cast<std::size_t>(got < 0 ? 0 : got));
  return text.empty() ? "another process" : "process " + text.substr(0, text.find('\n'));
}

Result<int> take_lock(const std::filesystem::path& directory) {
  const auto path = directory / "lock";
  const int lock = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock < 0) return unavailable(path, "cannot be opened", errno);
  if (::flock(lock, LOCK_EX | LOCK_NB) != 0) {
    const auto reason = errno;
    auto error = reason == EWOULDBLOCK
                     ? Error{ErrorCode::kConflict, "The data directory " + directory.string() +
                                                       " is in use by " + holder(lock) + "."}
                     : unavailable(path, "cannot be locked", reason);
    ::close(lock);
    return error;
  }
  return lock;
}

// For holder().
Status write_pid(int lock, const std::filesystem::path& directory) {
  const auto pid = std::to_string(::getpid()) + "\n";
  if (::ftruncate(lock, 0) == 0 &&
      ::pwrite(lock, pid.data(), pid.size(), 0) == static_cast<ssize_t>(pid.size())) {
    return kDone;
  }
  return unavailable(directory / "lock", "cannot be written", errno);
}

// The file's content; creates the file with `fresh` if it is missing.
Result<std::string> kept(const std::filesystem::path& path, std::string fresh, mode_t mode) {
  const auto there = read_whole_file(path);
  if (!there) return there.error();
  if (*there) return **there;
  if (const auto written = write_whole_file(path, fresh, mode); !written) return written.error();
  return fresh;
}

std::string without_final_newline(std::string text) {
  if (text.ends_with('\n')) text.pop_back();
  if (text.ends_with('\r')) text.pop_back();
  return text;
}

}  // namespace

Result<DataDirectory> DataDirectory::open(const std::filesystem::path& path) {
  DataDirectory directory(path, -1);
  const auto undo = [&directory](Error error) {
    directory.discard();
    return error;
  };
  auto made = make_directories(path);
  if (!made) return made.error();
  directory.made_ = std::move(*made);
  if (!directory.made_.empty()) ::chmod(path.c_str(), 0700);
  std::error_code failed;
  if (std::filesystem::exists(path / kRestoring, failed)) {
    return Error{ErrorCode::kDamaged, "The data directory " + path.string() +
                                          " was not restored completely: restore it again."};
  }
  const auto lock = take_lock(path);
  if (!lock) return undo(lock.error());
  directory.lock_ = *lock;
  if (const auto written = write_pid(*lock, path); !written) return undo(written.error());

  // The key secret is written before `node` and the log, and a restored directory has no `node`. A
  // new secret would silently invalidate every API key.
  const bool in_use = std::filesystem::exists(path / "node", failed) ||
                      std::filesystem::exists(path / "log", failed);
  if (in_use && !std::filesystem::exists(path / "key.secret", failed)) {
    return Error{ErrorCode::kDamaged, (path / "key.secret").string() +
                                          " is missing, and without it no API key of this data "
                                          "directory works: put it back."};
  }
  auto secret = kept(path / "key.secret", random_bytes(kSecretBytes), 0600);
  if (!secret) return undo(secret.error());
  if (secret->size() != kSecretBytes) {
    return Error{ErrorCode::kDamaged, (path / "key.secret").string() + " does not hold 32 bytes."};
  }
  auto token = kept(path / "operator.token", random_hex(kSecretBytes), 0600);
  if (!token) return undo(token.error());
  directory.operator_token_ = without_final_newline(std::move(*token));
  if (directory.operator_token_.size() < kShortestToken) {
    return Error{ErrorCode::kDamaged, (path / "operator.token").string() +
                                          " does not hold a token of at least 16 characters."};
  }
  auto node = kept(path / "node", "tilth-" + random_hex(6) + "\n", 0600);
  if (!node) return undo(node.error());
  directory.node_ = without_final_newline(std::move(*node));
  if (directory.node_.empty()) {
    return Error{ErrorCode::kDamaged, (path / "node").string() + " holds no name."};
  }
  directory.key_secret_ = std::move(*secret);
  return directory;
}

void DataDirectory::discard() {
  std::error_code ignored;
  // Without the lock, another process may have taken it, and what is in there is its own.
  if (!made_.empty() && lock_ >= 0) std::filesystem::remove_all(path_, ignored);
  for (const auto& directory : made_) std::filesystem::remove(directory, ignored);
}

std::vector<std::filesystem::path> DataDirectory::moving_files() const {
  std::vector<std::filesystem::path> files{path_ / "key.secret"};
  std::error_code failed;
  for (auto file : {test_clock(), projection_overrides()}) {
    if (std::filesystem::exists(file, failed)) files.push_back(std::move(file));
  }
  return files;
}

bool DataDirectory::uses(const std::filesystem::path& path) const {
  const auto within = path_within(path_, path);
  return !within.empty() && (within == "." || std::ranges::count(kFolders, *within.begin()) > 0);
}

std::optional<std::filesystem::path> DataDirectory::readable_by_others() const {
  namespace fs = std::filesystem;
  std::error_code failed;
  const auto others_may = [&failed](const fs::path& path, fs::perms what) {
    return (fs::symlink_status(path, failed).permissions() & what) != fs::perms::none && !failed;
  };
  if (!others_may(path_, fs::perms::others_exec)) return std::nullopt;
  constexpr auto kSkip = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator at(path_, kSkip, failed), end; !failed && at != end;
       at.increment(failed)) {
    if (!at->is_directory(failed)) {
      if (others_may(at->path(), fs::perms::others_read)) return at->path();
    } else if (!others_may(at->path(), fs::perms::others_exec)) {
      at.disable_recursion_pending();
    }
  }
  return std::nullopt;
}

DataDirectory::DataDirectory(std::filesystem::path path, int lock)
    : path_(std::move(path)), lock_(lock) {}

DataDirectory::DataDirectory(DataDirectory&& other) noexcept
    : path_(std::move(other.path_)),
      lock_(std::exchange(other.lock_, -1)),
      made_(std::move(other.made_)),
      operator_token_(std::move(other.operator_token_)),
      key_secret_(std::move(other.key_secret_)),
      node_(std::move(other.node_)) {}

DataDirectory::~DataDirectory() {
  if (lock_ >= 0) ::close(lock_);
}

}  // namespace tilth
