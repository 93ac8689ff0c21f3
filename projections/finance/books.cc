// Folds events into a farm's books: its bookings, and the sums over them.

#include "events/access/erasure.h"
#include "events/finance/expense.h"
#include "events/finance/overhead.h"
#include "events/finance/sale.h"
#include "projections/finance/booking.h"
#include "projections/finance/farm_sums.h"
#include "projections/fold/row_type.h"

namespace tilth {
namespace {

Id<BookedFarm> booked(const FarmId& id) { return {id.uuid}; }
Id<BookedField> booked(const FieldId& id) { return {id.uuid}; }
Id<BookedCrop> booked(const CropId& id) { return {id.uuid}; }

void book(MutableRows& rows, const FarmRegistered& e) {
  rows.put(BookedFarm{booked(e.id), e.details.currency, e.details.country});
}

void book(MutableRows& rows, const FarmAmended& e) {
  auto farm = rows.find(booked(e.id));
  if (!farm) return;
  e.changes.currency.apply(farm->currency);
  e.changes.country.apply(farm->country);
  rows.put(*farm);
}

void book(MutableRows& rows, const FarmRemoved& e) { remove(rows, booked(e.id)); }

void book(MutableRows& rows, const RecordsErased&) { remove_all<BookedFarm>(rows); }

void book(MutableRows& rows, const FieldRegistered& e) {
  rows.put(BookedField{booked(e.id), e.where.farm_id});
}

void book(MutableRows& rows, const FieldRemoved& e) { remove(rows, booked(e.id)); }

void book(MutableRows& rows, const CropRegistered& e) {
  rows.put(BookedCrop{booked(e.id), e.where.field_id});
}

void book(MutableRows& rows, const CropRemoved& e) { remove(rows, booked(e.id)); }

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
void unbook(MutableRows& rows, const Removed<Entry>& e) {
  const auto booking = rows.find(Id<Booking>{e.id.uuid});
  if (!booking) return;
  rows.erase(*booking);
  add_to_sums(rows, *booking, Sign::kMinus);
}

void book(MutableRows& rows, const ExpenseRemoved& e) { unbook(rows, e); }
void book(MutableRows& rows, const OverheadRemoved& e) { unbook(rows, e); }
void book(MutableRows& rows, const SaleRemoved& e) { unbook(rows, e); }

// A removed farm no longer has sums.
void unbook(MutableRows& rows, const Uuid& id) {
  const auto booking = rows.find(Id<Booking>{id});
  if (booking && rows.find(booked(booking->farm_id))) add_to_sums(rows, *booking, Sign::kMinus);
}

}  // namespace

ResourceRows books_rows() {
  auto farm = row_type<BookedFarm>();
  farm.own_keys = FarmSums::prefix;
  auto entry = row_type<Booking>();
  entry.before_cascade = unbook;
  return {.rows = {farm, row_type<BookedField>(), row_type<BookedCrop>(), entry},
          .handlers =
              handling<FarmRegistered, FarmAmended, FarmRemoved, RecordsErased, FieldRegistered,
                       FieldRemoved, CropRegistered, CropRemoved, ExpenseRecorded, ExpenseRemoved,
                       OverheadRecorded, OverheadRemoved, SaleRecorded, SaleRemoved>(
                  [](MutableRows& rows, const auto& e) { book(rows, e); })};
}

}  // namespace tilth
