#include "infra/webhooks/delivery_writer.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace tilth {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kMostKept = 10'000, kKeptAfterTrim = 9'900;  // deliveries of a webhook
constexpr std::size_t kErasedAtOnce = 1'000;
// Of a batch that has many changes. Other nodes get a batch in one record, which Kafka limits.
constexpr std::size_t kLargeBytes = 256 << 10;
constexpr std::chrono::hours kKept = 24h * 30;
constexpr auto kAfterTrouble = 1s, kErasesAgain = 10s;
constexpr auto kStoresPlaces = 500ms;
constexpr auto kResharesAgain = 24h;

}  // namespace

void DeliveryWriter::store(DeliveryOwners& owners) {
  const auto now = parts_.steady();
  if (trouble_ && now < retry_at_) return;
  if (batch_.empty() && now < next_places_) return;
  next_places_ = now + kStoresPlaces;
  for (auto& [name, owner] : owners) {
    for (const auto& target : owner.targets) {
      if (std::exchange(target->dirty, false)) put_place(*target);
    }
  }
  if (batch_.empty()) return;
  auto bytes = parts_.sharing != nullptr ? batch_.bytes() : std::string();
  const auto written = parts_.store.write(batch_);
  if (!written && !trouble_) {
    parts_.log_lines.error("Webhooks get nothing for now.", {{"reason", written.error().message}});
  }
  trouble_ = !written;
  retry_at_ = now + kAfterTrouble;
  if (written && parts_.sharing != nullptr) parts_.sharing->share(std::move(bytes));
}

bool DeliveryWriter::store_if_large(DeliveryOwners& owners) {
  if (batch_.size() >= kLargeBytes) store(owners);
  return !trouble_;
}

void DeliveryWriter::put_place(DeliveryTarget& target) {
  target.progress.next_version = static_cast<std::int64_t>(target.sources.front().place());
  batch_.put(target.row.id, target.progress);
  for (auto& source : target.sources) {
    if (!source.replay) continue;
    const auto place = static_cast<std::int64_t>(source.place());
    if (std::exchange(source.replay->next_version, place) == place) continue;
    batch_.put(target.row.id, *source.replay);
  }
  trim(target);
}

void DeliveryWriter::trim(DeliveryTarget& target) {
  if (target.kept <= kMostKept) return;
  constexpr Timestamp kAlways{decltype(Timestamp::at)::max()};
  erase(target, parts_.store.settled_before(target.row.id, kAlways, target.kept - kKeptAfterTrim));
}

void DeliveryWriter::erase(DeliveryTarget& target, const std::vector<Uuid>& deliveries) {
  for (const auto& id : deliveries) batch_.erase_delivery(target.row.id, id);
  target.kept -= std::min<std::uint64_t>(target.kept, deliveries.size());
}

void DeliveryWriter::erase_old(DeliveryOwners& owners) {
  const auto steady = parts_.steady();
  if (steady < next_erase_) return;
  next_erase_ = steady + kErasesAgain;
  const Timestamp before{parts_.clock.now().at - kKept};
  for (auto& [name, owner] : owners) {
    for (const auto& target : owner.targets) {
      erase(*target, parts_.store.settled_before(target->row.id, before, kErasedAtOnce));
      if (!store_if_large(owners)) return;
    }
  }
}

void DeliveryWriter::reshare(DeliveryOwners& owners) {
  const auto steady = parts_.steady();
  if (parts_.sharing == nullptr || steady < next_reshare_) return;
  next_reshare_ = steady + (put_pending(owners) ? kResharesAgain : kAfterTrouble);
}

bool DeliveryWriter::put_pending(DeliveryOwners& owners) {
  store(owners);  // what is put again below is as it is in the store
  if (trouble_) return false;
  for (auto& [name, owner] : owners) {
    for (const auto& target : owner.targets) {
      target->dirty = false;
      put_place(*target);
      for (const auto& source : target->sources) {
        if (source.replay) batch_.put(target->row.id, *source.replay);
        if (!store_if_large(owners)) return false;
      }
      const auto known = parts_.store.load(target->row.id);
      if (!known) continue;
      for (const auto& delivery : known->pending) {
        batch_.put(target->row.id, delivery);
        if (!store_if_large(owners)) return false;
      }
    }
  }
  return true;
}

}  // namespace tilth
