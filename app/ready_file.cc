#include "app/ready_file.h"

#include <cerrno>
#include <string>
#include <system_error>

#include <unistd.h>

#include "app/cli/json_text.h"
#include "infra/whole_file.h"

namespace tilth {

ReadyFile::~ReadyFile() { remove(); }

Status ReadyFile::clear() const {
  if (path_.empty()) return kDone;
  const auto beside = path_.has_parent_path() ? path_.parent_path() : std::filesystem::path(".");
  const bool removed = ::unlink(path_.c_str()) == 0 || errno == ENOENT;
  if (removed && ::access(beside.c_str(), W_OK) == 0) return kDone;
  return Error{ErrorCode::kUnavailable, path_.string() + " cannot be written: " +
                                            std::generic_category().message(errno) + "."};
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
