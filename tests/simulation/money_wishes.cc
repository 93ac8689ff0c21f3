#include "tests/simulation/money_wishes.h"

#include <algorithm>
#include <utility>

#include "command/finance/cost.h"
#include "command/finance/sale.h"
#include "command/market/price_report.h"

namespace tilth::testing {
namespace {

using Known = KnownRecords;

// Often none: then it is that of the farm.
Currency a_currency_or_none(const Chooser& chooser) {
  return chooser.once_in(2) ? Currency() : chooser.currency();
}

// As many as an offer counts for have passed since, or nearly so, or it has not come yet.
Date a_day_of_trade(const Chooser& chooser) {
  // Some is of a day whose rates are those of the year before.
  if (chooser.once_in(chooser.trades() ? 4 : 12)) return chooser.day(-40);
  return chooser.day(chooser.any({0, 0, 1, -1, -364, -365}));
}

template <class Category>
Cost<Category> a_cost(const Chooser& chooser) {
  return {.amount = chooser.number(),
          .currency = a_currency_or_none(chooser),
          .category = static_cast<Category>(chooser.world().below(2)),
          .transaction_date = a_day_of_trade(chooser)};
}

}  // namespace

Wish a_new_cost(const Chooser& chooser) {
  if (chooser.once_in(3)) {
    OverheadDetails overhead{.cost = a_cost<OverheadCategory>(chooser)};
    return wish_for(Create<Overhead>{{chooser.one_of(&Known::farms)}, std::move(overhead)});
  }
  ExpenseDetails expense{.cost = a_cost<ExpenseCategory>(chooser)};
  const auto field = chooser.one_of(&Known::fields);
  if (chooser.once_in(2)) {
    expense.field_id = field.field_id;
  } else if (!chooser.known().crops.empty() && chooser.once_in(2)) {
    expense.crop_id = chooser.one_of(&Known::crops).id;
  }
  return wish_for(Create<Expense>{{field.farm_id}, std::move(expense)});
}

Wish a_new_sale(const Chooser& chooser) {
  SaleDetails sale;
  sale.quantity = chooser.number();
  sale.unit = chooser.any({YieldUnit::kKilogram, YieldUnit::kTon});
  sale.price_per_unit = chooser.number();
  sale.currency = a_currency_or_none(chooser);
  sale.sale_date = a_day_of_trade(chooser);
  return wish_for(Create<Sale>{{chooser.one_of(&Known::crops).id}, std::move(sale)});
}

Wish a_new_price_report(const Chooser& chooser) {
  PriceReportDetails price;
  price.crop_name = chooser.crop_name();
  price.price = chooser.number();
  price.unit = chooser.any({PriceUnit::kPerKilogram, PriceUnit::kPerTon, PriceUnit::kPerBushel});
  if (chooser.once_in(2)) price.quantity = chooser.number();
  price.currency = a_currency_or_none(chooser);
  price.observed_on = std::min(a_day_of_trade(chooser), chooser.today());
  return wish_for(CreatePriceReport{{}, chooser.one_of(&Known::farms), std::move(price)});
}

Wish removed_money(const Chooser& chooser) {
  RemovalOfOne removal(chooser);
  removal.offer<Sale>(&Known::sales);
  removal.offer<Expense>(&Known::expenses);
  removal.offer<Overhead>(&Known::overheads);
  removal.offer<PriceReport>(&Known::price_reports);
  const auto wish = removal.wish();
  return wish ? *wish : a_new_sale(chooser);
}

}  // namespace tilth::testing
