#include "projections/market/offer.h"

#include <iterator>

#include "events/values/units.h"
#include "projections/rows/row_codec.h"

namespace tilth {

template struct RowCodec<Offer>;

namespace {

Decimal kilograms_of(PriceUnit unit, const std::optional<Decimal>& bushel) {
  switch (unit) {
    case PriceUnit::kPerKilogram:
      return Decimal(1);
    case PriceUnit::kPerTon:
      return Decimal(1'000);
    case PriceUnit::kPerPound:
      return *Decimal::parse("0.45359237");
    case PriceUnit::kPerBushel:
      return bushel.value_or(Decimal(1));
  }
  return Decimal(1);
}

PriceUnit price_unit(YieldUnit unit) {
  return unit == YieldUnit::kKilogram ? PriceUnit::kPerKilogram
         : unit == YieldUnit::kTon    ? PriceUnit::kPerTon
                                      : PriceUnit::kPerPound;
}

// The value of one unit of a currency in another on a day.
std::optional<Fraction> rate_of(const Currency& from, const Currency& into, Date day,
                                const ExchangeRates& rates) {
  if (from == into) return Fraction(1);
  const auto one = rates.on(from, day), other = rates.on(into, day);
  if (!one || !other) return std::nullopt;
  return exact(other->rate.per_euro) / exact(one->rate.per_euro);
}

}  // namespace

Offer Offer::of(const SaleRecorded& e) {
  return {.id = e.id.uuid,
          .source = OfferSource::kSale,
          .farm_id = e.where.farm_id,
          .crop_id = e.where.crop_id,
          .date = e.details.sale_date,
          .currency = e.details.currency,
          .price = e.details.price_per_unit,
          .kilograms = kilograms_of(price_unit(e.details.unit), {}),
          .quantity = e.details.quantity};
}

Offer Offer::of(const PriceReported& e) {
  return {.id = e.id.uuid,
          .source = OfferSource::kReport,
          .farm_id = e.where.farm_id,
          .crop_name = e.details.crop_name,
          .date = e.details.observed_on,
          .currency = e.details.currency,
          .price = e.details.price,
          .kilograms = kilograms_of(e.details.unit, e.bushel_weight_kg),
          .quantity = e.details.quantity};
}

std::optional<OfferFigures> figures_of(const Offer& offer, const CountryMoney& money,
                                       const ExchangeRates& rates) {
  const auto rate = rate_of(offer.currency, money.currency, offer.date, rates);
  if (!rate) return std::nullopt;
  const Fraction kilograms = exact(offer.kilograms);
  const Fraction per_ton = exact(offer.price) * *rate * 1'000 / kilograms;
  const Fraction tons = offer.quantity ? exact(*offer.quantity) * kilograms / 1'000 : Fraction(1);
  const Fraction money_exact = per_ton * tons * power_of_ten(kMoneyDigits);
  Integer paid, rest;
  divide_qr(numerator(money_exact), denominator(money_exact), paid, rest);
  const bool cut = rest != 0;
  return OfferFigures{.price = bytes_of(half_even(per_ton * power_of_ten(money.minor_digits))),
                      .tons = bytes_of(numerator(Fraction(tons * power_of_ten(kTonDigits)))),
                      .money = bytes_of(paid),
                      .rest = bytes_of(rest),
                      .divisor = cut ? bytes_of(denominator(money_exact)) : std::string()};
}

std::string bytes_of(const Integer& natural) {
  std::string bytes;
  if (natural != 0) export_bits(natural, std::back_inserter(bytes), 8);
  return bytes;
}

Integer natural_of(std::string_view bytes) {
  Integer natural;
  if (bytes.empty()) return natural;
  const auto* begin = reinterpret_cast<const unsigned char*>(bytes.data());
  import_bits(natural, begin, begin + bytes.size());
  return natural;
}

}  // namespace tilth
