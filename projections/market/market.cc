#include "projections/market/market.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#define XXH_INLINE_ALL
#include <unicode/uvernum.h>
#include <xxhash.h>

#include "events/finance/sale.h"
#include "events/market/price_report.h"
#include "events/values/text.h"
#include "projections/finance/exchange_rate.h"
#include "projections/fold/row_type.h"
#include "projections/library/admin_crop.h"
#include "projections/market/country_prices.h"
#include "projections/market/market_backlog.h"
#include "projections/rows/cached_bytes.h"
#include "projections/rows/row_codec.h"

namespace tilth {

// What prices depend on, of a farm and of a crop. A removed one has no row.
struct MarketFarm {
  std::string country = {};  // empty: it is in no country
  CountryMoney money = {};
  Uuid owner = {};  // a hash of the owner's stream

  template <class Archive>
  void serialize(Archive& ar) {
    ar(country, money.currency, money.minor_digits, owner);
  }
};
struct MarketCrop {
  FarmId farm_id;
  FieldId field_id;
  std::string crop_type;
  std::optional<AdminCropId> admin_crop_id;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(farm_id, field_id, crop_type, admin_crop_id);
  }
};

namespace {

// The own_key() kinds of rows, and of indexes, whose keys end in an id and have no value.
// country_prices.cc and market_backlog.cc have the others.
constexpr char kFarm = 'm', kCrop = 'k', kOffer = 'o';
constexpr char kCropOfFarm = 'K', kCropOfField = 'L';
constexpr char kOfferOfFarm = 'F', kOfferOfCrop = 'C', kOfferOfSubject = 'S';
constexpr char kOfferByDay = 'd', kAfterAllDays = 'e';
constexpr char kStandsUntil = 'n';  // a lower bound of the first day on which an offer is listed

constexpr std::size_t kAtOnce = 200;  // offers that an event refiles itself

// The last and the first day that a sort key holds.
using KeyedDays = std::numeric_limits<std::int32_t>;
const Date kNever{std::chrono::sys_days(std::chrono::days(KeyedDays::max()))};
const Date kAlways{std::chrono::sys_days(std::chrono::days(KeyedDays::min()))};

Date day_of(Timestamp at) { return {std::chrono::floor<std::chrono::days>(at.at)}; }
Date leaves_on(const Offer& offer) { return {offer.date.day + kOfferCounts}; }

// When time next changes what it counts as: it enters, or it leaves.
Date next_day_of(const Offer& offer) { return offer.entered ? leaves_on(offer) : offer.date; }

std::string subject_of(const AdminCropId& kind) { return "i" + std::string(kind.uuid.key()); }
std::string subject_of(std::string_view name) { return "t" + fold_case(trimmed(name)); }

MarketFarm farm_in(const std::optional<Country>& country, const Uuid& owner) {
  if (!country) return {.owner = owner};
  const Currency currency{country->currency()};
  return {country->name, {currency, currency.minor_digits()}, owner};
}

Uuid owner_of(std::string_view stream) {
  const auto hash = XXH3_128bits(stream.data(), stream.size());
  Uuid owner;
  std::memcpy(owner.bytes.data(), &hash.low64, sizeof hash.low64);
  std::memcpy(owner.bytes.data() + sizeof hash.low64, &hash.high64, sizeof hash.high64);
  return owner;
}

Date stands_until(const Rows& market) {
  const auto day = cached_bytes(market, market.own_key(kStandsUntil));
  return day ? Date::of_sort_key(*day) : kNever;
}

class Market {
 public:
  // `any` are rows of any stream in the market's store.
  explicit Market(MutableRows& any)
      : rows_(any.store(), kMarketStream, 0),
        reference_(any.store(), kReferenceStream, 0),
        stream_(any.stream()) {}

