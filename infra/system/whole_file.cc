#include "infra/system/whole_file.h"

#include <array>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tilth {
namespace {

class OpenFile {
 public:
  OpenFile(const std::filesystem::path& path, int flags, mode_t mode = 0)
      : descriptor_(::open(path.c_str(), flags | O_CLOEXEC, mode)) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  explicit operator bool() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }

 private:
  const int descriptor_;
};

Error failure(const std::filesystem::path& path, std::string_view verb) {
  const auto reason = std::generic_category().message(errno);
  return {ErrorCode::kUnavailable,
          path.string() + " cannot be " + std::string(verb) + ": " + reason + "."};
}

bool write_all(int descriptor, std::string_view content) {
  while (!content.empty()) {
    const auto written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) content.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool write_durably(const std::filesystem::path& path, std::string_view content, mode_t mode) {
  const OpenFile file(path, O_WRONLY | O_CREAT | O_TRUNC, mode);
  return file && ::fchmod(file.descriptor(), mode) == 0 && write_all(file.descriptor(), content) &&
         ::fsync(file.descriptor()) == 0;
}

}  // namespace

Status write_whole_file(const std::filesystem::path& path, std::string_view content, mode_t mode) {
  // In the same directory, since only a rename within a file system is atomic.
  const auto temporary = path.string().append(kUnfinishedEnding);
  if (!write_durably(temporary, content, mode) || ::rename(temporary.c_str(), path.c_str()) != 0) {
    const auto error = failure(path, "written");
    ::unlink(temporary.c_str());
    return error;
  }
  return sync_directory(path.parent_path());
}

Status sync_directory(const std::filesystem::path& directory) {
  const auto path = directory.empty() ? std::filesystem::path(".") : directory;
  const OpenFile open(path, O_RDONLY | O_DIRECTORY);
  if (!open || ::fsync(open.descriptor()) != 0) return failure(path, "made durable");
  return kDone;
}

Status sync_name_of(const std::filesystem::path& directory) {
  return sync_directory(std::filesystem::absolute(directory / "..").lexically_normal());
}

Result<std::vector<std::filesystem::path>> make_directories(
    const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> missing;
  std::error_code failed;
  auto at = std::filesystem::absolute(directory).lexically_normal();
  if (!at.has_filename()) at = at.parent_path();  // "data/"
  for (; !std::filesystem::exists(at, failed) && !failed; at = at.parent_path()) {
    missing.push_back(at);
  }
  std::filesystem::create_directories(directory, failed);
  Status durable = kDone;
  if (failed) {
    durable = Error{ErrorCode::kUnavailable,
                    directory.string() + " cannot be made: " + failed.message() + "."};
  }
  for (auto made = missing.begin(); durable && made != missing.end(); ++made) {
    durable = sync_name_of(*made);
  }
  if (durable) return missing;
  for (const auto& made : missing) std::filesystem::remove(made, failed);
  return durable.error();
}

Status sync_file(const std::filesystem::path& path) {
  const OpenFile open(path, O_RDONLY);
  if (!open || ::fsync(open.descriptor()) != 0) return failure(path, "made durable");
  return kDone;
}

void drop_cached_pages(const std::filesystem::path& path) {
  const OpenFile open(path, O_RDONLY);
  if (open) ::posix_fadvise(open.descriptor(), 0, 0, POSIX_FADV_DONTNEED);  // else reading says why
}

Result<std::optional<std::string>> read_whole_file(const std::filesystem::path& path) {
  const OpenFile file(path, O_RDONLY);
  if (!file && errno == ENOENT) return std::optional<std::string>();
  if (!file) return failure(path, "read");
  std::string content;
  std::array<char, 4'096> buffer;
  while (true) {
    const auto got = ::read(file.descriptor(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failure(path, "read");
    if (got == 0) return std::optional(std::move(content));
    content.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace tilth
