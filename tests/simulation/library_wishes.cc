#include "tests/simulation/library_wishes.h"

#include <utility>

#include "command/finance/exchange_rate.h"
#include "command/library/admin_crop.h"
#include "command/library/user_crop.h"
#include "command/work/task_template.h"
#include "tests/simulation/work_wishes.h"

namespace tilth::testing {
namespace {

using Known = KnownRecords;

constexpr int kLongAgo = -400, kLastYear = -70;  // days

Figure a_figure(const Chooser& chooser) { return Figure(chooser.number()); }

YieldRangeDetails<Patch> a_yield(const Chooser& chooser) {
  YieldRangeDetails<Patch> range;
  range.typical.to = a_figure(chooser);
  return range;
}

DescribeVariety a_variety(const Chooser& chooser) {
  DescribeVariety variety;
  if (!chooser.known().varieties.empty() && chooser.once_in(3)) {
    variety.id = chooser.one_of(&Known::varieties);  // often of another crop
  }
  if (!variety.id || chooser.once_in(2)) variety.changes.variety_name.to = chooser.name();
  chooser.maybe_null(variety.changes.spacing_x, [&] { return a_figure(chooser); });
  chooser.maybe_null(variety.changes.days_to_maturity, [] { return 60; });
  chooser.maybe_null(variety.changes.yield_override, [&] { return a_yield(chooser); });
  return variety;
}

Wish a_described_crop(const Chooser& chooser) {
  DescribeCrop crop;
  if (!chooser.known().library.empty() && chooser.once_in(2)) {
    crop.id = chooser.one_of(&Known::library);
  }
  if (!crop.id || chooser.once_in(2)) crop.changes.name.to = chooser.name();
  crop.changes.is_verified.to = true;
  crop.changes.is_active.to = !chooser.once_in(3);
  chooser.maybe_null(crop.changes.days_to_maturity, [] { return 90; });
  chooser.maybe_null(crop.changes.spacing_x, [&] { return a_figure(chooser); });
  chooser.maybe_null(crop.changes.bushel_weight_kg, [&] { return a_figure(chooser); });
  chooser.maybe_null(crop.changes.soil_ph_min, [&] { return a_figure(chooser); });
  chooser.maybe_null(crop.changes.soil_ph_max, [&] { return a_figure(chooser); });
  chooser.maybe_null(crop.changes.yield_per_hectare, [&] { return a_yield(chooser); });
  if (chooser.grows() || chooser.once_in(3)) crop.varieties.push_back(a_variety(chooser));
  return wish_for(std::move(crop));
}

Wish imported_templates(const Chooser& chooser) {
  ImportTaskTemplates import;
  for (auto left = chooser.world().below(3); left-- > 0;) {
    auto& changes = import.templates.emplace_back();
    changes.name.to = chooser.name();
    if (!chooser.once_in(4)) changes.category.to = TaskCategory::kPlanting;
    changes.is_active.to = !chooser.once_in(3);
  }
  if (import.templates.size() == 2 && import.templates[0].name.to == import.templates[1].name.to) {
    import.templates.pop_back();  // a document with one name twice is refused before
  }
  return wish_for(std::move(import));
}

Wish imported_rates(const Chooser& chooser) {
  ImportExchangeRates import{.source = "ECB", .days = {}};
  // Those of one day that are late, or were wrong, count for what was sold since.
  const bool corrects = chooser.trades() && chooser.once_in(2);
  const int late = chooser.any({kLongAgo, kLastYear});
  // Days without rates are those of the day before, and what was sold long ago has rates, too.
  for (const int day : {kLongAgo, kLastYear, -3, -1, 0}) {
    if (corrects ? day != late : !chooser.once_in(2)) continue;
    auto& published = import.days.emplace_back(PublishedDay{chooser.day(day), {}});
    for (const auto* code : {"JPY", "USD"}) {
      if (chooser.once_in(3)) continue;
      published.rates.push_back({Currency::stored(code), chooser.number()});
    }
  }
  return wish_for(std::move(import));
}

}  // namespace

Wish about_a_shortlist(const Chooser& chooser) {
  if (!chooser.known().shortlist.empty() && chooser.once_in(4)) {
    return wish_to_remove<UserCrop>(chooser, {chooser.one_of(&Known::shortlist)});
  }
  CreateUserCrop entry;
  // Often one that other nodes may not know of yet.
  const auto& library = chooser.reference().library;
  entry.admin_crop_id = chooser.once_in(2) ? library.back() : chooser.one_of_all(&Known::library);
  if (chooser.once_in(2)) entry.farm_id = chooser.one_of(&Known::farms);
  return wish_for(std::move(entry));
}

Wish about_the_reference_data(const Chooser& chooser) {
  if (chooser.trades() && chooser.once_in(2)) return imported_rates(chooser);
  if (chooser.grows() && chooser.once_in(2)) return a_described_crop(chooser);
  switch (chooser.world().below(chooser.known().library.empty() ? 1 : 8)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return a_described_crop(chooser);
    case 4:
      return imported_rates(chooser);
    case 5:
      return imported_templates(chooser);
    case 6:
      return a_new_template(chooser);
    default:
      return chooser.known().templates.empty() ? a_new_template(chooser)
                                               : a_changed_template(chooser);
  }
}

}  // namespace tilth::testing
