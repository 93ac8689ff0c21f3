// Files that lose power: of what was changed in a directory, only what was synced is sure to stay.

#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <string>

#include <sys/types.h>

namespace tilth::testing {

// Operation: fsync() and syncfs() of this program are noticed here (power_cut_files.cc). A file has
// the bytes, and a directory the names, of its last sync; of what came later each may be there or
// not. As a disk may write in any order, a name may stay whose file lost its bytes.
//
// Limitations: it does not see removals, renames and writes themselves: the power goes when
// lose_power() is called, which may be at a sync.
//
// Threads: any, but the constructor, the destructor and cut() only while nothing else uses it.
class PowerCutFiles {
 public:
  // Of what is in the directory. One at a time. Before each sync `may_sync` is asked, which may
  // call lose_power(); false: the sync fails.
  PowerCutFiles(const std::filesystem::path& directory, std::uint32_t seed,
                std::function<bool()> may_sync);
  PowerCutFiles(const PowerCutFiles&) = delete;
  PowerCutFiles& operator=(const PowerCutFiles&) = delete;
  ~PowerCutFiles();

  // Decides what stays. No sync succeeds any more.
  void lose_power();
  // Once there is power again the directory has what stayed, and all of it is synced.
  void cut();

  // Of the calls. Null: it is none of these files. False: it failed.
  static std::optional<bool> sync_one(int descriptor);
  static std::optional<bool> sync_all(int descriptor);

 private:
  using Node = ino_t;
  using Names = std::map<std::string, Node>;
  using Contents = std::map<Node, std::string>;
  // What a disk has, or what the kernel has that may not be on the disk.
  struct State {
    Contents files;
    std::map<Node, Names> directories;
  };

  static std::optional<bool> on_sync(int descriptor, bool all);
  bool has(int descriptor) const;
  State now() const;
  bool sync(Node node, bool all);
  void keep(const std::filesystem::path& at, Node directory, const State& current);
  std::string pick_content(Node file, const State& current);
  bool once_in(std::uint32_t times) { return chance_() % times == 0; }

  const std::filesystem::path directory_;
  const std::function<bool()> may_sync_;
  std::recursive_mutex mutex_;  // guards what follows; may_sync_() may call lose_power()
  std::mt19937 chance_;
  State synced_;
  bool off_ = false;
  std::map<std::filesystem::path, std::optional<std::string>> kept_;  // null: a directory
};

}  // namespace tilth::testing
