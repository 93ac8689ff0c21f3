#include "infra/embedded/owner_key_files.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include "infra/system/whole_file.h"

namespace tilth {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPartial = ".partial-";              // as infra/node/backup.cc calls them
constexpr std::string_view kUnsyncedEnding = ".unsynced";  // not a key yet
// The first line of a note; the owner follows.
constexpr std::string_view kDestroyed = "destroyed", kCleaned = "destroyed and cleaned";

const std::uint8_t* bytes_of(std::string_view text) {
  return reinterpret_cast<const std::uint8_t*>(text.data());
}

Error unavailable(const fs::path& path, const std::string& what) {
  return {ErrorCode::kUnavailable, path.string() + " " + what + "."};
}

Error damaged(std::string what) { return {ErrorCode::kDamaged, std::move(what)}; }

// The owner itself if that can be a file's name, else its hash: an imported history may have
// streams with any name.
std::string file_name(const std::string& owner) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
  constexpr std::size_t kLongest = 100;
  if (owner.size() <= kLongest && owner.find_first_not_of(kPlain) == owner.npos) return owner;
  std::array<std::uint8_t, 32> hash{};
  crypto_generichash(hash.data(), hash.size(), bytes_of(owner), owner.size(), nullptr, 0);
  std::array<char, 2 * hash.size() + 1> hex{};
  sodium_bin2hex(hex.data(), hex.size(), hash.data(), hash.size());
  return std::string("=").append(hex.data());
}

bool write_unsynced(const fs::path& path, std::string_view bytes) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const bool written =
      file >= 0 && ::write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
  return file >= 0 && ::close(file) == 0 && written;
}

// What an import that did not come to its end has left. It has sealed nothing that counts.
Status remove_unsynced(const fs::path& directory) {
  std::error_code failed;
  if (!fs::exists(directory, failed)) return kDone;
  for (fs::directory_iterator at(directory, failed), end; !failed && at != end;
       at.increment(failed)) {
    if (at->path().extension() == kUnsyncedEnding) fs::remove(at->path(), failed);
    if (failed) break;
  }
  return failed ? Status(unavailable(directory, "cannot be read: " + failed.message()))
                : Status(kDone);
}

std::string_view view_of(const OwnerKey& key) {
  return {reinterpret_cast<const char*>(key.data()), key.size()};
}

bool is_hash(std::string_view name) { return name.starts_with('='); }

// What is in the file of a key: the owner, too, where the name does not tell them.
std::string content_of(const OwnerKey& key, const std::string& owner) {
  std::string content(view_of(key));
  if (is_hash(file_name(owner))) content += owner;
  return content;
}

// Null: it is none of that owner.
std::optional<OwnerKey> key_in(std::string& content, std::string_view owner) {
  OwnerKey key{};
  const bool is_one = content.size() >= key.size();
  const auto named = is_one ? std::string_view(content).substr(key.size()) : std::string_view();
  if (is_one) std::memcpy(key.data(), content.data(), key.size());
  const bool is_theirs = named.empty() || named == owner;
  if (is_one && is_theirs) sodium_memzero(content.data(), key.size());
  return is_one && is_theirs ? std::optional(key) : std::nullopt;
}

fs::path with_ending(fs::path path, std::string_view ending) { return path += ending; }

std::string note(std::string_view kind, const std::string& owner) {
  return std::string(kind) + '\n' + owner + '\n';
}

// What is known of one copy of the keys. It is not gone if its disk may be away: nothing else is
// there then.
struct InCopy {
  bool is_gone = true;
  Status result = kDone;
};

