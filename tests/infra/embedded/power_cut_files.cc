#include "tests/infra/embedded/power_cut_files.h"

#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tilth::testing {
namespace {

namespace fs = std::filesystem;

PowerCutFiles* watching = nullptr;

ino_t node_of(const fs::path& path) {
  struct stat found {};
  return ::lstat(path.c_str(), &found) == 0 ? found.st_ino : 0;
}

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

PowerCutFiles::PowerCutFiles(const fs::path& directory, std::uint32_t seed,
                             std::function<bool()> may_sync)
    : directory_(fs::canonical(directory)),
      may_sync_(std::move(may_sync)),
      chance_(seed),
      synced_(now()) {
  watching = this;
}

PowerCutFiles::~PowerCutFiles() { watching = nullptr; }

std::optional<bool> PowerCutFiles::sync_one(int descriptor) { return on_sync(descriptor, false); }
std::optional<bool> PowerCutFiles::sync_all(int descriptor) { return on_sync(descriptor, true); }

std::optional<bool> PowerCutFiles::on_sync(int descriptor, bool all) {
  struct stat found {};
  if (watching == nullptr || !watching->has(descriptor) || ::fstat(descriptor, &found) != 0) {
    return std::nullopt;
  }
  return watching->sync(found.st_ino, all);
}

bool PowerCutFiles::has(int descriptor) const {
  std::error_code failed;
  const auto path = fs::read_symlink("/proc/self/fd/" + std::to_string(descriptor), failed);
  return !failed && (path == directory_ || path.string().starts_with(directory_.string() + '/'));
}

PowerCutFiles::State PowerCutFiles::now() const {
  State state;
  std::error_code gone;  // meanwhile
  state.directories[node_of(directory_)];
  for (fs::recursive_directory_iterator at(directory_, gone), end; !gone && at != end;
       at.increment(gone)) {
    const auto node = node_of(at->path());
    if (node == 0) continue;
    state.directories[node_of(at->path().parent_path())][at->path().filename()] = node;
    if (at->is_directory(gone)) {
      state.directories[node];
    } else {
      state.files[node] = bytes_of(at->path());
    }
  }
  return state;
}

bool PowerCutFiles::sync(Node node, bool all) {
  const std::lock_guard lock(mutex_);
  if (off_ || !may_sync_()) return false;
  auto current = now();
  if (all) {
    synced_ = std::move(current);
  } else if (const auto file = current.files.find(node); file != current.files.end()) {
    synced_.files[node] = file->second;
  } else {
    synced_.directories[node] = current.directories[node];
  }
  return true;
}

void PowerCutFiles::lose_power() {
  const std::lock_guard lock(mutex_);
  if (std::exchange(off_, true)) return;
  kept_.clear();
  keep({}, node_of(directory_), now());
}

void PowerCutFiles::keep(const fs::path& at, Node directory, const State& current) {
  const auto names_in = [directory](const State& state) {
    const auto found = state.directories.find(directory);
    return found == state.directories.end() ? Names() : found->second;
  };
  const auto before = names_in(synced_), later = names_in(current);
  auto all = before;
  all.insert(later.begin(), later.end());
  for (const auto& [name, node] : all) {
    const auto& names = once_in(2) ? before : later;
    const auto found = names.find(name);
    if (found == names.end()) continue;
    const bool is_directory =
        current.directories.contains(found->second) || synced_.directories.contains(found->second);
    auto& kept = kept_[at / name];
    if (!is_directory) kept = pick_content(found->second, current);
    if (is_directory) keep(at / name, found->second, current);
  }
}

std::string PowerCutFiles::pick_content(Node file, const State& current) {
  const auto content_in = [file](const State& state) {
    const auto found = state.files.find(file);
    return found == state.files.end() ? std::string() : found->second;
  };
  const auto before = content_in(synced_), later = content_in(current);
  if (later.empty() || later == before || once_in(2)) return before;
  return once_in(2) ? later : later.substr(0, chance_() % later.size());
}

void PowerCutFiles::cut() {
  for (const auto& entry : fs::directory_iterator(directory_)) fs::remove_all(entry.path());
  for (const auto& [path, content] : kept_) {
    if (content) {
      std::ofstream(directory_ / path, std::ios::binary) << *content;
    } else {
      fs::create_directory(directory_ / path);
    }
  }
  synced_ = now();
  off_ = false;
}

}  // namespace tilth::testing

// These stand before those of the C library.
extern "C" int fsync(int descriptor) {
  if (const auto synced = tilth::testing::PowerCutFiles::sync_one(descriptor)) {
    if (!*synced) errno = EIO;
    return *synced ? 0 : -1;
  }
  static const auto kNext = reinterpret_cast<decltype(&fsync)>(::dlsym(RTLD_NEXT, "fsync"));
  return kNext(descriptor);
}

extern "C" int syncfs(int descriptor) noexcept {
  if (const auto synced = tilth::testing::PowerCutFiles::sync_all(descriptor)) {
    if (!*synced) errno = EIO;
    return *synced ? 0 : -1;
  }
  static const auto kNext = reinterpret_cast<decltype(&syncfs)>(::dlsym(RTLD_NEXT, "syncfs"));
  return kNext(descriptor);
}
