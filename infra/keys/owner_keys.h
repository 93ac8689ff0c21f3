// The port of the keys that seal what names a person: one for each owner, kept apart from the log,
// so that destroying one erases an owner from the log, and from every copy of it.

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/values/result.h"

namespace tilth {

// Where keys are as files: in a data directory, or a backup.
inline constexpr std::string_view kOwnerKeys = "owner-keys";

// When the key of a new owner has to be durable: before it seals anything, or, for many at once, at
// OwnerKeyFiles::sync().
enum class NewKeys : std::uint8_t { kDurable, kUntilSync };

// Values are sealed with XChaCha20-Poly1305, each under a nonce of its own, and bound to a context:
// in another place they cannot be opened.
//
// Threads: any.
//
// Crash: a key is durable before it seals anything that counts. Once destroy() has noted that a key
// is destroyed, it counts as that, whatever is still there.
class OwnerKeys {
 public:
  OwnerKeys() = default;
  OwnerKeys(const OwnerKeys&) = delete;
  OwnerKeys& operator=(const OwnerKeys&) = delete;
  virtual ~OwnerKeys() = default;

  // `plain`, sealed. Makes the owner's key if there is none. Null: it was destroyed.
  //
  //   kUnavailable  the key cannot be read or made durable.
  virtual Result<std::optional<std::string>> seal(const std::string& owner,
                                                  std::string_view context, std::string_view plain,
                                                  NewKeys fresh) = 0;

  // What seal() was given. Null: the owner's key was destroyed.
  //
  //   kDamaged      the key is missing, or `sealed` is not what it has sealed in that context; the
  //                 message is the end of a sentence.
  //   kUnavailable  the key cannot be read.
  virtual Result<std::optional<std::string>> open(const std::string& owner,
                                                  std::string_view context,
                                                  std::string_view sealed) = 0;

  // Destroys the owner's key for good, and keeps a note of it; then does the same in each copy that
  // is remembered and still there. Durable when it returns; may be repeated.
  //
  //   kUnavailable  the key, or that of a copy, may still be there; the message says where. If
  //                 is_destroyed(), only copies are left.
  virtual Status destroy(const std::string& owner) = 0;

  // An owner whose key was destroyed, and whether set_cleaned() was called for them since then.
  struct Destroyed {
    std::string owner;
    bool cleaned = false;
  };
  virtual Result<std::vector<Destroyed>> destroyed() const = 0;
  virtual bool is_destroyed(const std::string& owner) = 0;
  // Notes that nothing of the owner is left elsewhere on this node either.
  virtual Status set_cleaned(const std::string& owner) = 0;

  // Copies all keys and notes, and where there are copies, to `directory`, which must not exist,
  // and remembers, durably, that the copy will be at `remembered`. No key is destroyed meanwhile.
  // kInvalid: the path `remembered` has a line break, and nothing was copied.
  virtual Status copy_to(const std::filesystem::path& directory,
                         const std::filesystem::path& remembered) = 0;
};

}  // namespace tilth
