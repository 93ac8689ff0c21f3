#include "infra/webhooks/delivery_store.h"

#include <charconv>
#include <utility>

#include <rocksdb/write_batch.h>

#include "events/json/json_reader.h"
#include "events/json/json_writer.h"
#include "events/values/big_endian.h"
#include "infra/rocksdb/reopening_database.h"
#include "infra/rocksdb/rocks_options.h"
#include "infra/rocksdb/slices.h"

namespace tilth {
namespace {

namespace fs = std::filesystem;

// Keys: a letter, the webhook's id, and the id of a delivery or a replay. Ids of deliveries sort by
// the time at which they were made. A delivery's value begins with its status, so that a filter
// need not parse it. A pending one has a second key.
constexpr char kProgress = 'c', kDelivery = 'd', kPending = 'p', kReplay = 'r', kPlace = 'o';

std::string key_of(char letter, const WebhookId& webhook, std::string_view rest = {}) {
  return std::string(1, letter).append(webhook.uuid.key()).append(rest);
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

// Refuses what no batch of ours has, before RocksDB has put it into its write-ahead log.
class OursAlone final : public rocksdb::WriteBatch::Handler {
 public:
  rocksdb::Status DeleteRangeCF(std::uint32_t column_family, const rocksdb::Slice&,
                                const rocksdb::Slice&) override {
    return column_family == 0 ? rocksdb::Status::OK() : rocksdb::Status::InvalidArgument();
  }
};

}  // namespace

struct DeliveryStore::Batch::Writes {
  rocksdb::WriteBatch batch;
};

struct DeliveryStore::Database : ReopeningDatabase {
  using ReopeningDatabase::ReopeningDatabase;

