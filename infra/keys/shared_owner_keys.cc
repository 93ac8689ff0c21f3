#include "infra/keys/shared_owner_keys.h"

#include <algorithm>
#include <array>
#include <future>
#include <utility>

#include <sodium.h>

#include "events/json/json_reader.h"
#include "events/json/json_writer.h"
#include "events/log/log_end.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kPage = 1'024, kAtOnce = 2'048;
constexpr auto kTurn = 500ms;
constexpr auto kBetweenTries = 200ms;
// Often enough that a segment of an hour is closed soon after it.
constexpr std::chrono::minutes kHour{30};
constexpr int kFormat = 1;

constexpr std::string_view kSealing = "tilth.history.sealed", kKey = "tilth.owner-key.made",
                           kGone = "tilth.owner-key.destroyed",
                           kClean = "tilth.owner-key.owner-cleaned", kTime = "tilth.time.passed";

// What a record of any of these types says.
struct Note {
  std::string owner = {}, node = {}, key = {};
  bool sealed = false;
  int format = 0;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("owner", owner), member("node", node), member("key", key), member("sealed", sealed),
       member("format", format));
  }
};

std::string to_hex(const std::uint8_t* bytes, std::size_t count) {
  std::string hex(count * 2 + 1, '\0');
  sodium_bin2hex(hex.data(), hex.size(), bytes, count);
  hex.pop_back();
  return hex;
}

std::optional<OwnerKey> key_in(const std::string& hex) {
  OwnerKey key{};
  std::size_t length = 0;
  const int failed =
      sodium_hex2bin(key.data(), key.size(), hex.data(), hex.size(), nullptr, &length, nullptr);
  return failed == 0 && length == key.size() ? std::optional(key) : std::nullopt;
}

std::string stream_of(const std::string& owner, const OwnerKey& key) {
  std::array<std::uint8_t, crypto_generichash_BYTES_MIN> print{};
  crypto_generichash(print.data(), print.size(), key.data(), key.size(), nullptr, 0);
  return "key/" + to_hex(print.data(), print.size()) + "/" + owner;
}

Error silent() {
  return {ErrorCode::kUnavailable, "The log of the owners' keys does not respond."};
}

}  // namespace

Result<std::shared_ptr<SharedOwnerKeys>> SharedOwnerKeys::open(std::shared_ptr<EventLog> log,
                                                               Options options) {
  std::shared_ptr<SharedOwnerKeys> keys(new SharedOwnerKeys(std::move(log), std::move(options)));
  if (const auto begun = keys->begin(); !begun) return begun.error();
  return keys;
}

SharedOwnerKeys::SharedOwnerKeys(std::shared_ptr<EventLog> log, Options options)
    : log_(std::move(log)), options_(std::move(options)) {}

SharedOwnerKeys::~SharedOwnerKeys() {
  if (thread_.joinable()) {
    thread_.request_stop();
    reader_->wake();
    thread_.join();
  }
  for (auto& [name, owner] : owners_) {
    if (owner.key) wipe(*owner.key);
  }
}

Status SharedOwnerKeys::begin() {
  auto files = OwnerKeyFiles::open(options_.directory);
  if (!files) return files.error();
  files_ = std::move(*files);
  auto reader = log_->read({{0, 0}});
  if (!reader) return reader.error();
  reader_ = std::move(*reader);
  thread_ = std::jthread([this](const std::stop_token& stop) { follow(stop); });
  if (const auto read = read_to_end(); !read) return read;
  if (const auto agreed = agree_on_sealing(); !agreed) return agreed;
  if (!sealed_) return kDone;
  // Those whose erasure a log that was lost since then does not tell.
  const auto noted = files_->destroyed();
  if (!noted) return noted.error();
  for (const auto& each : *noted) {
    if (is_destroyed(each.owner)) continue;
    if (const auto destroyed = destroy(each.owner); !destroyed) return destroyed;
  }
  // Those who were erased after the files of this node were made, as by a backup.
  const auto all = destroyed();
  for (const auto& each : *all) {
    const auto kept = files_->key_of(each.owner);
    if (!kept) return kept.error();
    if (!*kept) continue;
    if (const auto destroyed = destroy(each.owner); !destroyed) return destroyed;
  }
  return bury();
}

Status SharedOwnerKeys::agree_on_sealing() {
  const auto decided = [this] {
    const std::lock_guard lock(mutex_);
    return first_sealing_;
  };
  // Keys from a backup show that a history whose log of keys was lost is sealed.
  const bool were_lost = !options_.history_is_empty && files_->holds_keys();
  if (!decided() && (options_.history_is_empty || were_lost)) {
    const Note note{
        .node = options_.node, .sealed = were_lost || options_.seal_new, .format = kFormat};
    const auto told = put({record("sealing/" + options_.node, kSealing, JsonWriter::text(note))});
    if (!told) return told;
  }
  sealed_ = decided().value_or(false);
  const std::lock_guard lock(mutex_);
  if (!newer_release_) return kDone;
  return Error{ErrorCode::kConflict,
               "The history is sealed by a newer release of Tilth: update this node."};
}

