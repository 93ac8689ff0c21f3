#include "app/node/shipped_library.h"

#include <system_error>

#include "infra/system/whole_file.h"

namespace tilth {
namespace {

// Brokers that have just started may not respond for a while.
constexpr int kTries = 5;

}  // namespace

Status give_shipped_library(const LibraryImport& import, bool log_is_empty,
                            const std::filesystem::path& mark, LogLines& log) {
  std::error_code failed;
  if (!log_is_empty && !std::filesystem::exists(mark, failed)) return kDone;
  if (const auto marked = write_whole_file(mark, {}, 0600); !marked) return marked;
  Result<ImportedLibrary> given = ImportedLibrary();
  try {
    given = import.run(shipped_library());
    for (int i = 1; i < kTries && !given && given.error().code == ErrorCode::kUnavailable; ++i) {
      given = import.run(shipped_library());
    }
  } catch (const UnreadableRows& rows) {  // must not prevent a start
    log.warn("The crop library is given to the log at the next start.", {{"reason", rows.what()}});
    return kDone;
  }
  if (!given) {
    return Error{given.error().code,
                 "The crop library cannot be given to the log: " + given.error().message};
  }
  std::filesystem::remove(mark, failed);
  if (failed) return Error{ErrorCode::kUnavailable, mark.string() + " cannot be removed."};
  log.info("The crop library is there.",
           {{"crops", given->crops}, {"varieties", given->varieties}});
  return kDone;
}

}  // namespace tilth