// Destroys the owner's key in a copy, and in what a crash has left of one, which is called after
// it.
InCopy destroy_in_copy(const fs::path& copy, const std::string& owner) {
  InCopy in;
  const auto destroy_at = [&](const fs::path& keys) {
    std::error_code unreadable;
    const bool has_keys = fs::exists(keys, unreadable);
    if (has_keys || unreadable) in.is_gone = false;
    if (unreadable) in.result = unavailable(keys, "cannot be read: " + unreadable.message());
    if (!has_keys) return;
    if (const auto destroyed = OwnerKeyFiles::destroy_in(keys, owner); !destroyed)
      in.result = destroyed;
  };
  const auto backup = copy.parent_path();
  const auto partial = backup.filename().string() + kPartial;
  bool is_disk_there = false;
  std::error_code failed;
  for (fs::directory_iterator at(backup.parent_path(), failed), end; !failed && at != end;
       at.increment(failed)) {
    is_disk_there = true;
    if (!at->path().filename().string().starts_with(partial)) continue;
    in.is_gone = false;
    destroy_at(at->path() / copy.filename());
  }
  // Last, since a backup gets its name when it is whole, which may have been meanwhile.
  destroy_at(copy);
  if (failed && failed != std::errc::no_such_file_or_directory) {
    in.result = unavailable(backup.parent_path(), "cannot be read: " + failed.message());
  }
  if (!in.result || !is_disk_there) in.is_gone = false;
  return in;
}

}  // namespace

Result<std::unique_ptr<OwnerKeyFiles>> OwnerKeyFiles::open(fs::path directory) {
  std::unique_ptr<OwnerKeyFiles> keys(new OwnerKeyFiles(std::move(directory)));
  if (const auto removed = keys->remove_destroyed(); !removed) return removed.error();
  return keys;
}

OwnerKeyFiles::~OwnerKeyFiles() {
  for (auto& [owner, key] : known_) {
    if (key) wipe(*key);
  }
}

bool OwnerKeyFiles::exists() const {
  std::error_code ignored;
  return fs::exists(directory_, ignored);
}

Status OwnerKeyFiles::remove_destroyed() {
  if (const auto removed = remove_unsynced(directory_); !removed) return removed;
  const auto all = destroyed();
  if (!all) return all.error();
  std::vector<fs::path> keys;
  for (const auto& [owner, cleaned] : *all) keys.push_back(key_file(owner));
  return remove_keys(keys);
}

fs::path OwnerKeyFiles::key_file(const std::string& owner) const {
  return with_ending(directory_ / file_name(owner), kKeyEnding);
}

fs::path OwnerKeyFiles::note_file(const std::string& owner) const {
  return with_ending(directory_ / file_name(owner), kNoteEnding);
}

fs::path OwnerKeyFiles::copies_file() const { return directory_ / kCopies; }

Result<std::optional<std::optional<OwnerKeyFiles::Key>>> OwnerKeyFiles::find(
    const std::string& owner) {
  using Found = std::optional<std::optional<Key>>;
  if (const auto known = known_.find(owner); known != known_.end()) return Found(known->second);
  // The note first: with it the key counts as destroyed.
  const auto noted = read_whole_file(note_file(owner));
  if (!noted) return noted.error();
  if (*noted) return Found(known_.insert_or_assign(owner, std::nullopt).first->second);
  auto stored = read_whole_file(key_file(owner));
  if (!stored) return stored.error();
  if (!*stored) return Found();
  const auto key = key_in(**stored, owner);
  if (!key) return unavailable(key_file(owner), "does not hold 32 bytes");
  return Found(known_.insert_or_assign(owner, *key).first->second);
}

Status OwnerKeyFiles::make_directory() const {
  std::error_code failed;
  const bool made = fs::create_directory(directory_, failed);
  if (failed) return unavailable(directory_, "cannot be made: " + failed.message());
  if (!made) return kDone;
  ::chmod(directory_.c_str(), 0700);
  return sync_name_of(directory_);
}

Status OwnerKeyFiles::settle() {
  if (settled_ || !exists()) return kDone;
  if (const auto durable = sync_directory(directory_); !durable) return durable;
  if (const auto durable = sync_name_of(directory_); !durable) return durable;
  settled_ = true;
  return kDone;
}

