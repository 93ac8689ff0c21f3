#include "infra/embedded/archive_command.h"

#include "infra/system/command.h"

namespace tilth {

Status ArchiveCommand::put(const std::filesystem::path& file, const std::string& name) {
  return run({"put", file.string(), name});
}

Status ArchiveCommand::get(const std::string& name, const std::filesystem::path& to) {
  return run({"get", name, to.string()});
}

void ArchiveCommand::end_when(std::function<bool()> asked) {
  const std::lock_guard lock(mutex_);
  end_asked_ = std::move(asked);
}

Status ArchiveCommand::run(std::vector<std::string> arguments) {
  return tilth::run({.program = program_,
                     .arguments = std::move(arguments),
                     .timeout = timeout_,
                     .goes_on = [this] { return goes_on(); }});
}

bool ArchiveCommand::goes_on() {
  const std::lock_guard lock(mutex_);
  return !ended_ && !(end_asked_ && end_asked_());
}

}  // namespace tilth
