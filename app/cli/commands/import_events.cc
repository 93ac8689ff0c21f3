#include "app/cli/commands/import_events.h"

#include <cerrno>
#include <cstdint>
#include <iostream>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/cli/engine/json_text.h"
#include "app/cli/engine/operator_api.h"
#include "app/cli/engine/progress.h"
#include "app/cli/engine/table.h"
#include "infra/system/descriptor.h"

namespace tilth::cli {
namespace {

constexpr std::int64_t kMebibyte = 1 << 20;

std::int64_t size_of(int file) {
  struct stat about {};
  return ::fstat(file, &about) == 0 && S_ISREG(about.st_mode) ? about.st_size : 0;
}

}  // namespace

ExitStatus import_events(const Arguments& arguments) {
  const auto& name = arguments.at("FILE");
  Descriptor file(name == "-" ? ::dup(STDIN_FILENO) : ::open(name.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file)
    return failed(name + " cannot be opened: " + std::generic_category().message(errno) + ".");
  auto api = OperatorApi::connect(arguments);
  if (!api) return failed(api.error().message);
  const auto total = size_of(file.get());
  std::int64_t sent = 0;
  bool unreadable = false;
  Progress progress("Importing");
  const auto imported = api->upload(
      "events", "application/x-ndjson",
      [&](char* to, std::size_t size) {
        const auto got = ::read(file.get(), to, size);
        if (got > 0) sent += got;
        unreadable = got < 0;
        return got;
      },
      [&] {
        if (sent >= total) return progress.wait();
        progress.reach(sent, total, std::to_string(sent / kMebibyte) + " MiB");
      });
  if (unreadable) return failed(name + " cannot be read.");
  if (!imported) return failed(imported.error().message);
  if (arguments.has("--json")) {
    std::cout << to_text(*imported) << '\n';
    return done();
  }
  const auto* data = imported->find("data");
  const auto* events = data == nullptr ? nullptr : data->find("events");
  std::cout << "Imported " << counted(events, "event") << ".\n";
  return done();
}

}  // namespace tilth::cli