Result<OwnerKeyFiles::Key> OwnerKeyFiles::make(const std::string& owner, NewKeys fresh) {
  if (const auto there = make_directory(); !there) return there.error();
  const Key key = make_owner_key();
  const bool was_settled = std::exchange(settled_, false);
  if (fresh == NewKeys::kDurable) {
    const auto kept = write_whole_file(key_file(owner), content_of(key, owner), 0600);
    if (!kept) return kept.error();
  } else {
    const auto file = with_ending(key_file(owner), kUnsyncedEnding);
    if (!write_unsynced(file, content_of(key, owner)))
      return unavailable(file, "cannot be written");
    unsynced_.insert(owner);
  }
  settled_ = was_settled;
  known_.insert_or_assign(owner, key);
  return key;
}

Status OwnerKeyFiles::name_unsynced(const std::string& owner) const {
  const auto file = key_file(owner);
  std::error_code failed;
  const auto unsynced = with_ending(file, kUnsyncedEnding);
  if (!fs::exists(unsynced, failed) && fs::exists(file, failed)) return kDone;  // by an earlier try
  fs::rename(unsynced, file, failed);
  return failed ? Status(unavailable(file, "cannot be written: " + failed.message()))
                : Status(kDone);
}

// The bytes before the names, so that a file with the name of a key holds one.
Status OwnerKeyFiles::sync() {
  const std::lock_guard lock(mutex_);
  if (unsynced_.empty()) return kDone;
  const int opened = ::open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool synced = opened >= 0 && ::syncfs(opened) == 0;
  const auto why = std::generic_category().message(errno);
  if (opened >= 0) ::close(opened);
  if (!synced) return unavailable(directory_, "cannot be made durable: " + why);
  for (const auto& owner : unsynced_) {
    if (const auto named = name_unsynced(owner); !named) return named;
  }
  if (const auto durable = sync_directory(directory_); !durable) return durable;
  unsynced_.clear();
  return kDone;
}

// On a disk that writes in place, the bytes are gone before the name is.
Status OwnerKeyFiles::overwrite_and_unlink(const fs::path& file) {
  const int opened = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
  if (opened < 0 && errno == ENOENT) return kDone;
  constexpr std::array<char, 32> kNothing{};
  const bool emptied = opened >= 0 &&
                       ::pwrite(opened, kNothing.data(), kNothing.size(), 0) ==
                           static_cast<ssize_t>(kNothing.size()) &&
                       ::fsync(opened) == 0;
  const auto why = std::generic_category().message(errno);
  if (opened >= 0) ::close(opened);
  if (emptied && ::unlink(file.c_str()) == 0) return kDone;
  return unavailable(file, "cannot be destroyed: " + why);
}

// The directory is synced before a key is removed, since an earlier try, or a process that died,
// may have left notes that are not durable: with a key overwritten and its note lost, the log could
// not be read. It is synced afterwards also if no key is there: a crash may have come between the
// removal and that.
Status OwnerKeyFiles::remove_keys(const std::vector<fs::path>& files) {
  if (files.empty()) return kDone;
  const auto directory = files.front().parent_path();
  std::error_code ignored;
  const auto sync_if_there = [&] {  // a copy may have got another name meanwhile
    return fs::exists(directory, ignored) ? sync_directory(directory) : Status(kDone);
  };
  if (std::ranges::any_of(files, [&](const auto& file) { return fs::exists(file, ignored); })) {
    if (const auto noted = sync_if_there(); !noted) return noted;
  }
  for (const auto& file : files) {
    if (const auto removed = overwrite_and_unlink(file); !removed) return removed;
  }
  return sync_if_there();
}

bool OwnerKeyFiles::is_unsynced(const std::string& owner) {
  const std::lock_guard lock(mutex_);
  return unsynced_.contains(owner);
}

Result<std::optional<std::string>> OwnerKeyFiles::seal(const std::string& owner,
                                                       std::string_view context,
                                                       std::string_view plain, NewKeys fresh) {
  if (fresh == NewKeys::kDurable && is_unsynced(owner)) {
    if (const auto synced = sync(); !synced) return synced.error();
  }
  Key key{};
  {
    const std::lock_guard lock(mutex_);
    if (const auto settled = settle(); !settled) return settled.error();
    const auto found = find(owner);
    if (!found) return found.error();
    if (*found && !**found) return std::optional<std::string>();
    if (*found) {
      key = ***found;
    } else {
      const auto made = make(owner, fresh);
      if (!made) return made.error();
      key = *made;
    }
  }
  auto sealed = sealer_.seal(key, context, plain);
  wipe(key);
  return std::optional(std::move(sealed));
}

