#include "infra/embedded/directory_lock.h"

#include <cerrno>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "infra/system/whole_file.h"

namespace tilth {
namespace {

Error unavailable(const std::filesystem::path& directory, const std::string& why) {
  return {ErrorCode::kUnavailable, "The event log in " + directory.string() + " " + why + "."};
}

}  // namespace

Result<std::unique_ptr<DirectoryLock>> DirectoryLock::take(const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) return unavailable(directory, "cannot be made: " + error.message());
  // Always, since it may have been made by a process that ended before this.
  if (const auto durable = sync_name_of(directory); !durable) return durable.error();
  const int file = ::open((directory / "open.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) {
    return unavailable(directory, "cannot be opened: " + std::generic_category().message(errno));
  }
  std::unique_ptr<DirectoryLock> lock(new DirectoryLock(file));
  if (::flock(file, LOCK_EX | LOCK_NB) != 0) {
    return unavailable(directory,
                       errno == EWOULDBLOCK
                           ? "is open already, in another process or in this one"
                           : "cannot be locked: " + std::generic_category().message(errno));
  }
  return lock;
}

DirectoryLock::~DirectoryLock() { ::close(file_); }

}  // namespace tilth
