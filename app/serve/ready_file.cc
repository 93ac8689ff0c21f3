#include "app/serve/ready_file.h"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <string>
#include <system_error>

#include <unistd.h>

#include "app/cli/engine/json_text.h"
#include "infra/system/whole_file.h"

namespace tilth {
namespace {

Error unwritable(const std::filesystem::path& path) {
  return {ErrorCode::kUnavailable,
          path.string() + " cannot be written: " + std::generic_category().message(errno) + "."};
}

// This process has not written the file: if it names our id, another process had that id before.
bool names_a_living_process(const std::filesystem::path& path) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return false;
  const auto content = read_whole_file(path);
  if (!content || !*content) return false;
  const auto ready = parse_json(**content);
  const auto* named = ready ? ready->find("pid") : nullptr;
  pid_t pid = 0;
  if (named != nullptr) {
    std::from_chars(named->text.data(), named->text.data() + named->text.size(), pid);
  }
  if (pid <= 0 || pid == ::getpid()) return false;
  return ::kill(pid, 0) == 0 || errno == EPERM;
}

}  // namespace

ReadyFile::~ReadyFile() { remove(); }

Status ReadyFile::clear_left() const {
  if (path_.empty()) return kDone;
  const auto folder = path_.has_parent_path() ? path_.parent_path() : std::filesystem::path(".");
  if (::access(folder.c_str(), W_OK) != 0) return unwritable(path_);
  return names_a_living_process(path_) ? kDone : clear();
}

Status ReadyFile::clear() const {
  if (path_.empty() || ::unlink(path_.c_str()) == 0 || errno == ENOENT) return kDone;
  return unwritable(path_);
}

Status ReadyFile::write(const HostPort& listen, const HostPort& operator_listen) {
  if (path_.empty()) return kDone;
  Json ready = object_value();
  ready.add("listen", text_value(listen.text()));
  ready.add("operatorListen", text_value(operator_listen.text()));
  ready.add("pid", {Json::Kind::kNumber, std::to_string(::getpid()), {}});
  auto status = write_whole_file(path_, to_text(ready), 0644);
  written_ = static_cast<bool>(status);
  return status;
}

void ReadyFile::remove() {
  if (written_) ::unlink(path_.c_str());
  written_ = false;
}

}  // namespace tilth