Result<std::optional<std::string>> OwnerKeyFiles::open(const std::string& owner,
                                                       std::string_view context,
                                                       std::string_view sealed) {
  Key key{};
  {
    const std::lock_guard lock(mutex_);
    const auto found = find(owner);
    if (!found) return found.error();
    if (!*found) {
      return damaged("the owner's key " + key_file(owner).string() + " is missing");
    }
    if (!**found) return std::optional<std::string>();
    key = ***found;
  }
  auto plain = Sealer::open(key, context, sealed);
  wipe(key);
  if (!plain) return plain.error();
  return std::optional(std::move(*plain));
}

Status OwnerKeyFiles::destroy(const std::string& owner) {
  const std::lock_guard one_at_a_time(copying_);
  if (const auto here = destroy_here(owner); !here) return here;
  return destroy_in_copies(owner);
}

Status OwnerKeyFiles::destroy_here(const std::string& owner) {
  const std::lock_guard lock(mutex_);
  if (const auto settled = settle(); !settled) return settled;
  if (const auto there = make_directory(); !there) return there;
  const auto here = destroy_in(directory_, owner);
  auto& known = known_[owner];
  if (known) wipe(*known);
  known_.erase(owner);  // read again: without a note there still is the key
  if (!here) return here;
  if (unsynced_.contains(owner)) {  // of an import, whose sync() must not name it
    const auto removed = remove_keys({with_ending(key_file(owner), kUnsyncedEnding)});
    if (!removed) return removed;
    unsynced_.erase(owner);
  }
  return kDone;
}

Status OwnerKeyFiles::destroy_in(const fs::path& directory, const std::string& owner) {
  const auto file = directory / file_name(owner);
  const auto noted = read_whole_file(with_ending(file, kNoteEnding));
  if (!noted) return noted.error();
  if (!*noted) {
    const auto kept =
        write_whole_file(with_ending(file, kNoteEnding), note(kDestroyed, owner), 0600);
    if (!kept) return kept;
  }
  return remove_keys({with_ending(file, kKeyEnding)});
}

Status OwnerKeyFiles::wipe_all(const fs::path& directory) {
  std::vector<fs::path> keys;
  std::error_code failed;
  if (!fs::exists(directory, failed)) return kDone;
  for (fs::directory_iterator at(directory, failed), end; !failed && at != end;
       at.increment(failed)) {
    if (at->path().extension() == kKeyEnding) keys.push_back(at->path());
  }
  if (failed) return unavailable(directory, "cannot be read: " + failed.message());
  return remove_keys(keys);
}

// Copies that are gone are no longer remembered. With copying_ held.
Status OwnerKeyFiles::destroy_in_copies(const std::string& owner) {
  const auto remembered = read_whole_file(copies_file());
  if (!remembered) return remembered.error();
  Status result = kDone;
  std::string still_there;
  std::istringstream lines(remembered->value_or(""));
  for (std::string line; std::getline(lines, line);) {
    auto in = destroy_in_copy(line, owner);
    if (!in.is_gone) still_there += line + '\n';
    if (!in.result) result = std::move(in.result);
  }
  if (still_there != remembered->value_or("")) {
    const auto kept = write_whole_file(copies_file(), still_there, 0600);
    if (!kept) return kept;
  }
  return result;
}

// With copying_ held.
Status OwnerKeyFiles::remember_copy(const fs::path& directory) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto there = make_directory(); !there) return there;
  }
  auto remembered = read_whole_file(copies_file());
  if (!remembered) return remembered.error();
  auto lines = remembered->value_or("");
  lines += fs::absolute(directory).lexically_normal().string() + '\n';
  return write_whole_file(copies_file(), lines, 0600);
}

