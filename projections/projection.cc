#include "projections/projection.h"

#define XXH_INLINE_ALL
#include <cstdio>

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

}  // namespace

Projection registry() {
  return {
      "registry",
      fingerprint(3, shape_of<Farm>() + shape_of<Field>() + shape_of<Crop>() + shape_of<Block>() +
                         shape_of<Plant>() + shape_of<AdminCrop>() + shape_of<Variety>() +
                         shape_of<UserCrop>() + shape_of<Task>() + shape_of<TaskTemplate>() +
                         shape_of<RecurringTask>() + shape_of<RulesToVisit>() +
                         shape_of<Irrigation>() + shape_of<Fertigation>() + shape_of<SoilSample>() +
                         shape_of<LeafSample>() + shape_of<Expense>() + shape_of<Overhead>() +
                         shape_of<Sale>() + shape_of<PriceReport>() + Shape::of<ExchangeRate>()),
      is_land, evolve_registry, age};
}

Projection finance() {
  return {"finance",
          fingerprint(1, shape_of<BookedFarm>() + shape_of<BookedField>() + shape_of<BookedCrop>() +
                             shape_of<Booking>() + Shape::of<ExchangeRate>() +
                             Shape::of<RateChanges>()),
          is_land, evolve_finance};
}

Projection access() {
  return {"access",
          fingerprint(3, shape_of<User>() + shape_of<KnownIdentity>() + shape_of<ApiKey>() +
                             shape_of<AiUse>()),
          [](std::string_view stream) { return stream == kAccessStream; }, evolve_access};
}

}  // namespace tilth
