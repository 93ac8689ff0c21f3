#include "api/tables/record_table.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "api/tables/member_columns.h"
#include "projections/access/user.h"
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

namespace tilth {
namespace {

using enum Derivation::Kind;

// What a record can belong to, and the member that names it.
struct Link {
  std::string_view id, rows, member, name, meaning;
};
constexpr auto kNames = std::to_array<Link>({
    {"farmId", "farm", "name", "farmName", "The farm's name."},
    {"farmId", "farm", "country", "country", "The farm's country."},
    {"fieldId", "field", "name", "fieldName", "The field's name."},
    {"blockId", "block", "name", "blockName", "The block's name."},
    {"cropId", "crop", "cropType", "cropType", "What the crop is, by name."},
    {"adminCropId", "admin_crop", "name", "adminCropName", "The library's name of the crop."},
    {"varietyId", "variety", "varietyName", "varietyName", "The library's name of the variety."},
    {"templateId", "task_template", "name", "templateName", "The template's name."},
});
// What follows from one of these: the block of a plant says what farm it is on.
constexpr auto kIds = std::to_array<Link>({
    {"blockId", "block", "cropId", "cropId", "The crop of the block."},
    {"blockId", "block", "fieldId", "fieldId", "The field of the block."},
    {"blockId", "block", "farmId", "farmId", "The farm of the block."},
    {"cropId", "crop", "fieldId", "fieldId", "The field of the crop."},
    {"cropId", "crop", "farmId", "farmId", "The farm of the crop."},
});

std::string with_capital(std::string_view text) {
  std::string capital(text);
  if (capital[0] >= 'a' && capital[0] <= 'z') {
    capital[0] = static_cast<char>(capital[0] - 'a' + 'A');
  }
  return capital;
}

class TableBuilder {
 public:
  explicit TableBuilder(RecordTable& table) : table_(table) {}

  void build(const TypeForm& form) {
    columns().push_back(
        {"owner", ColumnType::kText, "Whose record it is: a user's id; null: everybody's."});
    for (auto& column : member_columns(form).columns) columns().push_back(std::move(column));
    if (table_.rows == PriceReport::kTable) {
      columns().push_back({std::string(kBushelColumn), ColumnType::kDecimal,
                           "The weight of a bushel of the crop; null: it is not sold by bushels."});
    }
    table_.members = columns().size() - 1;
    add_links();
    add_areas();
    add_quantities();
    add_money();
    for (auto& column : columns()) {
      if (column.unit.empty()) column.unit = unit_of(column.name, columns());
    }
    columns().push_back({"removedAt", ColumnType::kTimestamp,
                         "When it was removed, by itself or with what it belonged to; null: it is "
                         "there. The other columns have its values of that time."});
  }

 private:
  std::vector<TableColumn>& columns() { return table_.table.columns; }
  std::optional<std::size_t> find(std::string_view name) const { return table_.table.find(name); }

  void add(TableColumn column, Derivation derivation) {
    columns().push_back(std::move(column));
    table_.derivations.push_back(derivation);
  }

  void add_linked(const Link& link, std::string name, ColumnType type) {
    add({std::move(name), type, std::string(link.meaning)},
        {.kind = kLinked, .from = *find(link.id), .rows = link.rows, .member = link.member});
  }

  void add_links() {
    for (const auto& link : kIds) {
      if (find(link.id) && !find(link.name)) {
        add_linked(link, std::string(link.name), ColumnType::kUuid);
      }
    }
    for (const auto& link : kNames) {
      if (!find(link.id)) continue;
      // A task's own fieldName is what its creator typed.
      auto name = find(link.name) ? "linked" + with_capital(link.name) : std::string(link.name);
      add_linked(link, std::move(name), ColumnType::kText);
    }
  }

  void add_converted(std::string name, std::string meaning, std::string unit,
                     const Derivation& derivation) {
    add({std::move(name), ColumnType::kDecimal, std::move(meaning), std::move(unit), true},
        derivation);
  }

  void add_areas() {
    const auto area = find("totalArea") ? find("totalArea") : find("area");
    if (!area) return;
    if (!find("areaUnit")) {
      add_linked({"farmId", "farm", "areaUnit", {}, "The unit of the farm's areas."}, "areaUnit",
                 ColumnType::kText);
    }
    add_converted("areaHectares", "The area in hectares.", "ha",
                  {.kind = kHectares, .from = *area, .unit = *find("areaUnit")});
  }

