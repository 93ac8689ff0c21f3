#include "infra/webhooks/delivery_store.h"

#include <charconv>
#include <mutex>
#include <system_error>
#include <utility>

#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>

#include "events/json/json_reader.h"
#include "events/json/json_writer.h"
#include "infra/rocksdb/rocks_options.h"

namespace tilth {
namespace {

namespace fs = std::filesystem;

// Keys: a letter, the webhook's id, and the id of a delivery or a replay. Ids of deliveries sort by
// the time at which they were made. A delivery's value begins with its status, so that a filter
// need not parse it. A pending one has a second key.
constexpr char kProgress = 'c', kDelivery = 'd', kPending = 'p', kReplay = 'r', kOffset = 'o';

std::string key_of(char letter, const WebhookId& webhook, std::string_view rest = {}) {
  return std::string(1, letter).append(webhook.uuid.key()).append(rest);
}

// The first key behind all that begin with `prefix`.
std::string after_all(std::string prefix) {
  while (!prefix.empty() && prefix.back() == '\xFF') prefix.pop_back();
  if (!prefix.empty()) ++prefix.back();
  return prefix;
}

char letter_of(DeliveryStatus status) { return static_cast<char>('0' + static_cast<int>(status)); }

// A delivery with what responses do not show.
struct StoredDelivery {
  Delivery its;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("id", its.id), member("eventId", its.event_id), member("type", its.type),
       member("attempt", its.attempt), member("status", its.status),
       member("httpStatus", its.http_status), member("error", its.error),
       member("durationMs", its.duration_ms), member("at", its.at),
       member("nextAttemptAt", its.next_attempt_at), member("eventVersion", its.event_version));
  }
};

// Null for bytes that another version has written.
template <class T>
std::optional<T> decoded(std::string_view bytes) {
  const auto json = parse_json(bytes);
  if (!json) return std::nullopt;
  T value{};
  Issues issues;
  JsonReader::read(*json, Reading::kStored, value, issues);
  return issues.empty() ? std::optional(std::move(value)) : std::nullopt;
}

std::optional<Delivery> decoded_delivery(std::string_view bytes) {
  if (bytes.empty()) return std::nullopt;
  auto stored = decoded<StoredDelivery>(bytes.substr(1));
  return stored ? std::optional(std::move(stored->its)) : std::nullopt;
}

std::string_view view(const rocksdb::Slice& bytes) { return {bytes.data(), bytes.size()}; }

Error unreadable(const rocksdb::Status& status) {
  const bool damaged = status.IsCorruption() || status.IsPathNotFound();
  return {damaged ? ErrorCode::kDamaged : ErrorCode::kUnavailable,
          "The deliveries of webhooks cannot be read: " + status.ToString() + "."};
}

}  // namespace

struct DeliveryStore::Batch::Writes {
  rocksdb::WriteBatch batch;
};

struct DeliveryStore::Database {
  std::unique_ptr<rocksdb::DB> db;
  std::mutex writing;
  bool failed = false;  // the last write

  // After a failed write RocksDB must have resumed before the next one.
  rocksdb::Status write(rocksdb::WriteBatch& batch) {
    const std::lock_guard lock(writing);
    if (failed) {
      if (auto resumed = db->Resume(); !resumed.ok()) return resumed;
    }
    auto written = db->Write({}, &batch);
    failed = !written.ok();
    return written;
  }

  std::unique_ptr<rocksdb::Iterator> iterator(const rocksdb::Slice* end) const {
    rocksdb::ReadOptions options;
    options.fill_cache = false;
    options.iterate_upper_bound = end;
    return std::unique_ptr<rocksdb::Iterator>(db->NewIterator(options));
  }

  // Visits the entries with that prefix until `each` returns false.
  template <class Each>
  Status visit(const std::string& prefix, bool backwards, const Each& each) const {
    const auto end = after_all(prefix);
    const rocksdb::Slice bound(end);
    const auto at = iterator(&bound);
    const auto go_on = [&] { backwards ? at->Prev() : at->Next(); };
    for (backwards ? at->SeekToLast() : at->Seek(prefix);
         at->Valid() && at->key().starts_with(prefix); go_on()) {
      if (!each(view(at->key()).substr(prefix.size()), view(at->value()))) break;
    }
    if (!at->status().ok()) return unreadable(at->status());
    return kDone;
  }
};

