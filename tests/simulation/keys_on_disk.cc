#include "tests/simulation/keys_on_disk.h"

#include <string_view>
#include <utility>

#include "events/log/personal_members.h"
#include "events/log/streams.h"
#include "tests/fixtures/bytes_in_files.h"

namespace tilth::testing {
namespace {

std::string_view view_of(const OwnerKey& key) {
  return {reinterpret_cast<const char*>(key.data()), key.size()};
}

}  // namespace

KeysOnDisk::KeysOnDisk(World& world, std::filesystem::path place)
    : world_(world), place_(std::move(place)) {}

Status KeysOnDisk::open() {
  auto opened = OwnerKeyFiles::open(place_ / kOwnerKeys);
  if (!opened) return opened.error();
  files_ = std::move(*opened);
  return kDone;
}

void KeysOnDisk::copy() {
  const auto copy = place_ / ("copy-" + std::to_string(copies_++)) / kOwnerKeys;
  std::filesystem::create_directory(copy.parent_path());
  if (const auto copied = files_->copy_to(copy, copy); !copied) world_.note(copied.error().message);
}

bool KeysOnDisk::destroy(const std::string& owner) {
  if (const auto key = files_->key_of(owner); key && *key) to_go_[owner] = **key;
  const auto done = files_->destroy(owner);
  world_.note("the key of " + owner + (done ? " is destroyed" : ": " + done.error().message));
  if (done) destroyed_.insert(owner);
  return bool(done);
}

bool KeysOnDisk::is_destroyed(const std::string& owner) const {
  return destroyed_.contains(owner) || files_->is_destroyed(owner);
}

Record KeysOnDisk::told(const Record& record) const {
  auto told = record;
  const auto& type = record.envelope.type;
  const auto parted = take_personal(type, record.json);
  if (parted && is_destroyed(record.stream)) told.json = put_erased(type, parted->open);
  return told;
}

void KeysOnDisk::check() const {
  for (const auto& owner : destroyed_) {
    if (!files_->is_destroyed(owner)) world_.violated("The key of " + owner + " is back.");
  }
  for (const auto& [owner, key] : to_go_) {
    if (!files_->is_destroyed(owner)) continue;
    // Copies follow once the owner's destruction is repeated.
    const auto where = destroyed_.contains(owner) ? place_ : place_ / kOwnerKeys;
    if (count_in_files(where, view_of(key)) > 0) {
      world_.violated("The destroyed key of " + owner + " is still in a file.");
    }
  }
}

}  // namespace tilth::testing
