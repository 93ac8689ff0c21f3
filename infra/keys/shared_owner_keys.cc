#include "infra/keys/shared_owner_keys.h"

#include <algorithm>
#include <array>
#include <future>
#include <utility>

#include <sodium.h>

#include "api/platform/thread_name.h"
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
  bool sealed = false, restored = false;
  int format = 0;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("owner", owner), member("node", node), member("key", key), member("sealed", sealed),
       member("format", format), member("restored", restored));
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

template <std::size_t kSize>
std::array<std::uint8_t, kSize> random_bytes() {
  std::array<std::uint8_t, kSize> bytes{};
  randombytes_buf(bytes.data(), bytes.size());
  return bytes;
}

std::string new_mark() { return to_hex(random_bytes<16>().data(), 16); }

template <class Mark>
std::string stream_of(const std::string& owner, const Mark& mark) {
  return "key/" + to_hex(mark.data(), mark.size()) + "/" + owner;
}

// Another one than the zeros of one that cannot be read.
template <class Mark>
std::optional<Mark> mark_in(std::string_view stream) {
  constexpr std::string_view kBegins = "key/";
  Mark mark{};
  if (!stream.starts_with(kBegins)) return std::nullopt;
  const auto hex = stream.substr(kBegins.size(), 2 * mark.size());
  std::size_t length = 0;
  const int failed =
      sodium_hex2bin(mark.data(), mark.size(), hex.data(), hex.size(), nullptr, &length, nullptr);
  return failed == 0 && length == mark.size() ? std::optional(mark) : std::nullopt;
}