DeliveryStore::Batch::Batch() : writes_(std::make_unique<Writes>()) {}
DeliveryStore::Batch::~Batch() = default;

void DeliveryStore::Batch::put(const WebhookId& webhook, const Progress& progress) {
  writes_->batch.Put(key_of(kProgress, webhook), JsonWriter::text(progress));
}

void DeliveryStore::Batch::put(const WebhookId& webhook, const Delivery& delivery) {
  const auto pending = key_of(kPending, webhook, delivery.id.key());
  if (delivery.status == DeliveryStatus::kPending) {
    writes_->batch.Put(pending, rocksdb::Slice());
  } else {
    writes_->batch.Delete(pending);
  }
  writes_->batch.Put(key_of(kDelivery, webhook, delivery.id.key()),
                     letter_of(delivery.status) + JsonWriter::text(StoredDelivery{delivery}));
}

void DeliveryStore::Batch::put(const WebhookId& webhook, const Replay& replay) {
  writes_->batch.Put(key_of(kReplay, webhook, replay.id.key()), JsonWriter::text(replay));
}

void DeliveryStore::Batch::erase_delivery(const WebhookId& webhook, const Uuid& delivery) {
  writes_->batch.Delete(key_of(kDelivery, webhook, delivery.key()));
  writes_->batch.Delete(key_of(kPending, webhook, delivery.key()));
}

void DeliveryStore::Batch::erase_replay(const WebhookId& webhook, const Uuid& replay) {
  writes_->batch.Delete(key_of(kReplay, webhook, replay.key()));
}

void DeliveryStore::Batch::forget(const WebhookId& webhook) {
  for (const char letter : {kProgress, kDelivery, kPending, kReplay}) {
    const auto begin = key_of(letter, webhook);
    writes_->batch.DeleteRange(begin, after_all(begin));
  }
}

void DeliveryStore::Batch::clear() { writes_->batch.Clear(); }

std::string DeliveryStore::Batch::bytes() const { return writes_->batch.Data(); }

bool DeliveryStore::Batch::empty() const { return writes_->batch.Count() == 0; }

Result<std::unique_ptr<DeliveryStore>> DeliveryStore::open(const fs::path& directory,
                                                           const RocksMemory& memory) {
  std::error_code failed;
  fs::create_directories(directory, failed);
  if (failed) {
    return Error{ErrorCode::kUnavailable,
                 "The folder of webhooks' deliveries cannot be made: " + failed.message() + "."};
  }
  auto options = shared_options(memory);
  options.write_buffer_size = 4 << 20;
  options.target_file_size_base = 4 << 20;
  options.max_total_wal_size = 16 << 20;
  rocksdb::DB* opened = nullptr;
  const auto status = rocksdb::DB::Open(options, directory.string(), &opened);
  if (!status.ok()) return unreadable(status);
  auto database = std::make_unique<Database>();
  database->db.reset(opened);
  return std::unique_ptr<DeliveryStore>(new DeliveryStore(std::move(database)));
}

DeliveryStore::DeliveryStore(std::unique_ptr<Database> database) : database_(std::move(database)) {}
DeliveryStore::~DeliveryStore() = default;

Status DeliveryStore::write(Batch& batch) {
  const auto written = database_->write(batch.writes_->batch);
  if (!written.ok()) {
    return Error{ErrorCode::kUnavailable,
                 "The deliveries of webhooks cannot be written: " + written.ToString() + "."};
  }
  batch.writes_->batch.Clear();
  return kDone;
}

void DeliveryStore::apply(std::string_view bytes) {
  constexpr std::size_t kHead = 12;  // of a batch in RocksDB's own format
  if (bytes.size() < kHead) return;
  rocksdb::WriteBatch batch{std::string(bytes)};
  static_cast<void>(database_->write(batch));
}

