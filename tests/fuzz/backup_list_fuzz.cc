// A backup is restored only if its list names each of its files with its content, whatever the list
// says. The input replaces a part of the list, which its first two bytes choose.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "infra/node/backup.h"
#include "tests/fuzz/require.h"

namespace {

namespace fs = std::filesystem;
using tilth::fuzz::require;

void write(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

std::set<std::string> lines_of(const std::string& text) {
  std::set<std::string> lines;
  std::istringstream all(text);
  for (std::string line; std::getline(all, line);) lines.insert(line);
  return lines;
}

// A backup with a key of an owner, and the note of one whose key was destroyed since then.
class SmallBackup {
 public:
  SmallBackup() {
    std::string name = "/dev/shm/tilth_backup_fuzz_XXXXXX";  // a restore syncs each file
    require(mkdtemp(name.data()) != nullptr);
    series_ = name;
    backup_ = series_ / "backup";
    write(series_ / "events", "some events");
    const std::vector<tilth::BackedUp> parts{tilth::copy_of_file(series_ / "events"),
                                             {"owner-keys", [](const fs::path& to) {
                                                fs::create_directory(to);
                                                write(to / "user_1.key", std::string(32, '1'));
                                                write(to / "user_2.key", std::string(32, '2'));
                                                return tilth::kDone;
                                              }}};
    require(static_cast<bool>(tilth::back_up(backup_, parts)));
    std::ifstream mark(backup_ / "backup", std::ios::binary);
    list_.assign(std::istreambuf_iterator<char>(mark), {});
    for (const auto& line : lines_of(list_)) {
      if (!line.ends_with("user_2.key")) kept_.insert(line);
    }
    fs::remove(backup_ / "owner-keys" / "user_2.key");
    write(backup_ / "owner-keys" / "user_2.destroyed", "destroyed\nuser_2\n");
  }
  ~SmallBackup() { fs::remove_all(series_); }

  const std::string& list() const { return list_; }

  // Whether it is restored if its list is `text`.
  bool is_restored(const std::string& text) const {
    write(backup_ / "backup", text);
    const auto fresh = series_ / "fresh";
    const auto restored = tilth::restore(
        backup_, fresh, [](auto, auto) {}, [](const auto&) { return tilth::kDone; });
    require(fs::exists(fresh) == static_cast<bool>(restored));
    fs::remove_all(fresh);
    // Not even a part of what was refused is left: "backup" and "events".
    require(std::distance(fs::directory_iterator(series_), fs::directory_iterator()) == 2);
    return static_cast<bool>(restored);
  }

  bool names_all_files(const std::string& text) const {
    const auto lines = lines_of(text);
    return std::ranges::includes(lines, kept_) && std::ranges::all_of(lines, [&](const auto& line) {
             return kept_.contains(line) || line.find("owner-keys/") != line.npos;
           });
  }

 private:
  fs::path series_;
  fs::path backup_;
  std::string list_;
  std::set<std::string> kept_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const SmallBackup backup;
  if (size < 2) {
    require(backup.is_restored(backup.list()));
    return 0;
  }
  const auto begin = bytes[0] % (backup.list().size() + 1);
  auto text = backup.list();
  text.replace(begin, bytes[1], {reinterpret_cast<const char*>(bytes) + 2, size - 2});
  if (backup.is_restored(text)) require(backup.names_all_files(text));
  return 0;
}
