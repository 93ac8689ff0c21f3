#include "tests/simulation/row_kinds.h"

#include <map>

#include "projections/finance/expense.h"
#include "projections/finance/overhead.h"
#include "projections/finance/sale.h"
#include "projections/integrations/webhook.h"
#include "projections/land/plant.h"
#include "projections/library/admin_crop.h"
#include "projections/library/user_crop.h"
#include "projections/market/price_report.h"
#include "projections/operations/fertigation.h"
#include "projections/operations/irrigation.h"
#include "projections/operations/leaf_sample.h"
#include "projections/operations/soil_sample.h"
#include "projections/rows/rendered_row.h"
#include "projections/work/recurring_task.h"
#include "projections/work/task.h"

namespace tilth::testing {
namespace {

struct Functions {
  std::string (*stored)(std::string_view bytes);
  std::string (*shown)(std::string_view bytes, Timestamp at);
  std::vector<std::string> (*listed)(const Rows& rows, const Uuid& parent);
};

template <class Row>
std::pair<const std::string_view, Functions> functions_of() {
  constexpr std::uint64_t kAll = 10'000;
  return {Row::kTable,
          {.stored = [](std::string_view bytes) -> std::string {
             return JsonWriter::text(RowCodec<Row>::decode(bytes));
           },
           .shown = [](std::string_view bytes, Timestamp at) -> std::string {
             return render_json(RowCodec<Row>::decode(bytes), at);
           },
           .listed =
               [](const Rows& rows, const Uuid& parent) {
                 std::vector<std::string> ids;
                 for (const auto& row : rows.list<Row>(parent, {.limit = kAll}).rows) {
                   ids.push_back(row.id.uuid.text());
                 }
                 return ids;
               }}};
}

template <class... Row>
std::map<std::string_view, Functions> functions_of_all() {
  return {functions_of<Row>()...};
}

const Functions* find(std::string_view table) {
  static const auto kAll =
      functions_of_all<Farm, Field, Crop, Block, Plant, Irrigation, Fertigation, SoilSample,
                       LeafSample, PriceReport, Overhead, Expense, Sale, Task, RecurringTask,
                       TaskTemplate, UserCrop, Webhook, AdminCrop, Variety>();
  const auto found = kAll.find(table);
  return found == kAll.end() ? nullptr : &found->second;
}

}  // namespace

std::string stored_json(const RowBytes& row) {
  const auto* functions = find(row.table);
  return functions == nullptr ? "" : functions->stored(row.bytes);
}

std::string shown_json(const RowBytes& row, Timestamp at) {
  const auto* functions = find(row.table);
  return functions == nullptr ? "" : functions->shown(row.bytes, at);
}

std::vector<std::string> listed(const Rows& rows, std::string_view table, const Uuid& parent) {
  return find(table)->listed(rows, parent);
}

}  // namespace tilth::testing