void DeliveryStore::keep_offset(std::int64_t offset) {
  rocksdb::WriteBatch batch;
  batch.Put(std::string(1, kOffset), std::to_string(offset));
  static_cast<void>(database_->write(batch));
}

std::optional<std::int64_t> DeliveryStore::offset() const {
  std::string text;
  if (!database_->db->Get({}, std::string(1, kOffset), &text).ok()) return std::nullopt;
  std::int64_t offset = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), offset);
  return read.ec == std::errc() ? std::optional(offset) : std::nullopt;
}

WebhookActivity DeliveryStore::activity(const WebhookId& webhook) const {
  std::string bytes;
  const auto got = database_->db->Get({}, key_of(kProgress, webhook), &bytes);
  const auto progress = got.ok() ? decoded<Progress>(bytes) : std::nullopt;
  return progress ? progress->activity : WebhookActivity{};
}

Result<DeliveryStore::Known> DeliveryStore::load(const WebhookId& webhook) const {
  Known known;
  std::string bytes;
  const auto got = database_->db->Get({}, key_of(kProgress, webhook), &bytes);
  if (!got.ok() && !got.IsNotFound()) return unreadable(got);
  if (got.ok()) known.progress = decoded<Progress>(bytes);
  auto read = database_->visit(key_of(kReplay, webhook), false, [&](auto, auto value) {
    if (auto replay = decoded<Replay>(value)) known.replays.push_back(std::move(*replay));
    return true;
  });
  if (!read) return read.error();
  read = database_->visit(key_of(kPending, webhook), false, [&](auto id, auto) {
    auto delivery = find(webhook, Uuid::from_key(id));
    if (delivery) known.pending.push_back(std::move(*delivery));
    return true;
  });
  if (!read) return read.error();
  read = database_->visit(key_of(kDelivery, webhook), false, [&](auto, auto) {
    ++known.deliveries;
    return true;
  });
  if (!read) return read.error();
  return known;
}

std::vector<Uuid> DeliveryStore::settled_before(const WebhookId& webhook, Timestamp before,
                                                std::size_t limit) const {
  std::vector<Uuid> ids;
  const auto read = database_->visit(key_of(kDelivery, webhook), false, [&](auto id, auto value) {
    // The first 48 bits of an id are its millisecond.
    std::int64_t made = 0;
    for (const char byte : id.substr(0, 6)) made = made << 8 | static_cast<std::uint8_t>(byte);
    if (ids.size() >= limit || made >= before.at.time_since_epoch().count()) return false;
    if (!value.starts_with(letter_of(DeliveryStatus::kPending))) {
      ids.push_back(Uuid::from_key(id));
    }
    return true;
  });
  if (!read) ids.clear();
  return ids;
}

Result<WebhookDeliveries::Page> DeliveryStore::list(const WebhookId& webhook,
                                                    const std::optional<DeliveryStatus>& status,
                                                    std::uint64_t skip, std::uint64_t limit) const {
  WebhookDeliveries::Page page;
  const auto read = database_->visit(key_of(kDelivery, webhook), true, [&](auto, auto value) {
    if (status && !value.starts_with(letter_of(*status))) return true;
    const auto number = page.total++;
    if (number < skip || number - skip >= limit) return true;
    if (auto delivery = decoded_delivery(value)) page.deliveries.push_back(std::move(*delivery));
    return true;
  });
  if (!read) return read.error();
  return page;
}

std::optional<Delivery> DeliveryStore::find(const WebhookId& webhook, const Uuid& delivery) const {
  std::string bytes;
  const auto got = database_->db->Get({}, key_of(kDelivery, webhook, delivery.key()), &bytes);
  return got.ok() ? decoded_delivery(bytes) : std::nullopt;
}

Status DeliveryStore::copy_to(const fs::path& directory) const {
  return copy_database(*database_->db, directory, "The store of webhooks' deliveries");
}

}  // namespace tilth
