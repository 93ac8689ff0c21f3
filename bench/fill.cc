// Fills a data directory with the history of one owner with much land, and folds it. This takes a
// minute instead of hours over HTTP, through the same log and the same projections.
//
// Usage: bench_fill DIRECTORY PLANTS CROPS TASKS MONEY
//                                      fills DIRECTORY, which must not exist, folds it, and prints
//                                      its owner and their key
//        bench_fill DIRECTORY EVENTS   folds that many events of its log into separate rows, and
//                                      discards them
//        bench_fill                    prints the shape of the rows
// Prints one JSON object.

#include <array>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/history.h"
#include "events/finance/exchange_rate.h"
#include "events/finance/expense.h"
#include "events/finance/overhead.h"
#include "events/finance/sale.h"
#include "events/land/plant.h"
#include "events/library/admin_crop.h"
#include "events/work/task.h"

namespace {

using namespace tilth;
using namespace tilth::bench;

CropDetails<Own> crop(std::uint64_t number) {
  constexpr std::array kTypes = {"Olive", "Vine", "Wheat", "Almond", "Tomato"};
  CropDetails<Own> details;
  details.crop_type = kTypes.at(number % kTypes.size());
  details.planting_date = Date::parse("2026-03-01");
  details.planting_date->day += std::chrono::days(number % 90);
  details.status = static_cast<CropStatus>(number % 5);
  return details;
}

std::string scattered(std::uint64_t number) {
  return std::to_string(number * 2'654'435'761U % 4'294'967'296U);
}

PlantDetails<Own> plant(std::uint64_t number) {
  PlantDetails<Own> details;
  details.label = "Tree " + scattered(number);
  details.tag_id = "tag-" + std::to_string(number);
  details.position = LatLng{40.0 + static_cast<double>(number % 1'000) / 1e4, 22.5};
  details.status = static_cast<PlantStatus>(number % 5);
  return details;
}

// Half of the tasks were due long ago, the others are due far in the future.
TaskDetails<Own> task(std::uint64_t number) {
  constexpr std::array kStatuses = {TaskStatus::kPending, TaskStatus::kPending,
                                    TaskStatus::kInProgress, TaskStatus::kCompleted,
                                    TaskStatus::kCancelled};
  TaskDetails<Own> details;
  details.title = "Row " + scattered(number);
  details.status = kStatuses.at(number / 2 % kStatuses.size());
  details.priority = static_cast<TaskPriority>(number % 4);
  details.category = static_cast<TaskCategory>(number % 10);
  details.due_date = Timestamp::parse(number % 2 == 0 ? "2020-01-01" : "2080-01-01");
  details.due_date->at += std::chrono::seconds(number * 7'919 % 100'000'000);
  details.assigned_to = "Hand " + std::to_string(number % 20);
  return details;
}

// Ten years; every day has an entry if there are enough of them.
constexpr std::chrono::sys_days kFirstDay = std::chrono::year(2016) / 1 / 1;
constexpr std::uint64_t kDays = 3'653;
constexpr std::array kCurrencies = {"EUR", "USD", "GBP", "JPY"};

// One event per year.
std::vector<ExchangeRatesImported> rates(Timestamp now) {
  constexpr std::array<std::int64_t, 3> kUsual = {11'000, 8'700, 1'200'000};  // × 10^-4
  std::vector<ExchangeRatesImported> years;
  for (std::uint64_t i = 0; i < kDays; ++i) {
    const Date date{kFirstDay + std::chrono::days(i)};
    if (i % 365 == 0) years.push_back({"ECB", {}, 0, now});
    auto& day = years.back().days.emplace_back(PublishedDay{date, {}});
    for (std::size_t c = 0; c < kUsual.size(); ++c) {
      const auto value = kUsual[c] + static_cast<std::int64_t>((i * 7'919 + c) % 997);
      const auto fraction = std::to_string(10'000 + value % 10'000).substr(1);
      const auto text = std::to_string(value / 10'000) + "." + fraction;
      day.rates.push_back({{kCurrencies[c + 1]}, *Decimal::parse(text)});
    }
  }
  return years;
}

// An expense, an overhead or a sale. A few thousand cover every category and every currency.
Event money(std::uint64_t number, const IdSource& ids, const CropId& crop, const FarmId& farm,
            Timestamp now) {
  const Uuid id = ids.uuid(now);
  const Date day{kFirstDay + std::chrono::days(number % kDays)};
  const auto amount = *Decimal::parse(std::to_string(number % 9'973 + 1) + ".25");
  const Currency currency{kCurrencies[number / 3 % 4]};
  if (number % 3 == 0) {
    return SaleRecorded{
        {{id}, {crop, farm}, {amount, YieldUnit::kTon, Decimal(1), currency, day}, now}, amount};
  }
  if (number % 3 == 1) {
    const auto category = static_cast<OverheadCategory>(number / 12 % 10);
    return OverheadRecorded{{{id}, {farm}, {{amount, currency, category, day}}, now}};
  }
  const auto category = static_cast<ExpenseCategory>(number / 12 % 13);
  return ExpenseRecorded{{{id}, {farm}, {{}, {}, {amount, currency, category, day}}, now}};
}

void fill(const std::filesystem::path& path, std::uint64_t plants, std::uint64_t crops,
          std::uint64_t tasks, std::uint64_t moneys) {
  if (std::filesystem::exists(path)) throw std::runtime_error("DIRECTORY exists");
  const auto directory = must(DataDirectory::open(path));
  const auto log = must(EmbeddedEventLog::open(path / "log"));
  History history(*log, "tilth://" + directory.node());
  const auto [user, key] = history.add_user(directory.key_secret());
  history.begin(std::string(kReferenceStream));
  const auto all_rates = moneys > 0 ? rates(history.now()) : std::vector<ExchangeRatesImported>{};
  for (const auto& year : all_rates) history.append(year);
  history.begin(user);
  const FarmId farm{history.uuid()};
  const FieldId field{history.uuid()};
  const CropId first_crop{history.uuid()};
  const BlockId block{history.uuid()};
  FarmDetails<Own> farm_details;
  farm_details.name = "The large one", farm_details.currency = {"USD"},
  farm_details.total_area = Decimal(5'000);
  history.append(FarmRegistered{{farm, {}, farm_details, history.now()}});
  FieldDetails<Own> field_details;
  field_details.name = "South", field_details.area = Decimal(4'000);
  history.append(FieldRegistered{field, farm, field_details, history.now()});
  history.append(CropRegistered{first_crop, farm, field, crop(0), history.now()});
  BlockDetails<Own> block_details;
  block_details.crop_id = first_crop, block_details.name = "All of it";
  history.append(BlockRegistered{block, farm, field, block_details, history.now()});
  for (std::uint64_t i = 1; i < crops; ++i) {
    history.append(CropRegistered{{{history.uuid()}, {farm, field}, crop(i), history.now()}});
  }
  for (std::uint64_t i = 0; i < plants; ++i) {
    history.append(
        PlantRegistered{{{history.uuid()}, {farm, field, block}, plant(i), history.now()}});
  }
  const FarmId second_farm{history.uuid()};
  farm_details.name = "The other one";
  history.append(FarmRegistered{{second_farm, {}, farm_details, history.now()}});
  for (std::uint64_t i = 0; i < tasks; ++i) {
    TaskCreated event{
        {{history.uuid()}, {i / 10 % 2 == 0 ? farm : second_farm}, task(i), history.now()}};
    event.created_by = user;
    history.append(event);
  }
  for (std::uint64_t i = 0; i < moneys; ++i) {
    history.append(money(i, history.ids(), first_crop, farm, history.now()));
  }
  history.finish();
  const auto events = 6 + crops + plants + tasks + moneys + all_rates.size();
  fold(*log, path / "views", access(), events);
  fold(*log, path / "views", finance(), events);
  const auto rate = fold(*log, path / "views", registry(), events);
  std::cout << "{\"owner\":\"" << user << "\",\"key\":\"" << key << "\",\"farm\":\"" << farm.text()
            << "\",\"field\":\"" << field.text() << "\",\"block\":\"" << block.text()
            << "\",\"events\":" << events << ",\"foldedPerSecond\":" << rate << "}" << std::endl;
}

void fold_again(const std::filesystem::path& path, std::uint64_t events) {
  const auto log = must(EmbeddedEventLog::open(path / "log"));
  const auto views = path / "folded-again";
  const auto rate = fold(*log, views, registry(), events);
  std::filesystem::remove_all(views);
  std::cout << "{\"foldedPerSecond\":" << rate << "}" << std::endl;
}

}  // namespace

int main(int count, char** arguments) try {
  if (count == 6) {
    fill(arguments[1], std::stoull(arguments[2]), std::stoull(arguments[3]),
         std::stoull(arguments[4]), std::stoull(arguments[5]));
  } else if (count == 3) {
    fold_again(arguments[1], std::stoull(arguments[2]));
  } else {
    std::cout << "{\"shape\":\"" << registry().fingerprint << "+" << access().fingerprint << "+"
              << finance().fingerprint << "\"}" << std::endl;
  }
} catch (const std::exception& error) {
  std::cerr << "bench_fill: " << error.what() << '\n';
  return 1;
}
