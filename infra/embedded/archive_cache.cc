#include "infra/embedded/archive_cache.h"

#include <algorithm>
#include <system_error>
#include <utility>
#include <vector>

#include "infra/system/directory_contents.h"

namespace tilth {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPart = ".partial";

}  // namespace

std::string name_in_store(const ArchivedFile& file) {
  const auto name = file.path.filename();
  return name.stem().string() + "-" + file.hash + name.extension().string();
}

ArchiveCache::ArchiveCache(std::shared_ptr<ArchiveStore> store, Options options)
    : store_(std::move(store)), options_(std::move(options)) {
  std::error_code failed;
  std::vector<std::pair<fs::file_time_type, Kept>> found;
  for (fs::directory_iterator at(options_.directory, failed), end; !failed && at != end;
       at.increment(failed)) {
    std::error_code ignored;
    if (at->path().extension() == kPart) {
      fs::remove(at->path(), ignored);
    } else {
      found.push_back(
          {at->last_write_time(ignored), {at->path().filename().string(), at->file_size(ignored)}});
    }
  }
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  const std::lock_guard lock(mutex_);
  for (const auto& [time, kept] : found) keep(kept);
}

fs::path ArchiveCache::path_of(const ArchivedFile& file) const {
  return options_.directory / name_in_store(file);
}

Result<fs::path> ArchiveCache::fetch(const ArchivedFile& file) {
  const auto name = name_in_store(file);
  std::promise<Fetched> promise;
  std::shared_future<Fetched> running;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = running_.find(name); found != running_.end()) {
      running = found->second;
    } else {
      running_.emplace(name, promise.get_future().share());
    }
  }
  if (running.valid()) return running.get();
  auto fetched = get(file);
  remember(file, fetched);
  promise.set_value(fetched);
  return fetched;
}

Result<fs::path> ArchiveCache::get(const ArchivedFile& file) {
  const auto path = path_of(file);
  std::error_code failed;
  if (fs::exists(path, failed) && compare(file, path)) return path;
  fs::create_directories(options_.directory, failed);
  if (failed) {
    return Error{ErrorCode::kUnavailable,
                 options_.directory.string() + " cannot be made: " + failed.message()};
  }
  auto part = path;
  part += kPart;
  fs::remove(part, failed);
  auto got = store_->get(name_in_store(file), part);
  if (got) got = compare(file, part);
  if (got) {
    fs::rename(part, path, failed);
    if (!failed) return path;
    got = Error{ErrorCode::kUnavailable, path.string() + " cannot be made: " + failed.message()};
  }
  fs::remove(part, failed);
  return got.error();
}

Status ArchiveCache::compare(const ArchivedFile& file, const fs::path& with) const {
  std::error_code failed;
  const auto bytes = fs::file_size(with, failed);
  if (failed) return Error{ErrorCode::kUnavailable, "the store returned no file"};
  if (bytes != file.bytes) {
    return Error{ErrorCode::kDamaged, "the store returned " + std::to_string(bytes) +
                                          " bytes, and not " + std::to_string(file.bytes)};
  }
  const auto hash = hash_of_file(with);
  if (!hash) return hash.error();
  if (*hash == file.hash) return kDone;
  return Error{ErrorCode::kDamaged, "the store returned another content than was put there"};
}

// With the lock held.
void ArchiveCache::keep(const Kept& added) {
  std::erase_if(kept_, [&](const auto& each) { return each.name == added.name; });
  kept_.push_front(added);
  std::uintmax_t bytes = 0;
  for (const auto& each : kept_) bytes += each.bytes;
  while (bytes > options_.limit_bytes && kept_.size() > 1) {
    std::error_code ignored;
    fs::remove(options_.directory / kept_.back().name, ignored);
    bytes -= kept_.back().bytes;
    kept_.pop_back();
  }
}

void ArchiveCache::remember(const ArchivedFile& file, const Fetched& fetched) {
  const auto name = name_in_store(file);
  {
    const std::lock_guard lock(mutex_);
    running_.erase(name);
    if (fetched) {
      keep({name, file.bytes});
      failures_.erase(name);
    } else {
      failures_[name] = fetched.error().message;
    }
  }
  if (fetched) return;
  options_.log_line("The archived file " + name + " cannot be fetched: " + fetched.error().message +
                    ".");
}

Status ArchiveCache::put(const ArchivedFile& file, const fs::path& from) {
  return store_->put(from, name_in_store(file));
}

std::string ArchiveCache::failure(const ArchivedFile& file) const {
  const std::lock_guard lock(mutex_);
  const auto found = failures_.find(name_in_store(file));
  return found == failures_.end() ? "" : found->second;
}

}  // namespace tilth
