// The keys that seal what names a person in the embedded log. They lie apart from the log, so that
// destroying one erases an owner from it, and from every backup of it.

#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "events/values/result.h"

namespace tilth {

// Their directory, in a data directory or a backup.
inline constexpr std::string_view kOwnerKeys = "owner-keys";

// When the key of a new owner has to be durable: before it seals anything, or, for many at once, at
// sync().
enum class NewKeys : std::uint8_t { kDurable, kUntilSync };

// Operation: a directory with a file for each owner: 32 random bytes, or, once these are destroyed,
// a note of that; and a list of the copies of it. Values are sealed with XChaCha20-Poly1305, each
// under a nonce of its own, and bound to a context: in another place they cannot be opened.
//
// Memory: the keys that were used.
//
// Threads: any.
//
// Crash: a key is durable before seal() returns, unless that was told to leave it until sync().
// destroy() makes its note durable before it removes the key; with the note the key counts as
// destroyed, and the next open() removes it.
class OwnerKeys {
 public:
  // Removes keys that were being destroyed. Makes nothing.
  //
  //   kUnavailable  the directory cannot be read or changed.
  static Result<std::unique_ptr<OwnerKeys>> open(std::filesystem::path directory);
  ~OwnerKeys();
  OwnerKeys(const OwnerKeys&) = delete;
  OwnerKeys& operator=(const OwnerKeys&) = delete;

  // Whether make_directory() was ever called. A sealed log does so before its first record, so that
  // it can tell keys that are missing from an owner who never had one.
  bool exists() const;
  Status make_directory() const;

  // `plain`, sealed. Makes the owner's key if there is none. Null: it was destroyed. With
  // kUntilSync the result must not be stored where it counts before sync() has succeeded.
  //
  //   kUnavailable  the key cannot be read or made durable.
  Result<std::optional<std::string>> seal(const std::string& owner, std::string_view context,
                                          std::string_view plain,
                                          NewKeys fresh = NewKeys::kDurable);

  // Makes all keys durable, with one sync of their disk. kUnavailable: they are not.
  Status sync();

  // What seal() was given. Null: the owner's key was destroyed.
  //
  //   kDamaged      the key is missing, or `sealed` is not what it has sealed in that context; the
  //                 message is the end of a sentence.
  //   kUnavailable  the key cannot be read.
  Result<std::optional<std::string>> open(const std::string& owner, std::string_view context,
                                          std::string_view sealed);

  // Destroys the owner's key for good, and keeps a note of it; then does the same in each copy that
  // is remembered and still there. Durable when it returns; may be repeated.
  //
  //   kUnavailable  the key, or that of a copy, may still be there; the message names the file. If
  //                 is_destroyed(), only copies are left.
  Status destroy(const std::string& owner);

  // An owner whose key was destroyed, and whether set_cleaned() was called for them since then.
  struct Destroyed {
    std::string owner;
    bool cleaned = false;
  };
  Result<std::vector<Destroyed>> destroyed() const;
  bool is_destroyed(const std::string& owner);
  // Notes that nothing of the owner is left elsewhere either.
  Status set_cleaned(const std::string& owner);

  // Copies all keys and notes, and where there are copies, to `directory`, which must not exist,
  // and remembers, durably, that the copy will be at `remembered`. No key is destroyed meanwhile.
  Status copy_to(const std::filesystem::path& directory, const std::filesystem::path& remembered);

 private:
  using Key = std::array<std::uint8_t, 32>;

  explicit OwnerKeys(std::filesystem::path directory) : directory_(std::move(directory)) {}

  Status remove_destroyed();
  std::filesystem::path key_file(const std::string& owner) const;
  std::filesystem::path note_file(const std::string& owner) const;
  // What is stored of an owner. Null: nothing. With the lock held.
  Result<std::optional<std::optional<Key>>> find(const std::string& owner);
  Result<Key> make(const std::string& owner, NewKeys fresh);
  bool is_unsynced(const std::string& owner);
  Status name_unsynced(const std::string& owner) const;
  static Status destroy_in(const std::filesystem::path& directory, const std::string& owner);
  static Status remove_key(const std::filesystem::path& file);
  Status destroy_in_copies(const std::string& owner);
  Status remember_copy(const std::filesystem::path& directory);
  std::filesystem::path copies_file() const;

  void fill_nonce(std::uint8_t* nonce);

  const std::filesystem::path directory_;
  std::array<std::uint8_t, 16> nonces_begin_ = {};  // random, so that no other process has them
  std::atomic<std::uint64_t> sealed_ = 0;
  mutable std::mutex mutex_;                                   // guards what follows, and the files
  std::unordered_map<std::string, std::optional<Key>> known_;  // null: destroyed
  std::set<std::string> unsynced_;  // whose keys have a file, but not its name
};

}  // namespace tilth
