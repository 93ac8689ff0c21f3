// Any bytes are a list of archived files or are refused. A list has no gaps, says the same when it
// is written and read again, and is refused if it was cut within a line.

#include <cstddef>
#include <cstdint>
#include <string>

#include "infra/embedded/archived_files.h"
#include "tests/fuzz/require.h"

namespace {

using tilth::ArchivedFiles;
using tilth::fuzz::require;

void read(const std::string& bytes) {
  const auto list = ArchivedFiles::parse(bytes);
  if (!list) return require(list.error().code == tilth::ErrorCode::kDamaged);
  std::int64_t end = 0;
  for (const auto& file : list->files) {
    require(file.first == end && file.end > file.first && !file.path.empty());
    end = file.end;
  }
  require(list->end() == end);
  const auto text = list->text();
  const auto again = ArchivedFiles::parse(text);
  require(again && again->sealed == list->sealed && again->files == list->files);
  for (std::size_t cut = 0; cut < text.size(); ++cut) {
    const auto part = ArchivedFiles::parse(std::string_view(text).substr(0, cut));
    require(static_cast<bool>(part) == (cut > 0 && text[cut - 1] == '\n'));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  read(text);
  read("tilth archive 2\n0 5 900 0f here /" + text);
  return 0;
}