  void on(const FarmRegistered& e) {
    put(kFarm, e.id.uuid, farm_in(e.details.country, owner_of(stream_)));
  }
  void on(const FarmAmended& e);
  void on(const FarmRemoved& e);
  void on(const FieldRemoved& e) { enqueue_review(index(kCropOfField, e.id.uuid.key())); }
  void on(const CropRegistered& e);
  void on(const CropAmended& e);
  void on(const CropRemoved& e) { remove_crop(e.id.uuid); }
  void on(const SaleRecorded& e) { add(Offer::of(e), e.recorded_at); }
  void on(const SaleRemoved& e) { remove_offer(e.id.uuid); }
  void on(const PriceReported& e) { add(Offer::of(e), e.recorded_at); }
  void on(const PriceReportRemoved& e) { remove_offer(e.id.uuid); }
  void on(const AdminCropDescribed& e);
  void on(const ExchangeRatesImported& e);

  // Refiles some of the backlog; returns whether that was all.
  bool refile_some(std::size_t at_most);
  // Moves offers whose day has come; returns whether those were all.
  bool let_some_pass(Date today, std::size_t at_most);

 private:
  std::string row_key(char kind, const Uuid& id) const {
    return rows_.own_key(kind).append(id.key());
  }
  std::string index(char kind, std::string_view of) const { return rows_.own_key(kind).append(of); }
  std::string index(char kind, std::string_view of, const Uuid& id) const {
    return index(kind, of).append(id.key());
  }
  std::string by_subject(const Offer& offer) const {
    return index(kOfferOfSubject, offer.subject + '\0', offer.id);
  }
  std::string by_day(const Offer& offer) const {
    return index(kOfferByDay, next_day_of(offer).sort_key(), offer.id);
  }

  template <class Row>
  std::optional<Row> get(char kind, const Uuid& id) const {
    const auto bytes = rows_.own(row_key(kind, id));
    return bytes ? std::optional(RowCodec<Row>::decode(*bytes)) : std::nullopt;
  }
  template <class Row>
  void put(char kind, const Uuid& id, const Row& row) {
    rows_.store().put(row_key(kind, id), RowCodec<Row>::encode(row));
  }
  void enqueue_review(std::string prefix) {
    tilth::enqueue_review(rows_, std::move(prefix));
    stand_until(kAlways);
  }
  void look_again_at_subject(const std::string& subject) {
    enqueue_review(index(kOfferOfSubject, subject + '\0'));
  }

  void remove_crop(const Uuid& id);
  void add(Offer offer, Timestamp recorded_at);
  void remove_offer(const Uuid& id);
  void erase(const Offer& offer);
  void refile(const Offer& before, bool entered);
  bool find_place(Offer& offer) const;
  void enter(const Offer& offer);
  void leave(const Offer& offer);
  void stand_until(Date day) { rows_.store().put(rows_.own_key(kStandsUntil), day.sort_key()); }
  void stand_until_the_next_passes();