Result<std::vector<OwnerKeyFiles::Destroyed>> OwnerKeyFiles::destroyed() const {
  std::vector<Destroyed> all;
  std::error_code failed;
  if (!fs::exists(directory_, failed)) return all;
  for (fs::directory_iterator at(directory_, failed), end; !failed && at != end;
       at.increment(failed)) {
    if (at->path().extension() != kNoteEnding) continue;
    const auto content = read_whole_file(at->path());
    if (!content) return content.error();
    const std::string_view text = *content ? std::string_view(**content) : std::string_view();
    const auto line = text.find('\n');
    if (line == text.npos || !text.ends_with('\n') || line + 1 == text.size()) continue;
    all.push_back({std::string(text.substr(line + 1, text.size() - line - 2)),
                   text.substr(0, line) == kCleaned});
  }
  if (failed) return unavailable(directory_, "cannot be read: " + failed.message());
  return all;
}

bool OwnerKeyFiles::is_destroyed(const std::string& owner) {
  const std::lock_guard lock(mutex_);
  const auto found = find(owner);
  return found && *found && !**found;
}

Status OwnerKeyFiles::set_cleaned(const std::string& owner) {
  const std::lock_guard one_at_a_time(copying_);
  return write_whole_file(note_file(owner), note(kCleaned, owner), 0600);
}

bool OwnerKeyFiles::holds_keys() const {
  std::error_code failed;
  const fs::directory_iterator all(directory_, failed);
  return !failed && std::any_of(begin(all), end(all), [](const auto& entry) {
    return entry.path().extension() == kKeyEnding;
  });
}

Result<std::vector<std::pair<std::string, OwnerKey>>> OwnerKeyFiles::keys() {
  std::vector<std::pair<std::string, OwnerKey>> all;
  std::error_code failed;
  if (!fs::exists(directory_, failed)) return all;
  for (fs::directory_iterator at(directory_, failed), end; !failed && at != end;
       at.increment(failed)) {
    if (at->path().extension() != kKeyEnding) continue;
    auto owner = at->path().stem().string();
    if (is_hash(owner)) {
      const auto content = read_whole_file(at->path());
      if (!content) return content.error();
      if (!*content || (*content)->size() <= sizeof(OwnerKey)) continue;
      owner = (*content)->substr(sizeof(OwnerKey));
    }
    const auto key = key_of(owner);
    if (!key) return key.error();
    if (*key) all.emplace_back(std::move(owner), **key);
  }
  if (failed) return unavailable(directory_, "cannot be read: " + failed.message());
  return all;
}

Result<std::optional<OwnerKey>> OwnerKeyFiles::key_of(const std::string& owner) {
  const std::lock_guard lock(mutex_);
  const auto found = find(owner);
  if (!found) return found.error();
  return *found ? **found : std::optional<OwnerKey>();
}

Status OwnerKeyFiles::add_to_copy(const fs::path& copy, const std::string& owner,
                                  const OwnerKey& key) {
  const auto file = with_ending(copy / file_name(owner), kKeyEnding);
  return write_unsynced(file, content_of(key, owner))
             ? Status(kDone)
             : Status(unavailable(file, "cannot be written"));
}

// Without mutex_, or the log could write nothing until all are copied: new keys appear as whole
// files.
Status OwnerKeyFiles::copy_to(const fs::path& directory, const fs::path& remembered) {
  if (remembered.string().find('\n') != std::string::npos) {
    return Error{ErrorCode::kInvalid, "The name of a directory for keys must be one line."};
  }
  const std::lock_guard one_at_a_time(copying_);
  if (const auto known = remember_copy(remembered); !known) return known;
  std::error_code failed;
  fs::create_directory(directory, failed);
  if (!failed) fs::permissions(directory, fs::perms::owner_all, failed);
  if (!failed && exists()) {
    for (fs::directory_iterator at(directory_, failed), end; !failed && at != end;
         at.increment(failed)) {
      const auto ending = at->path().extension();
      const bool is_ours = ending == kKeyEnding || ending == kNoteEnding;
      if (!is_ours && at->path().filename() != kCopies) continue;
      fs::copy_file(at->path(), directory / at->path().filename(), failed);
      if (failed) break;
    }
  }
  if (!failed) return kDone;
  return unavailable(directory_, "cannot be copied: " + failed.message());
}

}  // namespace tilth
