// The keys of the owners as files next to the embedded log.

#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "events/values/result.h"
#include "infra/keys/owner_keys.h"
#include "infra/keys/sealer.h"

namespace tilth {

// Operation: a directory with a file for each owner: 32 random bytes, or, once these are destroyed,
// a note of that; and a list of the copies of it. An owner who cannot be the name of a file follows
// the bytes.
//
// Memory: the keys that were used.
//
// Threads: any.
//
// Crash: a key is durable before seal() returns, unless that was told to leave it until sync().
// destroy() makes its note durable before it removes the key; with the note the key counts as
// destroyed, and the next open() removes it.
class OwnerKeyFiles final : public OwnerKeys {
 public:
  // How the files of keys and of notes end, and the list of the copies of the directory, a line for
  // each.
  static constexpr std::string_view kKeyEnding = ".key", kNoteEnding = ".destroyed",
                                    kCopies = "copies";

  // Removes keys that were being destroyed. Makes nothing.
  //
  //   kUnavailable  the directory cannot be read or changed.
  static Result<std::unique_ptr<OwnerKeyFiles>> open(std::filesystem::path directory);
  ~OwnerKeyFiles() override;

  // Whether make_directory() was ever called. A sealed log does so before its first record, so that
  // it can tell keys that are missing from an owner who never had one.
  bool exists() const;
  Status make_directory() const;

  // With kUntilSync the result must not be stored where it counts before sync() has succeeded.
  Result<std::optional<std::string>> seal(const std::string& owner, std::string_view context,
                                          std::string_view plain,
                                          NewKeys fresh = NewKeys::kDurable) override;

  // Makes all keys durable, with one sync of their disk. kUnavailable: they are not.
  Status sync();

  Result<std::optional<std::string>> open(const std::string& owner, std::string_view context,
                                          std::string_view sealed) override;
  Status destroy(const std::string& owner) override;
  Result<std::vector<Destroyed>> destroyed() const override;
  bool is_destroyed(const std::string& owner) override;
  Status set_cleaned(const std::string& owner) override;
  Status copy_to(const std::filesystem::path& directory,
                 const std::filesystem::path& remembered) override;

  // Whether there is a key of any owner.
  bool holds_keys() const;
  // All owners that have a key here, with it. Files of older releases whose owner cannot be the
  // name of a file are left out: key_of() finds them. kUnavailable: one cannot be read.
  Result<std::vector<std::pair<std::string, OwnerKey>>> keys();
  // The owner's key. Null: there is none, or it was destroyed. kUnavailable: it cannot be read.
  Result<std::optional<OwnerKey>> key_of(const std::string& owner);
  // Adds a key to a copy that copy_to() has made. kUnavailable: it cannot be written.
  static Status add_to_copy(const std::filesystem::path& copy, const std::string& owner,
                            const OwnerKey& key);
  // Destroys the owner's key in a directory of keys, and leaves a note of that, durably; also if
  // there is no key. kUnavailable: it may still be there.
  static Status destroy_in(const std::filesystem::path& directory, const std::string& owner);
  // Overwrites and removes all keys in a directory that is to be removed, and leaves its other
  // files. It need not exist. kUnavailable: some may still be there.
  static Status wipe_all(const std::filesystem::path& directory);

 private:
  using Key = OwnerKey;

  explicit OwnerKeyFiles(std::filesystem::path directory) : directory_(std::move(directory)) {}

  Status remove_destroyed();
  // Makes the names durable that a crash, or a sync that failed, may have left. With the lock held.
  Status settle();
  std::filesystem::path key_file(const std::string& owner) const;
  std::filesystem::path note_file(const std::string& owner) const;
  // What is stored of an owner. Null: nothing. With the lock held.
  Result<std::optional<std::optional<Key>>> find(const std::string& owner);
  Result<Key> make(const std::string& owner, NewKeys fresh);
  bool is_unsynced(const std::string& owner);
  Status name_unsynced(const std::string& owner) const;
  static Status overwrite_and_unlink(const std::filesystem::path& file);
  // Durably, with one sync of the directory that all of them are in.
  static Status remove_keys(const std::vector<std::filesystem::path>& files);
  Status destroy_here(const std::string& owner);
  Status destroy_in_copies(const std::string& owner);
  Status remember_copy(const std::filesystem::path& directory);
  std::filesystem::path copies_file() const;

  const std::filesystem::path directory_;
  Sealer sealer_;
  // Held while keys are copied, and while they and their notes are changed; locked before mutex_.
  // Guards the list of copies. May be held for long, so seal() and open() do without it.
  std::mutex copying_;
  mutable std::mutex mutex_;  // guards what follows, and that no key is made where a note is
  std::unordered_map<std::string, std::optional<Key>> known_;  // null: destroyed
  std::set<std::string> unsynced_;  // whose keys have a file, but not its name
  bool settled_ = false;            // all other names are durable
};

}  // namespace tilth