Error lost() {
  return {ErrorCode::kLost,
          "The history is sealed, and the topic of the owners' keys, which name its persons, was "
          "lost: put owner-keys/ of the newest copy that `tilth backup` has made into the data "
          "directory of the first node that starts, then start the others."};
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
  for (auto& [name, others] : others_) {
    for (auto& other : others) wipe(other.key);
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
  if (const auto given = give_back(); !given) return given;
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

Status SharedOwnerKeys::give_back() {
  // Those first whose erasure a log that was lost since then does not tell.
  const auto noted = files_->destroyed();
  if (!noted) return noted.error();
  for (const auto& each : *noted) {
    if (is_destroyed(each.owner)) continue;
    if (const auto destroyed = destroy(each.owner); !destroyed) return destroyed;
  }
  auto kept = files_->keys();
  if (!kept) return kept.error();
  std::vector<Record> records;
  {
    const std::lock_guard lock(mutex_);
    for (auto& [name, key] : *kept) {
      const auto owner = owners_.find(name);
      const auto others = others_.find(name);
      const bool is_there =
          (owner != owners_.end() && (owner->second.destroyed || owner->second.key == key)) ||
          (others != others_.end() &&
           std::ranges::find(others->second, key, &Other::key) != others->second.end());
      if (!is_there) records.push_back(key_record(name, key));
      wipe(key);
    }
  }
  return records.empty() ? Status(kDone) : put(std::move(records));
}

std::optional<SharedOwnerKeys::Sealing> SharedOwnerKeys::decided() const {
  const std::lock_guard lock(mutex_);
  return sealing_;
}

std::string SharedOwnerKeys::sealing() const { return sealed_ ? decided()->id : std::string(); }

bool SharedOwnerKeys::is_restored() const {
  const auto sealing = decided();
  return sealing && sealing->restored;
}

Status SharedOwnerKeys::publish_sealing(bool restored) {
  const Note note{.node = options_.node,
                  .sealed = restored || options_.seal_new,
                  .restored = restored,
                  .format = kFormat};
  return put(
      {record("sealing/" + options_.node + "/" + new_mark(), kSealing, JsonWriter::text(note))});
}

Status SharedOwnerKeys::agree_on_sealing() {
  // A history without records may begin again.
  const auto known = options_.history_is_empty ? std::string() : options_.known_sealing;
  if (!decided()) {
    bool is_lost = !known.empty();
    if (!is_lost && !options_.history_is_empty) {
      const auto sealed = options_.history_is_sealed();
      if (!sealed) return sealed.error();
      is_lost = *sealed;
    }
    if (is_lost && !files_->holds_keys()) return lost();
    if (is_lost) {
      // Before another node may make keys.
      if (const auto given = give_back(); !given) return given;
    }
    if (is_lost || options_.history_is_empty) {
      if (const auto outcomes = publish_sealing(is_lost); !outcomes) return outcomes;
    }
  }
  const auto sealing = decided();
  sealed_ = sealing && sealing->sealed;
  if (sealing && sealing->by_newer_release) {
    return Error{ErrorCode::kConflict,
                 "The history is sealed by a newer release of Tilth: update this node."};
  }
  const bool is_same = known.empty() || (sealed_ && (sealing->id == known || sealing->restored));
  return is_same ? Status(kDone) : Status(lost());
}

// Buries keys that arrive after their owner was erased, as from a node that was away. destroy() and
// the next start do that with those that were there before, and with what fails here.
void SharedOwnerKeys::follow(const std::stop_token& stop) {
  name_thread("owner keys");
  auto next_hour = std::chrono::steady_clock::now() + kHour;
  while (!stop.stop_requested()) {
    const auto read = read_some(kTurn);
    note_reading(read);
    std::function<void()> notify;
    std::vector<Record> late;
    {
      std::unique_lock lock(mutex_);
      if (!read && read.error().code != ErrorCode::kUnavailable) {
        lost_ = read.error();
        changed_.notify_all();
        options_.log_line(lost_->message);
        return;
      }
      if (!read) changed_.wait_for(lock, stop, kBetweenTries, [] { return false; });
      if (!std::exchange(is_notified_, true)) notify = on_destroyed_;
      // While begin() reads, the record that buries it may still come.
      if (sealed_) {
        for (const auto& stream : late_) late.push_back(record(stream, kKey, {}));
        late_.clear();
      }
    }
    for (auto& each : late) log_->append(std::move(each), [](const auto&) {});
    if (notify) notify();
    if (!sealed_ || std::chrono::steady_clock::now() < next_hour) continue;
    next_hour += kHour;
    log_->append(record("hour/" + options_.node, kTime, JsonWriter::text(Note{})),
                 [](const auto&) {});
  }
}

// A topic that was deleted is told of once, and then there is just nothing to read.
void SharedOwnerKeys::note_reading(const Status& read) {
  std::optional<Error> former;
  {
    const std::lock_guard lock(mutex_);
    former = unreadable_;
    if (!read) unreadable_ = read.error();
  }
  if (!read && !former) {
    options_.log_line("The log of the owners' keys cannot be read: " + read.error().message);
  }
  if (!read || !former || !read_on(kTurn)) return;
  const std::lock_guard lock(mutex_);
  unreadable_.reset();
}

Status SharedOwnerKeys::read_some(std::chrono::milliseconds timeout) {
  const auto page = reader_->next(kPage, timeout);
  if (!page) return page.error();
  if (page->empty()) return kDone;
  const std::lock_guard lock(mutex_);
  for (const auto& [position, record] : *page) {
    apply(*record);
    read_to_ = position.offset + 1;
  }
  changed_.notify_all();
  return kDone;
}

// With the lock held.
void SharedOwnerKeys::apply(const Record& record) {
  if (record.json.empty()) {
    unburied_.erase(record.stream);
    late_.erase(record.stream);
    return;
  }
  Note note;
  Issues issues;
  const auto json = parse_json(record.json);
  if (json) JsonReader::read(*json, Reading::kStored, note, issues);
  const auto& type = record.envelope.type;
  if (type == kSealing && !sealing_) {
    sealing_ = Sealing{.id = record.envelope.id,
                       .sealed = note.sealed,
                       .restored = note.restored,
                       .by_newer_release = note.sealed && note.format > kFormat};
  } else if (type == kKey) {
    const auto key = key_in(note.key);
    if (!key) return;
    auto& owner = owners_[note.owner];
    const auto mark = mark_in<Mark>(record.stream);
    if (owner.destroyed) {
      unburied_.insert(record.stream);
      late_.insert(record.stream);
    } else if (owner.key || !mark) {
      others_[note.owner].push_back({record.stream, *key});
    } else {
      owner.key = key;
      owner.mark = *mark;
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
    unburied_.insert(stream_of(name, owner.mark));
    wipe(*owner.key);
    owner.key.reset();
  }
  if (auto others = others_.extract(name)) {
    for (auto& other : others.mapped()) {
      unburied_.insert(std::move(other.stream));
      wipe(other.key);
    }
  }
  if (!std::exchange(owner.destroyed, true)) is_notified_ = false;
}

Record SharedOwnerKeys::record(std::string stream, std::string_view type, std::string json) const {
  return {.stream = std::move(stream),
          .envelope = {.id = new_mark(),
                       .type = std::string(type),
                       .source = "tilth://" + options_.node},
          .json = std::move(json)};
}

Record SharedOwnerKeys::key_record(const std::string& owner, const OwnerKey& key) const {
  return record(stream_of(owner, random_bytes<sizeof(Mark)>()), kKey,
                JsonWriter::text(Note{.owner = owner, .key = to_hex(key.data(), key.size())}));
}

Status SharedOwnerKeys::put(std::vector<Record> records) {
  std::int64_t end = 0;
  for (std::size_t from = 0; from < records.size(); from += kAtOnce) {
    std::vector<std::future<Result<Position>>> outcomes;
    for (auto at = from; at < std::min(records.size(), from + kAtOnce); ++at) {
      const auto promise = std::make_shared<std::promise<Result<Position>>>();
      outcomes.push_back(promise->get_future());
      log_->append(std::move(records[at]),
                   [promise](const Result<Position>& done) { promise->set_value(done); });
    }
    std::optional<Error> failed;
    for (auto& each : outcomes) {
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

Status SharedOwnerKeys::read_on(std::chrono::milliseconds timeout) {
  const auto until = std::chrono::steady_clock::now() + timeout;
  const auto outcomes = std::make_shared<std::promise<Result<std::int64_t>>>();
  auto end = outcomes->get_future();
  log_->end(0, [outcomes](const Result<std::int64_t>& found) { outcomes->set_value(found); });
  const bool is_known = end.wait_until(until) == std::future_status::ready;
  const auto found = is_known ? end.get() : Result<std::int64_t>(0);
  if (!found) return found.error();
  std::unique_lock lock(mutex_);
  const auto is_read = [&] { return read_to_ >= *found || lost_; };
  if (!is_known || !changed_.wait_until(lock, until, is_read)) return silent();
  return lost_ ? Status(Error{ErrorCode::kUnavailable, lost_->message}) : Status(kDone);
}

Error SharedOwnerKeys::silent() const {
  const std::string what = "The log of the owners' keys does not respond";
  return {ErrorCode::kUnavailable, unreadable_ ? what + ": " + unreadable_->message : what + "."};
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

std::vector<OwnerKey> SharedOwnerKeys::keys_of(const std::string& owner) const {
  std::vector<OwnerKey> keys;
  const std::lock_guard lock(mutex_);
  if (const auto found = owners_.find(owner); found != owners_.end()) {
    if (found->second.destroyed) return keys;
    if (found->second.key) keys.push_back(*found->second.key);
  }
  if (const auto others = others_.find(owner); others != others_.end()) {
    for (const auto& other : others->second) keys.push_back(other.key);
  }
  return keys;
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
    records.push_back(key_record(owner, key));
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
  if (!found || (!found->key && !found->destroyed)) {
    return Error{ErrorCode::kUnavailable, "The key of the owner " + owner + " cannot be read."};
  }
  if (!found->key) return std::optional<std::string>();
  auto sealed = sealer_.seal(*found->key, context, plain);
  wipe(*found->key);
  return std::optional(std::move(sealed));
}

Result<std::optional<std::string>> SharedOwnerKeys::open(const std::string& owner,
                                                         std::string_view context,
                                                         std::string_view sealed) {
  for (bool has_read_on = false;; has_read_on = true) {
    if (is_destroyed(owner)) return std::optional<std::string>();
    std::optional<Result<std::string>> plain;
    const auto attempt = [&](OwnerKey& key) {
      if (!plain || !*plain) plain = Sealer::open(key, context, sealed);
      wipe(key);
    };
    for (auto& key : keys_of(owner)) attempt(key);
    if (!plain || !*plain) {  // only then: to look for a file takes longer than to open a record
      auto kept = files_->key_of(owner);
      if (!kept) return kept.error();
      if (*kept) attempt(**kept);
    }
    if (plain && *plain) return std::optional(std::move(**plain));
    if (has_read_on && plain) return plain->error();
    if (has_read_on) {
      return Error{ErrorCode::kDamaged,
                   "the key of the owner " + owner + " is missing in the log of the owners' keys"};
    }
    if (const auto read = read_on(options_.open_timeout); !read) return read.error();
  }
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
  if (lost_) return lost_->message;
  return unreadable_ ? silent().message : std::string();
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
  std::vector<std::string> gone;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [name, owner] : owners_) {
      if (owner.key) keys.emplace_back(name, *owner.key);
      if (owner.destroyed) gone.push_back(name);
    }
  }
  Status added = kDone;
  for (auto& [name, key] : keys) {
    if (added) added = OwnerKeyFiles::add_to_copy(directory, name, key);
    wipe(key);
  }
  // Also of those of whom this node has no note yet: an older copy that the keys are joined with
  // must not bring them back.
  for (const auto& name : gone) {
    if (added) added = OwnerKeyFiles::destroy_in(directory, name);
  }
  return added;
}

}  // namespace tilth
