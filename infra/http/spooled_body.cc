#include "infra/http/spooled_body.h"

#include <cerrno>
#include <cstdlib>
#include <string>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace tilth {

namespace {

Descriptor nameless_file(const std::filesystem::path& directory) {
  Descriptor file(::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file || errno != EOPNOTSUPP) return file;
  // Not every file system supports O_TMPFILE.
  auto name = (directory / "body.XXXXXX").string();
  file = Descriptor(::mkostemp(name.data(), O_CLOEXEC));
  if (file) ::unlink(name.c_str());
  return file;
}

}  // namespace

Result<std::shared_ptr<SpooledBody>> SpooledBody::make(const std::filesystem::path& directory) {
  auto file = nameless_file(directory);
  if (!file) return Error{ErrorCode::kUnavailable, "The disk refuses."};
  return std::make_shared<SpooledBody>(std::move(file));
}

bool SpooledBody::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto written = ::write(file_.get(), bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

std::ptrdiff_t SpooledBody::read(char* to, std::size_t size) {
  for (;;) {
    const auto got = ::pread(file_.get(), to, size, static_cast<off_t>(read_));
    if (got < 0 && errno == EINTR) continue;
    if (got > 0) read_ += static_cast<std::size_t>(got);
    return got;
  }
}

}  // namespace tilth