  // Visits what follows the prefix in the keys that begin with it.
  Status visit_all(const std::string& prefix, const Each& each) const {
    return visit(prefix, end_of_prefix(prefix), [&](std::string_view key, std::string_view value) {
      return each(key.substr(prefix.size()), value);
    });
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
    writes_->batch.DeleteRange(begin, end_of_prefix(begin));
  }
}

void DeliveryStore::Batch::clear() { writes_->batch.Clear(); }

std::string DeliveryStore::Batch::bytes() const { return writes_->batch.Data(); }

std::size_t DeliveryStore::Batch::size() const { return writes_->batch.GetDataSize(); }

bool DeliveryStore::Batch::empty() const { return writes_->batch.Count() == 0; }

Result<std::unique_ptr<DeliveryStore>> DeliveryStore::open(const fs::path& directory,
                                                           const RocksMemory& memory,
                                                           rocksdb::Env* env) {
  auto options = shared_options(memory);
  if (env != nullptr) options.env = env;
  options.write_buffer_size = 4 << 20;
  options.target_file_size_base = 4 << 20;
  options.max_total_wal_size = 16 << 20;
  auto database = std::make_unique<Database>("The store of webhooks' deliveries",
                                             std::move(options), directory);
  if (const auto opened = database->open(); !opened) return opened.error();
  return std::unique_ptr<DeliveryStore>(new DeliveryStore(std::move(database)));
}

DeliveryStore::DeliveryStore(std::unique_ptr<Database> database) : database_(std::move(database)) {}
DeliveryStore::~DeliveryStore() = default;

Status DeliveryStore::write(Batch& batch) { return database_->write(batch.writes_->batch); }

Status DeliveryStore::apply(std::string_view bytes) {
  constexpr std::size_t kHead = 12;  // of a batch in RocksDB's own format
  if (bytes.size() < kHead) return kDone;
  rocksdb::WriteBatch batch{std::string(bytes)};
  OursAlone ours;
  return batch.Iterate(&ours).ok() ? database_->write(batch) : Status(kDone);
}

// The members with blanks between; once there was the offset alone.
Status DeliveryStore::keep_place(const Place& place) {
  rocksdb::WriteBatch batch;
  batch.Put(std::string(1, kPlace),
            std::to_string(place.offset) + ' ' + std::to_string(place.term) + ' ' + place.leader);
  return database_->write(batch);
}

std::optional<DeliveryStore::Place> DeliveryStore::place() const {
  const auto found = database_->find(std::string(1, kPlace));
  if (!found || !*found) return std::nullopt;
  const auto& text = **found;
  const auto* const end = text.data() + text.size();
  Place place;
  auto read = std::from_chars(text.data(), end, place.offset);
  if (read.ec != std::errc()) return std::nullopt;
  if (read.ptr == end) return place;
  read = std::from_chars(read.ptr + 1, end, place.term);
  if (read.ec == std::errc() && read.ptr != end) place.leader.assign(read.ptr + 1, end);
  return place;
}

WebhookActivity DeliveryStore::activity(const WebhookId& webhook) const {
  const auto found = database_->find(key_of(kProgress, webhook));
  const auto progress = found && *found ? decoded<Progress>(**found) : std::nullopt;
  return progress ? progress->activity : WebhookActivity{};
}

Result<WebhookReplays> DeliveryStore::replays(const WebhookId& webhook) const {
  // Read before they are counted, so that one that is taken up meanwhile counts twice and not
  // never.
  const auto found = database_->find(key_of(kProgress, webhook));
  if (!found) return found.error();
  WebhookReplays replays;
  if (const auto progress = *found ? decoded<Progress>(**found) : std::nullopt) {
    replays.next_request_version = progress->next_request_version;
  }
  const auto read = database_->visit_all(
      key_of(kReplay, webhook), [&](auto, auto) { return ++replays.open < Webhook::kMostReplays; });
  if (!read) return read.error();
  return replays;
}

Result<DeliveryStore::Known> DeliveryStore::load(const WebhookId& webhook) const {
  Known known;
  const auto found = database_->find(key_of(kProgress, webhook));
  if (!found) return found.error();
  if (*found) known.progress = decoded<Progress>(**found);
  auto read = database_->visit_all(key_of(kReplay, webhook), [&](auto, auto value) {
    if (auto replay = decoded<Replay>(value)) known.replays.push_back(std::move(*replay));
    return true;
  });
  if (!read) return read.error();
  Status found_all = kDone;
  read = database_->visit_all(key_of(kPending, webhook), [&](auto id, auto) {
    auto delivery = find(webhook, Uuid::from_key(id));
    if (!delivery) {
      found_all = delivery.error();
      return false;
    }
    if (*delivery) known.pending.push_back(std::move(**delivery));
    return true;
  });
  if (!read) return read.error();
  if (!found_all) return found_all.error();
  read = database_->visit_all(key_of(kDelivery, webhook), [&](auto, auto) {
    ++known.deliveries;
    return true;
  });
  if (!read) return read.error();
  return known;
}

Status DeliveryStore::visit(const EachProgress& each) const {
  return database_->visit_all(std::string(1, kProgress), [&](auto id, auto value) {
    if (const auto progress = decoded<Progress>(value)) each({Uuid::from_key(id)}, *progress);
    return true;
  });
}

std::vector<Uuid> DeliveryStore::settled_before(const WebhookId& webhook, Timestamp before,
                                                std::size_t limit) const {
  std::vector<Uuid> ids;
  const auto read = database_->visit_all(key_of(kDelivery, webhook), [&](auto id, auto value) {
    // The first 48 bits of an id are its millisecond.
    const auto made = static_cast<std::int64_t>(read_big_endian(id.substr(0, 6)));
    if (ids.size() >= limit || made >= before.at.time_since_epoch().count()) return false;
    if (!value.starts_with(letter_of(DeliveryStatus::kPending))) {
      ids.push_back(Uuid::from_key(id));
    }
    return true;
  });
  if (!read) ids.clear();
  return ids;
}

Result<WebhookDeliveries::Page> DeliveryStore::list(
    const WebhookId& webhook, const WebhookDeliveries::Listing& listing) const {
  WebhookDeliveries::Page page;
  const auto prefix = key_of(kDelivery, webhook);
  const auto take = [&](auto, auto value) {
    if (listing.status && !value.starts_with(letter_of(*listing.status))) return true;
    const auto number = page.total++;
    if (number < listing.skip || number - listing.skip >= listing.limit) return true;
    if (auto delivery = decoded_delivery(value)) page.deliveries.push_back(std::move(*delivery));
    return true;
  };
  const auto read = listing.order == Order::kAscending
                        ? database_->visit(prefix, end_of_prefix(prefix), take)
                        : database_->visit_backwards(prefix, end_of_prefix(prefix), take);
  if (!read) return read.error();
  return page;
}

Result<std::optional<Delivery>> DeliveryStore::find(const WebhookId& webhook,
                                                    const Uuid& delivery) const {
  const auto found = database_->find(key_of(kDelivery, webhook, delivery.key()));
  if (!found) return found.error();
  return *found ? decoded_delivery(**found) : std::nullopt;
}

Status DeliveryStore::copy_to(const fs::path& directory) const {
  return database_->copy_to(directory);
}

}  // namespace tilth