  void add_quantities() {
    using Value = std::pair<std::string_view, std::string_view>;  // and its unit
    for (const auto& [value, unit] : {Value("expectedYield", "yieldUnit"),
                                      {"actualYield", "yieldUnit"},
                                      {"quantity", "unit"},
                                      {"amount", "unit"}}) {
      if (!find(value) || !find(unit)) continue;
      add_converted(std::string(value) + "Kilograms",
                    "The same in kilograms; null: it is no weight, or not known.", "kg",
                    {.kind = kKilograms,
                     .from = *find(value),
                     .unit = *find(unit),
                     .bushel = find(kBushelColumn).value_or(0)});
    }
    if (find("waterVolume") && find("volumeUnit")) {
      add_converted(
          "waterVolumeCubicMeters", "The same in cubic meters.", "m³",
          {.kind = kCubicMeters, .from = *find("waterVolume"), .unit = *find("volumeUnit")});
    }
  }

  void add_money() {
    if (!find("currency")) return;
    std::optional<std::size_t> day;
    for (const auto* each : {"transactionDate", "saleDate", "observedOn"}) {
      if (!day) day = find(each);
    }
    if (!day) return;
    Derivation money{.currency = *find("currency"), .day = *day};
    for (const auto* value : {"amount", "totalAmount"}) {
      if (!find(value)) continue;
      money.kind = kDollars;
      money.from = *find(value);
      add_converted(
          std::string(value) + "Usd",
          "The same in US dollars, by the service's rate of the day; null: there is none.", "USD",
          money);
    }
    for (const auto* value : {"pricePerUnit", "price"}) {
      if (!find(value)) continue;
      money.kind = kDollarsPerKilogram;
      money.from = *find(value);
      money.unit = *find("unit");
      money.bushel = find(kBushelColumn).value_or(0);
      add_converted("pricePerKilogramUsd",
                    "The price of a kilogram in US dollars, by the service's rate of the day; "
                    "null: there is none.",
                    "USD/kg", money);
    }
  }

  RecordTable& table_;
};

// "user_crop" has the table user_crops.
std::string plural(std::string_view name) {
  std::string many(name);
  if (many.ends_with("ty")) return many.replace(many.size() - 1, 1, "ies");  // varieties
  return many + "s";
}

template <class Row>
auto shown_row(const Row& row) {
  if constexpr (requires { row.shown(); }) {
    return row.shown();
  } else {
    return row;
  }
}

template <class Row>
RecordTable table_of(std::string_view meaning) {
  RecordTable table{.rows = Row::kTable,
                    .table = {plural(Row::kTable), std::string(meaning), {}},
                    .derivations = {},
                    .json = [](std::string_view bytes, Timestamp now) {
                      return render_json(RowCodec<Row>::decode(bytes), now);
                    }};
  TableBuilder(table).build(kTypeForm<decltype(shown_row(std::declval<Row>()))>);
  return table;
}

std::vector<RecordTable> all_record_tables() {
  return {
      table_of<Farm>("The farms."),
      table_of<Field>("The fields of farms."),
      table_of<Block>("The blocks of fields, on each of which one crop grows."),
      table_of<Plant>("The plants that are registered one by one."),
      table_of<Crop>("The crops: one row for each planting of one kind on one field."),
      table_of<Task>("The tasks, with those that recurring rules created."),
      table_of<TaskTemplate>("The templates of tasks."),
      table_of<RecurringTask>("The rules that create tasks."),
      table_of<Irrigation>("The irrigations of fields."),
      table_of<Fertigation>("The fertigations of blocks."),
      table_of<SoilSample>("The soil samples."),
      table_of<LeafSample>("The leaf samples."),
      table_of<Expense>("What was spent on crops, fields and farms."),
      table_of<Overhead>("What was spent on farms as a whole."),
      table_of<Sale>("What was sold of crops."),
      table_of<PriceReport>("Prices that owners saw others pay."),
      table_of<UserCrop>("The crops of the library that owners have chosen."),
      table_of<Webhook>("Where owners have events sent."),
      table_of<AdminCrop>("The crops of the library."),
      table_of<Variety>("The varieties of the library's crops."),
      table_of<User>("The users, without what they prove themselves with."),
      table_of<ApiKey>("The API keys, without what they are checked by."),
  };
}

}  // namespace

std::span<const RecordTable> record_tables() {
  static const auto kTables = all_record_tables();
  return kTables;
}

const RecordTable* find_record_table(std::string_view rows) {
  const auto tables = record_tables();
  const auto found = std::find_if(tables.begin(), tables.end(),
                                  [&](const auto& each) { return each.rows == rows; });
  return found == tables.end() ? nullptr : &*found;
}

}  // namespace tilth