void SharedOwnerKeys::follow(const std::stop_token& stop) {
  auto next_hour = std::chrono::steady_clock::now() + kHour;
  while (!stop.stop_requested()) {
    const auto read = read_some(kTurn);
    std::function<void()> tell;
    {
      std::unique_lock lock(mutex_);
      if (!read && read.error().code != ErrorCode::kUnavailable) {
        lost_ = read.error();
        changed_.notify_all();
        options_.say(lost_->message);
        return;
      }
      if (!read) changed_.wait_for(lock, stop, kBetweenTries, [] { return false; });
      if (!std::exchange(is_told_, true)) tell = on_destroyed_;
    }
    if (tell) tell();
    if (!sealed_ || std::chrono::steady_clock::now() < next_hour) continue;
    next_hour += kHour;
    log_->append(record("hour/" + options_.node, kTime, JsonWriter::text(Note{})),
                 [](const auto&) {});
  }
}

Status SharedOwnerKeys::read_some(std::chrono::milliseconds timeout) {
  const auto page = reader_->next(kPage, timeout);
  if (!page) return page.error();
  if (page->empty()) return kDone;
  const std::lock_guard lock(mutex_);
  for (const auto& [position, record] : *page) {
    apply(record);
    read_to_ = position.offset + 1;
  }
  changed_.notify_all();
  return kDone;
}

// With the lock held.
void SharedOwnerKeys::apply(const Record& record) {
  if (record.json.empty()) {
    unburied_.erase(record.stream);
    return;
  }
  Note note;
  Issues issues;
  const auto json = parse_json(record.json);
  if (json) JsonReader::read(*json, Reading::kStored, note, issues);
  const auto& type = record.envelope.type;
  if (type == kSealing && !first_sealing_) {
    first_sealing_ = note.sealed;
    newer_release_ = note.sealed && note.format > kFormat;
  } else if (type == kKey) {
    const auto key = key_in(note.key);
    if (!key) return;
    auto& owner = owners_[note.owner];
    if (owner.key == key) return;
    if (owner.destroyed) {
      unburied_.insert(record.stream);
    } else if (owner.key) {
      losers_[note.owner].push_back(record.stream);
    } else {
      owner.key = key;
    }
  } else if (type == kGone) {
    drop(note.owner);
  } else if (type == kClean) {
    cleaned_[note.owner].insert(note.node);
  }
}

// With the lock held.
void SharedOwnerKeys::drop(const std::string& name) {
  auto& owner = owners_[name];
  if (owner.key) {
    unburied_.insert(stream_of(name, *owner.key));
    wipe(*owner.key);
    owner.key.reset();
  }
  if (const auto losers = losers_.extract(name)) {
    unburied_.insert(losers.mapped().begin(), losers.mapped().end());
  }
  if (!std::exchange(owner.destroyed, true)) is_told_ = false;
}

Record SharedOwnerKeys::record(std::string stream, std::string_view type, std::string json) const {
  std::array<std::uint8_t, 16> id{};
  randombytes_buf(id.data(), id.size());
  return {.stream = std::move(stream),
          .envelope = {.id = to_hex(id.data(), id.size()),
                       .type = std::string(type),
                       .source = "tilth://" + options_.node},
          .json = std::move(json)};
}

Status SharedOwnerKeys::put(std::vector<Record> records) {
  std::int64_t end = 0;
  for (std::size_t from = 0; from < records.size(); from += kAtOnce) {
    std::vector<std::future<Result<Position>>> told;
    for (auto at = from; at < std::min(records.size(), from + kAtOnce); ++at) {
      const auto promise = std::make_shared<std::promise<Result<Position>>>();
      told.push_back(promise->get_future());
      log_->append(std::move(records[at]),
                   [promise](const Result<Position>& done) { promise->set_value(done); });
    }
    std::optional<Error> failed;
    for (auto& each : told) {
      const auto done = each.get();
      if (done) end = std::max(end, done->offset + 1);
      if (!done) failed = done.error();
    }
    if (failed) return *failed;
  }
  return wait_for(end);
}

Status SharedOwnerKeys::wait_for(std::int64_t end) {
  std::unique_lock lock(mutex_);
  while (read_to_ < end) {
    const auto goes_on = [this, before = read_to_] { return read_to_ != before || lost_; };
    if (!changed_.wait_for(lock, options_.timeout, goes_on)) return silent();
    if (lost_) return Error{ErrorCode::kUnavailable, lost_->message};
  }
  return kDone;
}

Status SharedOwnerKeys::read_to_end() {
  const auto end = end_of(*log_, 0);
  return end ? wait_for(*end) : Status(end.error());
}

std::optional<SharedOwnerKeys::Owner> SharedOwnerKeys::find(const std::string& owner) const {
  const std::lock_guard lock(mutex_);
  const auto found = owners_.find(owner);
  return found == owners_.end() ? std::nullopt : std::optional(found->second);
}

