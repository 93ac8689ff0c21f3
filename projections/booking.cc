#include "projections/booking.h"

#include "projections/farm_sums.h"
#include "projections/rate_changes.h"
#include "projections/registry.h"
#include "projections/row_codec.h"

namespace tilth {

template struct RowCodec<Booking>;
template struct RowCodec<BookedFarm>;
template struct RowCodec<BookedField>;
template struct RowCodec<BookedCrop>;

namespace {

using What = SweepStep::What;

Id<BookedFarm> booked(const FarmId& id) { return {id.uuid}; }
Id<BookedField> booked(const FieldId& id) { return {id.uuid}; }
Id<BookedCrop> booked(const CropId& id) { return {id.uuid}; }

void book(MutableRows& rows, const FarmRegistered& e) {
  rows.put(BookedFarm{booked(e.farm_id), e.details.currency, e.details.country});
}

void book(MutableRows& rows, const FarmAmended& e) {
  auto farm = rows.find(booked(e.farm_id));
  if (!farm) return;
  e.changes.currency.apply(farm->currency);
  e.changes.country.apply(farm->country);
  rows.put(*farm);
}

void book(MutableRows& rows, const FarmRemoved& e) {
  const auto farm = rows.find(booked(e.farm_id));
  if (!farm) return;
  rows.erase(*farm);
  rows.sweep({What::kSumsOfFarm, e.farm_id.uuid});
  rows.sweep({What::kBookings, e.farm_id.uuid});
  rows.sweep({What::kBookedFieldsOfFarm, e.farm_id.uuid});
}

void book(MutableRows& rows, const FieldRegistered& e) {
  rows.put(BookedField{booked(e.field_id), e.farm_id});
}

void book(MutableRows& rows, const FieldRemoved& e) {
  const auto field = rows.find(booked(e.field_id));
  if (!field) return;
  rows.erase(*field);
  rows.sweep({What::kBookings, e.field_id.uuid});
  rows.sweep({What::kBookedCropsOfField, e.field_id.uuid});
}

void book(MutableRows& rows, const CropRegistered& e) {
  rows.put(BookedCrop{booked(e.crop_id), e.field_id});
}

void book(MutableRows& rows, const CropRemoved& e) {
  const auto crop = rows.find(booked(e.crop_id));
  if (!crop) return;
  rows.erase(*crop);
  rows.sweep({What::kBookings, e.crop_id.uuid});
}

void put(MutableRows& rows, const Booking& booking) {
  rows.put(booking);
  add_to_sums(rows, booking, Sign::kPlus);
}

void book(MutableRows& rows, const ExpenseRecorded& e) {
  const auto& [crop_id, field_id, cost] = e.details;
  put(rows, {{e.id.uuid},
             e.where.farm_id,
             crop_id    ? crop_id->uuid
             : field_id ? field_id->uuid
                        : e.where.farm_id.uuid,
             {Book::kExpenses, static_cast<std::uint8_t>(cost.category), cost.currency},
             cost.transaction_date,
             cost.amount});
}

void book(MutableRows& rows, const OverheadRecorded& e) {
  const auto& cost = e.details.cost;
  put(rows, {{e.id.uuid},
             e.where.farm_id,
             e.where.farm_id.uuid,
             {Book::kOverheads, static_cast<std::uint8_t>(cost.category), cost.currency},
             cost.transaction_date,
             cost.amount});
}

void book(MutableRows& rows, const SaleRecorded& e) {
  put(rows, {{e.id.uuid},
             e.where.farm_id,
             e.where.crop_id.uuid,
             {Book::kRevenue, 0, e.details.currency},
             e.details.sale_date,
             e.total_amount});
}

template <class Entry>
void remove(MutableRows& rows, const EntryRemoved<Entry>& e) {
  const auto booking = rows.find(Id<Booking>{e.id.uuid});
  if (!booking) return;
  rows.erase(*booking);
  add_to_sums(rows, *booking, Sign::kMinus);
}

void book(MutableRows& rows, const ExpenseRemoved& e) { remove(rows, e); }
void book(MutableRows& rows, const OverheadRemoved& e) { remove(rows, e); }
void book(MutableRows& rows, const SaleRemoved& e) { remove(rows, e); }

void book(MutableRows& rows, const ExchangeRatesImported& e) {
  evolve(rows, e);
  note_changes(rows, e);
}

template <class E>
concept Booked = requires(MutableRows& rows, const E& e) {
  book(rows, e);
};

}  // namespace

void unbook(MutableRows& rows, const Id<Booking>& id) {
  const auto booking = rows.find(id);
  if (booking && rows.find(booked(booking->farm_id))) add_to_sums(rows, *booking, Sign::kMinus);
}

void evolve_finance(MutableRows& rows, const Event& event) {
  std::visit(
      [&]<class E>(const E& e) {
        if constexpr (Booked<E>) book(rows, e);
      },
      event);
}

EventTypes ignored_by_finance() {
  return types_of_events([]<class E>() { return !Booked<E>; });
}

}  // namespace tilth