  MutableRows rows_, reference_;
  const std::string stream_;  // of the event
};

void Market::on(const FarmAmended& e) {
  const auto& country = e.changes.country.to;
  const auto before = get<MarketFarm>(kFarm, e.id.uuid);
  if (!country || !before) return;
  const auto after = farm_in(*country, before->owner);
  if (after.country == before->country) return;
  put(kFarm, e.id.uuid, after);
  enqueue_review(index(kOfferOfFarm, e.id.uuid.key()));
}

void Market::on(const FarmRemoved& e) {
  rows_.store().erase(row_key(kFarm, e.id.uuid));
  enqueue_review(index(kCropOfFarm, e.id.uuid.key()));
  enqueue_review(index(kOfferOfFarm, e.id.uuid.key()));
}

void Market::on(const CropRegistered& e) {
  const auto& id = e.id.uuid;
  put(kCrop, id,
      MarketCrop{e.where.farm_id, e.where.field_id, e.details.crop_type, e.details.admin_crop_id});
  rows_.store().put(index(kCropOfFarm, e.where.farm_id.uuid.key(), id), {});
  rows_.store().put(index(kCropOfField, e.where.field_id.uuid.key(), id), {});
}

void Market::on(const CropAmended& e) {
  auto crop = get<MarketCrop>(kCrop, e.id.uuid);
  const auto& type = e.changes.crop_type.to;
  const auto& kind = e.changes.admin_crop_id.to;
  if (!crop || (!type && !kind)) return;
  if (type) crop->crop_type = *type;
  if (kind) crop->admin_crop_id = *kind;
  put(kCrop, e.id.uuid, *crop);
  enqueue_review(index(kOfferOfCrop, e.id.uuid.key()));
}

void Market::on(const AdminCropDescribed& e) {
  const auto before = reference_.find(e.admin_crop_id);
  evolve(reference_, e);
  const auto after = reference_.find(e.admin_crop_id);
  const bool called_the_same =
      before && before->details.name == after->details.name && before->listed() == after->listed();
  if (called_the_same) return;
  look_again_at_subject(subject_of(e.admin_crop_id));
  look_again_at_subject(subject_of(after->details.name));
  if (before) look_again_at_subject(subject_of(before->details.name));
}

// Reviews the offers of all days from the first of the file on, until each of its currencies was
// published again.
void Market::on(const ExchangeRatesImported& e) {
  evolve(reference_, e);
  if (e.days.empty()) return;
  std::map<Currency, Date> last;
  auto first = e.days.front().day;
  for (const auto& [day, rates] : e.days) {
    first = std::min(first, day);
    for (const auto& [currency, per_euro] : rates) {
      auto& newest = last.try_emplace(currency, day).first->second;
      newest = std::max(newest, day);
    }
  }
  const ExchangeRates rates(reference_);
  auto end = index(kOfferByDay, {});
  for (const auto& [currency, day] : last) {
    const auto next = rates.next(currency, day);
    const auto until = next ? index(kOfferByDay, Date{next->day + kOfferCounts}.sort_key())
                            : index(kAfterAllDays, {});
    end = std::max(end, until);
  }
  tilth::enqueue_review(rows_, index(kOfferByDay, Date{first.day + kOfferCounts}.sort_key()), end);
  stand_until(kAlways);
}

void Market::remove_crop(const Uuid& id) {
  const auto crop = get<MarketCrop>(kCrop, id);
  if (!crop) return;
  rows_.store().erase(row_key(kCrop, id));
  rows_.store().erase(index(kCropOfFarm, crop->farm_id.uuid.key(), id));
  rows_.store().erase(index(kCropOfField, crop->field_id.uuid.key(), id));
  enqueue_review(index(kOfferOfCrop, id.key()));
}

// An offer that has left already is not added.
void Market::add(Offer offer, Timestamp recorded_at) {
  const auto today = day_of(recorded_at);
  offer.entered = offer.date <= today;
  if (leaves_on(offer) <= today || !find_place(offer)) return;
  rows_.store().put(index(kOfferOfFarm, offer.farm_id.uuid.key(), offer.id), {});
  if (offer.crop_id) {
    rows_.store().put(index(kOfferOfCrop, offer.crop_id->uuid.key(), offer.id), {});
  }
  rows_.store().put(by_subject(offer), {});
  put(kOffer, offer.id, offer);
  enter(offer);
}

void Market::remove_offer(const Uuid& id) {
  if (const auto offer = get<Offer>(kOffer, id)) erase(*offer);
}

void Market::erase(const Offer& offer) {
  leave(offer);
  rows_.store().erase(index(kOfferOfFarm, offer.farm_id.uuid.key(), offer.id));
  if (offer.crop_id) {
    rows_.store().erase(index(kOfferOfCrop, offer.crop_id->uuid.key(), offer.id));
  }
  rows_.store().erase(by_subject(offer));
  rows_.store().erase(row_key(kOffer, offer.id));
}

void Market::refile(const Offer& before, bool entered) {
  auto offer = before;
  offer.entered = entered;
  if (!find_place(offer)) return erase(before);
  if (RowCodec<Offer>::encode(offer) == RowCodec<Offer>::encode(before)) return;
  leave(before);
  if (offer.subject != before.subject) {
    rows_.store().erase(by_subject(before));
    rows_.store().put(by_subject(offer), {});
  }
  put(kOffer, offer.id, offer);
  enter(offer);
}

// Sets its present place. Returns whether its farm and crop still exist.
bool Market::find_place(Offer& offer) const {
  const auto farm = get<MarketFarm>(kFarm, offer.farm_id.uuid);
  const auto crop = offer.crop_id ? get<MarketCrop>(kCrop, offer.crop_id->uuid) : std::nullopt;
  if (!farm || (offer.crop_id && !crop)) return false;
  offer.owner = farm->owner;
  const auto& name = crop ? crop->crop_type : offer.crop_name;
  const auto& kind = crop ? crop->admin_crop_id : std::nullopt;
  offer.subject = kind ? subject_of(*kind) : subject_of(name);
  offer.place.reset();
  if (farm->country.empty()) return true;
  auto known = kind ? reference_.find(*kind) : std::nullopt;
  if (!known) known = find_named(reference_, name);
  offer.place = OfferPlace{farm->country, known ? known->details.name : tidied(name)};
  if (offer.entered) {
    offer.place->figures = figures_of(offer, farm->money, ExchangeRates(reference_));
  }
  return true;
}

void Market::enter(const Offer& offer) {
  rows_.store().put(by_day(offer), {});
  if (next_day_of(offer) < stands_until(rows_)) stand_until(next_day_of(offer));
  if (!offer.place) return;
  change_prices_mark(rows_, offer, true);
  if (offer.place->figures) count(rows_, offer);
}

void Market::leave(const Offer& offer) {
  rows_.store().erase(by_day(offer));
  if (!offer.place) return;
  change_prices_mark(rows_, offer, false);
  if (offer.place->figures) discount(rows_, offer);
}

void Market::stand_until_the_next_passes() {
  const auto all = index(kOfferByDay, {});
  const auto cursor = rows_.cursor();
  cursor->seek(all);
  const bool any = cursor->valid() && cursor->key().starts_with(all);
  stand_until(any ? Date::of_sort_key(cursor->key().substr(all.size(), 4)) : kNever);
}

bool Market::refile_some(std::size_t at_most) {
  if (nothing_to_review(rows_)) return true;
  const auto kind_at = rows_.own_key('\0').size() - 1;
  const bool all = review_some(rows_, at_most, [&](std::string_view key) {
    const auto id = Uuid::from_key(key.substr(key.size() - 16));
    if (key[kind_at] == kCropOfFarm || key[kind_at] == kCropOfField) return remove_crop(id);
    if (const auto offer = get<Offer>(kOffer, id)) refile(*offer, offer->entered);
  });
  if (all) stand_until_the_next_passes();
  return all;
}

bool Market::let_some_pass(Date today, std::size_t at_most) {
  const auto all = index(kOfferByDay, {});
  const auto end = index(kOfferByDay, Date{today.day + std::chrono::days(1)}.sort_key());
  std::vector<Uuid> due;
  {
    const auto cursor = rows_.cursor();
    for (cursor->seek(all); due.size() < at_most && cursor->valid() && cursor->key() < end;
         cursor->next()) {
      due.push_back(Uuid::from_key(cursor->key().substr(cursor->key().size() - 16)));
    }
  }
  for (const auto& id : due) {
    const auto offer = get<Offer>(kOffer, id);
    if (!offer) continue;
    leaves_on(*offer) <= today ? erase(*offer) : refile(*offer, true);
  }
  const bool all_passed = due.size() < at_most;
  if (all_passed) stand_until_the_next_passes();
  return all_passed;
}

}  // namespace

// A country's currency, and its minor unit, depend on ICU's version.
ResourceRows market_rows() {
  const auto file = [](MutableRows& rows, const auto& e) {
    Market market(rows);
    market.on(e);
    market.refile_some(kAtOnce);
  };
  return {
      .handlers = handling<FarmRegistered, FarmAmended, FarmRemoved, FieldRemoved, CropRegistered,
                           CropAmended, CropRemoved, SaleRecorded, SaleRemoved, PriceReported,
                           PriceReportRemoved, AdminCropDescribed, ExchangeRatesImported>(file),
      .more_shape = shape_of(kTypeForm<Offer>) + row_type<AdminCrop>().shape +
                    row_type<Variety>().shape + shape_of(kTypeForm<ExchangeRate>) + U_ICU_VERSION};
}

bool age_market(MutableRows& rows, Timestamp now, std::size_t at_most) {
  Market market(rows);
  return market.refile_some(at_most) && market.let_some_pass(day_of(now), at_most);
}

bool prices_are_current(const Rows& market, Timestamp now) {
  return day_of(now) < stands_until(market);
}

}  // namespace tilth
