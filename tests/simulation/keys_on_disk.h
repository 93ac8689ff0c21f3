// The keys of the owners in a sealed log on a simulated disk, and whose were destroyed.

#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "events/log/event_log.h"
#include "events/values/result.h"
#include "infra/embedded/owner_key_files.h"
#include "infra/keys/sealer.h"
#include "tests/simulation/world.h"

namespace tilth::testing {

class KeysOnDisk {
 public:
  // `place`: with the keys, and all copies of them. The world must outlive it.
  KeysOnDisk(World& world, std::filesystem::path place);

  // The process starts, and ends.
  Status open();
  void close() { files_.reset(); }

  const std::shared_ptr<OwnerKeyFiles>& files() const { return files_; }

  // An operator copies them, as for a backup.
  void copy();

  // False: perhaps it was not done.
  bool destroy(const std::string& owner);

  // What the log tells of that record now.
  Record told(const Record& record) const;

  // After a start: a key that was destroyed stays so, and is in no file.
  void check() const;

 private:
  bool is_destroyed(const std::string& owner) const;

  World& world_;
  const std::filesystem::path place_;
  std::shared_ptr<OwnerKeyFiles> files_;
  std::size_t copies_ = 0;
  std::map<std::string, OwnerKey> to_go_;  // by owner; their destruction was begun
  std::set<std::string> destroyed_;
};

}  // namespace tilth::testing
