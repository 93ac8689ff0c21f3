#include "projections/market/country_prices.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "projections/rows/cached_bytes.h"
#include "projections/rows/row_codec.h"

namespace tilth {

// PriceSums as stored.
struct PriceSumsRow {
  std::string money, tons;
  std::uint64_t cut = 0, farms = 0, reporting = 0, selling = 0, owners = 0;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(money, tons, cut, farms, reporting, selling, owners);
  }
};

namespace {

// The own_key() kinds of the market that are used here; market.cc has the others.
constexpr char kSums = 's', kFarms = 'f', kOwners = 'w', kPrices = 'p', kRests = 'q', kMark = 'h';
constexpr std::uint64_t kOnce = 1;

// Crops above the threshold are stored apart, so that those below are never read.
constexpr char kShown = '0', kHidden = '1';

char tier_of(const PriceSums& sums) { return sums.farms >= kMinSampleSize ? kShown : kHidden; }

std::string in_country(const Rows& market, char kind, std::string_view country) {
  return market.own_key(kind).append(country).append(1, '\0');
}
std::string sums_key(const Rows& market, const OfferPlace& place, char tier) {
  return in_country(market, kSums, place.country).append(1, tier).append(place.crop_name);
}
std::string of_crop(const Rows& market, char kind, std::string_view country,
                    std::string_view crop_name) {
  return in_country(market, kind, country).append(crop_name).append(1, '\0');
}

// Sorts like the number.
std::string price_key(std::string_view price) {
  return std::string(1, static_cast<char>(price.size())).append(price);
}

PriceSums sums_in(std::string_view bytes) {
  const auto row = RowCodec<PriceSumsRow>::decode(bytes);
  return {natural_of(row.money), natural_of(row.tons), row.cut,   row.farms,
          row.reporting,         row.selling,          row.owners};
}

PriceSums sums_of(const Rows& market, const OfferPlace& place) {
  for (const char tier : {kShown, kHidden}) {
    if (const auto bytes = market.own(sums_key(market, place, tier))) return sums_in(*bytes);
  }
  return {};
}

void put_sums(MutableRows& market, const OfferPlace& place, char tier_before,
              const PriceSums& sums) {
  const auto tier = tier_of(sums);
  if (tier != tier_before) market.store().erase(sums_key(market, place, tier_before));
  const auto key = sums_key(market, place, tier);
  if (sums.farms == 0) return market.store().erase(key);
  market.store().put(
      key, RowCodec<PriceSumsRow>::encode({bytes_of(sums.money), bytes_of(sums.tons), sums.cut,
                                           sums.farms, sums.reporting, sums.selling, sums.owners}));
}

// Counts are stored as they are in memory, and a backup may be restored on another machine.
static_assert(std::endian::native == std::endian::little);

// A count. Zero is stored as no key.
template <class Count>
Count counted(const Rows& market, const std::string& key) {
  Count count{};
  if (const auto bytes = market.own(key)) std::memcpy(&count, bytes->data(), sizeof count);
  return count;
}
template <class Count>
void put_count(MutableRows& market, const std::string& key, const Count& count) {
  if (count == Count{}) return market.store().erase(key);
  market.store().put(key, {reinterpret_cast<const char*>(&count), sizeof count});
}

Integer natural_in(const Rows& market, const std::string& key) {
  const auto bytes = market.own(key);
  return bytes ? natural_of(*bytes) : Integer();
}
void put_natural(MutableRows& market, const std::string& key, const Integer& natural) {
  if (natural == 0) return market.store().erase(key);
  market.store().put(key, bytes_of(natural));
}

// Counts or discounts an offer: `by` is 1 or its negative.
void change(MutableRows& market, const Offer& offer, std::uint64_t by) {
  const auto& place = *offer.place;
  const auto& figures = *place.figures;
  auto sums = sums_of(market, place);
  const auto tier_before = tier_of(sums);
  const bool add = by == kOnce;
  const auto money = natural_of(figures.money), tons = natural_of(figures.tons);
  sums.money += add ? money : Integer(-money);
  sums.tons += add ? tons : Integer(-tons);
  if (!figures.divisor.empty()) {
    sums.cut += by;
    const auto key = of_crop(market, kRests, place.country, place.crop_name) + figures.divisor;
    const auto rest = natural_of(figures.rest), before = natural_in(market, key);
    put_natural(market, key, add ? before + rest : before - rest);
  }

  // How many offers of the farm count, by source.
  using Offers = std::array<std::uint32_t, 2>;
  const auto farm =
      of_crop(market, kFarms, place.country, place.crop_name).append(offer.farm_id.uuid.key());
  const auto before = counted<Offers>(market, farm);
  auto after = before;
  after[static_cast<std::size_t>(offer.source)] += static_cast<std::uint32_t>(by);
  put_count(market, farm, after);
  const auto came = [](bool was, bool is) -> std::uint64_t { return std::uint64_t(is) - was; };
  sums.reporting += came(before[0] > 0, after[0] > 0);
  sums.selling += came(before[1] > 0, after[1] > 0);
  const bool was = before != Offers{}, is = after != Offers{};
  sums.farms += came(was, is);
  if (was != is) {
    const auto owner =
        of_crop(market, kOwners, place.country, place.crop_name).append(offer.owner.key());
    const auto farms = counted<std::uint64_t>(market, owner);
    put_count(market, owner, farms + by);
    sums.owners += came(farms > 0, farms + by > 0);
  }
  put_sums(market, place, tier_before, sums);

  const auto price =
      of_crop(market, kPrices, place.country, place.crop_name) + price_key(figures.price);
  put_count(market, price, counted<std::uint64_t>(market, price) + by);
}

Integer price_in(std::string_view key, std::size_t prefix) {
  return natural_of(key.substr(prefix + 1));
}

}  // namespace

