#include "infra/webhooks/delivery_sharing.h"

#include <cstring>
#include <utility>

#include <sodium.h>

#include "events/json/json_reader.h"
#include "events/json/json_writer.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kType = "tilth.webhooks.settled";
constexpr std::size_t kPage = 256;
constexpr int kVariant = sodium_base64_VARIANT_ORIGINAL;
// What is sent at once; a single batch may be larger, and then goes alone.
constexpr std::size_t kMostBytes = 256 << 10;

std::string encoded(std::string_view bytes) {
  std::string text(sodium_base64_encoded_len(bytes.size(), kVariant), '\0');
  sodium_bin2base64(text.data(), text.size(), reinterpret_cast<const unsigned char*>(bytes.data()),
                    bytes.size(), kVariant);
  text.pop_back();
  return text;
}

std::optional<std::string> decoded(std::string_view text) {
  std::string bytes(text.size(), '\0');
  std::size_t length = 0;
  const auto failed =
      sodium_base642bin(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(), text.data(),
                        text.size(), nullptr, &length, nullptr, kVariant);
  if (failed != 0) return std::nullopt;
  bytes.resize(length);
  return bytes;
}

// Several batches in one text: each with its length before it.
void add_batch(std::string& to, std::string_view batch) {
  const auto length = static_cast<std::uint32_t>(batch.size());
  char bytes[sizeof length];
  std::memcpy(bytes, &length, sizeof length);
  to.append(bytes, sizeof bytes).append(batch);
}

std::string_view take_batch(std::string_view& from) {
  std::uint32_t length = 0;
  if (from.size() < sizeof length) return from = {};
  std::memcpy(&length, from.data(), sizeof length);
  const auto batch = from.substr(sizeof length, length);
  from.remove_prefix(std::min(from.size(), sizeof length + length));
  return batch;
}

std::optional<DeliverySharing::Batch> read_batch(std::string_view text) {
  DeliverySharing::Batch batch;
  Issues issues;
  const auto json = parse_json(text);
  if (json) JsonReader::read(*json, Reading::kStored, batch, issues);
  return json && issues.empty() ? std::optional(std::move(batch)) : std::nullopt;
}

}  // namespace

DeliverySharing::DeliverySharing(Parts parts)
    : parts_(std::move(parts)), run_(parts_.ids.uuid(parts_.clock.now()).text()) {
  if (auto place = parts_.store.place()) {
    term_ = place->term;
    leader_ = std::move(place->leader);
  }
}

bool DeliverySharing::leads() const {
  const std::lock_guard lock(mutex_);
  const auto now = parts_.steady();
  const bool is_alone = parts_.divided || now >= other_led_ + kSilence;
  return is_leader() && is_alone && now < confirmed_ + kBelieved;
}

void DeliverySharing::share(std::string changes) {
  const std::lock_guard lock(mutex_);
  if (is_leader()) add_batch(unsent_, changes);
}

Status DeliverySharing::turn(std::chrono::milliseconds timeout) {
  const auto read = read_on(timeout);
  if (read) {
    trouble_.clear();
    send_something();
  } else if (std::exchange(trouble_, read.error().message) != read.error().message) {
    parts_.log_line("What other nodes sent to webhooks cannot be followed: " + trouble_);
  }
  return read;
}

Status DeliverySharing::read_on(std::chrono::milliseconds timeout) {
  if (!reader_) {
    const auto place = parts_.store.place();
    const auto offset = place ? std::optional(place->offset) : std::nullopt;
    auto reader = parts_.read(offset);
    if (!reader && offset && reader.error().code == ErrorCode::kLost) {
      reader = parts_.read(std::nullopt);
    }
    if (!reader) return reader.error();
    reader_ = std::move(*reader);
  }
  const auto page = reader_->next(kPage, timeout);
  if (!page) {
    if (page.error().code == ErrorCode::kLost) {
      reader_.reset();
      // The log may have lost it, too: it would never come back.
      const std::lock_guard lock(sending_->mutex);
      sending_->unknown = sending_->record.has_value();
    }
    return page.error();
  }
  for (const auto& logged : *page) {
    if (const auto taken = take(logged); !taken) {
      reader_.reset();  // what follows may build on it
      return taken;
    }
  }
  return kDone;
}

Status DeliverySharing::take(const LoggedRecord& logged) {
  const auto& envelope = logged.record->envelope;
  const auto& run = envelope.correlation_id;
  const auto sent_at = sent_when(envelope.id);
  const auto batch = envelope.type == kType ? read_batch(logged.record->json) : std::nullopt;
  bool counts = false;
  DeliveryStore::Place place{.offset = logged.position.offset + 1};
  {
    const std::lock_guard lock(mutex_);
    if (batch && batch->term > term_ && !parts_.divided) {
      term_ = batch->term;
      leader_ = run;
      if (run != run_) unsent_.clear();
    }
    counts = batch && (parts_.divided || (batch->term == term_ && leader_ == run));
    if (counts && sent_at) confirmed_ = *sent_at;
    if (counts && run != run_) other_led_ = parts_.steady();
    place.term = term_;
    place.leader = leader_;
  }
  if (counts) received_at_ = parts_.steady();
  const auto changes = counts && run != run_ ? decoded(batch->changes) : std::nullopt;
  std::string_view rest = changes ? std::string_view(*changes) : std::string_view();
  while (!rest.empty()) {
    if (const auto applied = parts_.store.apply(take_batch(rest)); !applied) return applied;
  }
  return parts_.store.keep_place(place);
}

// When the record with that id was sent, if it is ours and has not come back before.
std::optional<DeliverySharing::Steady::time_point> DeliverySharing::sent_when(
    const std::string& id) {
  const std::lock_guard lock(sending_->mutex);
  auto& sent = sending_->record;
  if (!sent || sent->envelope.id != id) return std::nullopt;
  sent.reset();
  return sending_->at;
}

// One record at a time: the next one once the last one has come back.
void DeliverySharing::send_something() {
  std::optional<Record> again;
  {
    const std::lock_guard lock(sending_->mutex);
    if (sending_->record) {
      if (!std::exchange(sending_->unknown, false)) return;
      again = sending_->record;
    }
  }
  if (again) return append(*again);
  const auto now = parts_.steady();
  Batch batch;
  {
    const std::lock_guard lock(mutex_);
    if (is_leader()) {
      if (unsent_.empty() && now < confirmed_ + kBeat) return;
      std::string some;
      std::string_view rest = unsent_;
      while (!rest.empty() && some.size() < kMostBytes) add_batch(some, take_batch(rest));
      unsent_ = std::string(rest);
      batch = {term_, encoded(some)};
    } else {
      if (!parts_.may_lead || now < received_at_ + kSilence) return;
      received_at_ = now;
      batch = {term_ + 1, {}};
    }
  }
  const auto time = parts_.clock.now();
  Record record{.stream = parts_.node,
                .envelope = {.id = parts_.ids.uuid(time).text(),
                             .type = std::string(kType),
                             .source = "tilth://" + parts_.node,
                             .time = time,
                             .stream_version = sequence_++,
                             .correlation_id = run_},
                .json = JsonWriter::text(batch)};
  {
    const std::lock_guard lock(sending_->mutex);
    sending_->record = record;
    sending_->at = now;
  }
  append(record);
}

void DeliverySharing::append(const Record& record) {
  parts_.log.append(record, [sending = sending_, id = record.envelope.id](const auto& end) {
    if (end) return;
    const std::lock_guard lock(sending->mutex);
    if (sending->record && sending->record->envelope.id == id) sending->unknown = true;
  });
}

}  // namespace tilth
