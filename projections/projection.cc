#include "projections/projection.h"

#define XXH_INLINE_ALL
#include <cstdio>

#include <unicode/uvernum.h>
#include <xxhash.h>

#include "events/shape.h"
#include "projections/access.h"
#include "projections/admin_crop.h"
#include "projections/aging.h"
#include "projections/ai_request.h"
#include "projections/booking.h"
#include "projections/exchange_rate.h"
#include "projections/expense.h"
#include "projections/fertigation.h"
#include "projections/irrigation.h"
#include "projections/leaf_sample.h"
#include "projections/market.h"
#include "projections/offer.h"
#include "projections/overhead.h"
#include "projections/plant.h"
#include "projections/price_report.h"
#include "projections/rate_changes.h"
#include "projections/recurring_task.h"
#include "projections/registry.h"
#include "projections/sale.h"
#include "projections/soil_sample.h"
#include "projections/task.h"
#include "projections/task_template.h"
#include "projections/user.h"
#include "projections/user_crop.h"

namespace tilth {
namespace {

template <class Row>
std::string shape_of() {
  std::string text = std::string(Row::kTable) + Shape::of<Row>();
  for (const auto sort : Row::kSorts) text.append("|").append(sort);
  for (const auto filter : Row::kFilters) text.append("?").append(filter);
  return text;
}

// `way` is raised by hand when rows of the same shape are folded in another way.
std::string fingerprint(int way, const std::string& shapes) {
  char text[40];
  std::snprintf(text, sizeof text, "%d-%016llx", way,
                static_cast<unsigned long long>(XXH3_64bits(shapes.data(), shapes.size())));
  return text;
}

// Of an owner, or what all of them read.
bool is_land(std::string_view stream) {
  return stream.starts_with("user_") || stream == kReferenceStream;
}

// Whoever asks waits until what was changed before is there, so that this delays nobody.
constexpr std::chrono::milliseconds kGathers{2};

}  // namespace

Projection registry() {
  return {.name = "registry",
          .fingerprint = fingerprint(
              3, shape_of<Farm>() + shape_of<Field>() + shape_of<Crop>() + shape_of<Block>() +
                     shape_of<Plant>() + shape_of<AdminCrop>() + shape_of<Variety>() +
                     shape_of<UserCrop>() + shape_of<Task>() + shape_of<TaskTemplate>() +
                     shape_of<RecurringTask>() + shape_of<RulesToVisit>() + shape_of<Irrigation>() +
                     shape_of<Fertigation>() + shape_of<SoilSample>() + shape_of<LeafSample>() +
                     shape_of<Expense>() + shape_of<Overhead>() + shape_of<Sale>() +
                     shape_of<PriceReport>() + Shape::of<ExchangeRate>()),
          .follows = is_land,
          .evolve = evolve_registry,
          .age = age,
          .remembers = true};
}

Projection finance() {
  return {.name = "finance",
          .fingerprint = fingerprint(4, shape_of<BookedFarm>() + shape_of<BookedField>() +
                                            shape_of<BookedCrop>() + shape_of<Booking>() +
                                            Shape::of<ExchangeRate>() + Shape::of<RateChanges>()),
          .follows = is_land,
          .evolve = evolve_finance,
          .ignored = ignored_by_finance(),
          .gathers = kGathers};
}

// What a country's money is, and its smallest unit, is what ICU says.
Projection market() {
  return {.name = "market",
          .fingerprint =
              fingerprint(3, Shape::of<Offer>() + shape_of<AdminCrop>() + shape_of<Variety>() +
                                 Shape::of<ExchangeRate>() + U_ICU_VERSION),
          .follows = is_land,
          .evolve = evolve_market,
          .age = age_market,
          .of_all = kMarketStream,
          .ignored = ignored_by_market(),
          .gathers = kGathers};
}

Projection access() {
  return {.name = "access",
          .fingerprint = fingerprint(3, shape_of<User>() + shape_of<KnownIdentity>() +
                                            shape_of<ApiKey>() + shape_of<AiUse>()),
          .follows = [](std::string_view stream) { return stream == kAccessStream; },
          .evolve = evolve_access,
          .remembers = true,
          .gathers = kGathers};
}

}  // namespace tilth