PriceSums& PriceSums::operator+=(const PriceSums& other) {
  money += other.money, tons += other.tons, cut += other.cut;
  farms += other.farms, reporting += other.reporting, selling += other.selling;
  owners += other.owners;
  return *this;
}

// The money is between `money` and `money + cut`.
std::optional<Integer> PriceSums::average(int minor_digits) const {
  const auto low = average(minor_digits, 0), high = average(minor_digits, cut);
  return low == high ? std::optional(low) : std::nullopt;
}

Integer PriceSums::average(int minor_digits, const Fraction& all_that_was_cut) const {
  const Fraction unit(power_of_ten(minor_digits + kTonDigits), tons * power_of_ten(kMoneyDigits));
  return half_even((money + all_that_was_cut) * unit);
}

void count(MutableRows& market, const Offer& offer) { change(market, offer, kOnce); }
void discount(MutableRows& market, const Offer& offer) { change(market, offer, -kOnce); }

CropPrices& CropPrices::operator+=(const CropPrices& other) {
  sums += other.sums;
  lowest = std::min(lowest, other.lowest);
  highest = std::max(highest, other.highest);
  return *this;
}

void for_each_crop(const Rows& market, std::string_view country, Crops which,
                   const std::function<void(CropPrices)>& visit) {
  auto wanted = in_country(market, kSums, country);
  const auto name_at = wanted.size() + 1;  // after the tier
  if (which == Crops::kShown) wanted.append(1, kShown);
  const auto cursor = market.cursor(), prices = market.cursor();
  for (cursor->seek(wanted); cursor->valid() && cursor->key().starts_with(wanted); cursor->next()) {
    CropPrices crop{std::string(cursor->key().substr(name_at)), sums_in(cursor->value())};
    const auto all = of_crop(market, kPrices, country, crop.crop_name);
    prices->seek(all);
    crop.lowest = price_in(prices->key(), all.size());
    prices->seek_for_prev(all + '\xFF');
    crop.highest = price_in(prices->key(), all.size());
    visit(std::move(crop));
  }
}

Fraction cut_from(const Rows& market, std::string_view country, std::string_view crop_name) {
  const auto all = of_crop(market, kRests, country, crop_name);
  Fraction sum;
  const auto cursor = market.cursor();
  for (cursor->seek(all); cursor->valid() && cursor->key().starts_with(all); cursor->next()) {
    sum += Fraction(natural_of(cursor->value()), natural_of(cursor->key().substr(all.size())));
  }
  return sum;
}

std::string prices_mark(const Rows& market, std::string_view country) {
  const auto mark = cached_bytes(market, market.own_key(kMark).append(country));
  return mark ? *mark : "";
}

// A sum of hashes, modulo 2^128.
void change_prices_mark(MutableRows& market, const Offer& offer, bool came) {
  __extension__ using Bits = unsigned __int128;
  using Halves = std::array<std::uint64_t, 2>;
  const auto key = market.own_key(kMark).append(offer.place->country);
  const auto bytes = RowCodec<Offer>::encode(offer);
  const auto hash = XXH3_128bits(bytes.data(), bytes.size());
  const Bits term = Bits(hash.high64) << 64 | hash.low64;
  const Bits sum = std::bit_cast<Bits>(counted<Halves>(market, key));
  put_count(market, key, std::bit_cast<Halves>(came ? sum + term : sum - term));
}

}  // namespace tilth