Result<std::optional<SharedOwnerKeys::Owner>> SharedOwnerKeys::look_for(const std::string& owner) {
  if (auto found = find(owner)) return found;
  if (const auto read = read_to_end(); !read) return read.error();
  if (auto found = find(owner)) return found;
  const auto kept = files_->key_of(owner);
  if (!kept) return kept.error();
  if (!*kept) return std::optional<Owner>();
  if (const auto made = make({owner}); !made) return made.error();
  return find(owner);
}

bool SharedOwnerKeys::knows(const std::string& owner) const {
  const std::lock_guard lock(mutex_);
  return owners_.contains(owner);
}

Status SharedOwnerKeys::make(const std::vector<std::string>& owners) {
  std::vector<Record> records;
  for (const auto& owner : std::set(owners.begin(), owners.end())) {
    if (knows(owner)) continue;
    const auto kept = files_->key_of(owner);
    if (!kept) return kept.error();
    auto key = *kept ? **kept : make_owner_key();
    records.push_back(
        record(stream_of(owner, key), kKey,
               JsonWriter::text(Note{.owner = owner, .key = to_hex(key.data(), key.size())})));
    wipe(key);
  }
  return records.empty() ? Status(kDone) : put(std::move(records));
}

Result<std::optional<std::string>> SharedOwnerKeys::seal(const std::string& owner,
                                                         std::string_view context,
                                                         std::string_view plain, NewKeys) {
  auto found = find(owner);
  if (!found) {
    if (const auto made = make({owner}); !made) return made.error();
    found = find(owner);
  }
  if (!found) return silent();
  if (!found->key) return std::optional<std::string>();
  auto sealed = sealer_.seal(*found->key, context, plain);
  wipe(*found->key);
  return std::optional(std::move(sealed));
}

Result<std::optional<std::string>> SharedOwnerKeys::open(const std::string& owner,
                                                         std::string_view context,
                                                         std::string_view sealed) {
  auto found = look_for(owner);
  if (!found) return found.error();
  if (!*found) {
    return Error{ErrorCode::kDamaged,
                 "the key of the owner " + owner + " is missing in the log of the owners' keys"};
  }
  auto& key = (*found)->key;
  if (!key) return std::optional<std::string>();
  auto plain = Sealer::open(*key, context, sealed);
  wipe(*key);
  if (!plain) return plain.error();
  return std::optional(std::move(*plain));
}

Status SharedOwnerKeys::destroy(const std::string& owner) {
  if (!is_destroyed(owner)) {
    const Note note{.owner = owner, .node = options_.node};
    const auto noted = put({record("destroyed/" + owner, kGone, JsonWriter::text(note))});
    if (!noted) return noted;
  }
  if (const auto buried = bury(); !buried) return buried;
  const std::lock_guard one_at_a_time(copying_);
  return files_->destroy(owner);
}

// Puts records without JSON in the places of keys that are destroyed.
Status SharedOwnerKeys::bury() {
  std::vector<Record> records;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& stream : unburied_) records.push_back(record(stream, kKey, {}));
  }
  return records.empty() ? Status(kDone) : put(std::move(records));
}

Result<std::vector<OwnerKeys::Destroyed>> SharedOwnerKeys::destroyed() const {
  std::vector<Destroyed> all;
  const std::lock_guard lock(mutex_);
  for (const auto& [name, owner] : owners_) {
    if (!owner.destroyed) continue;
    const auto cleaned = cleaned_.find(name);
    all.push_back({name, cleaned != cleaned_.end() && cleaned->second.contains(options_.node)});
  }
  return all;
}

bool SharedOwnerKeys::is_destroyed(const std::string& owner) {
  const auto found = find(owner);
  return found && found->destroyed;
}

Status SharedOwnerKeys::set_cleaned(const std::string& owner) {
  if (cleaned_by(owner).contains(options_.node)) return kDone;
  const Note note{.owner = owner, .node = options_.node};
  return put({record("cleaned/" + options_.node + "/" + owner, kClean, JsonWriter::text(note))});
}

std::set<std::string> SharedOwnerKeys::cleaned_by(const std::string& owner) const {
  const std::lock_guard lock(mutex_);
  const auto found = cleaned_.find(owner);
  return found == cleaned_.end() ? std::set<std::string>() : found->second;
}

std::string SharedOwnerKeys::trouble() const {
  const std::lock_guard lock(mutex_);
  return lost_ ? lost_->message : std::string();
}

void SharedOwnerKeys::on_destroyed(std::function<void()> called) {
  const std::lock_guard lock(mutex_);
  on_destroyed_ = std::move(called);
}

Status SharedOwnerKeys::copy_to(const std::filesystem::path& directory,
                                const std::filesystem::path& remembered) {
  const std::lock_guard one_at_a_time(copying_);
  if (const auto copied = files_->copy_to(directory, remembered); !copied) return copied;
  // After the copy is remembered, so that who is erased from now on is erased from it, too.
  std::vector<std::pair<std::string, OwnerKey>> keys;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [name, owner] : owners_) {
      if (owner.key) keys.emplace_back(name, *owner.key);
    }
  }
  Status added = kDone;
  for (auto& [name, key] : keys) {
    if (added) added = OwnerKeyFiles::add_to_copy(directory, name, key);
    wipe(key);
  }
  return added;
}

}  // namespace tilth
