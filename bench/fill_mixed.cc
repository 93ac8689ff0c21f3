// Fills a data directory with the mixed, interleaved history of many owners: plants, field work,
// expenses, tasks and removals.
//
// Usage: bench_fill_mixed DIRECTORY EVENTS [BROKERS]
//                                            fills DIRECTORY, which must not exist, with about that
//                                            many, folds them, and prints their owners; with
//                                            BROKERS the log is on Kafka, and only the registry is
//                                            folded
//        bench_fill_mixed DIRECTORY [pages]  folds its log into the registry again, in bulk or
//                                            page by page, and discards the result
//        bench_fill_mixed                    prints the shape of the rows
// Prints one JSON object.

#include <filesystem>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <sys/resource.h>

#include "bench/history.h"
#include "events/finance/expense.h"
#include "events/land/plant.h"
#include "events/operations/irrigation.h"
#include "events/work/task.h"
#include "infra/kafka/kafka_event_log.h"

namespace {

using namespace tilth;
using namespace tilth::bench;

constexpr std::size_t kOwners = 500, kWithKeys = 16;
constexpr std::size_t kInTurn = 100;  // consecutive events of one owner

struct Owner {
  std::string user;
  FarmId farm;
  FieldId field;
  CropId crop;
  BlockId block;
  std::vector<PlantId> plants = {};
  std::vector<TaskId> tasks = {};
  std::uint64_t version = 0;
  std::uint64_t done = 0;
};

void settle(History& history, const Owner& owner) {
  FarmDetails<Own> farm;
  farm.name = "Home", farm.total_area = Decimal(5'000);
  history.append(FarmRegistered{{owner.farm, {}, farm, history.now()}});
  FieldDetails<Own> field;
  field.name = "South", field.area = Decimal(4'000);
  history.append(FieldRegistered{owner.field, owner.farm, field, history.now()});
  CropDetails<Own> crop;
  crop.crop_type = "Olive";
  history.append(CropRegistered{owner.crop, owner.farm, owner.field, crop, history.now()});
  BlockDetails<Own> block;
  block.crop_id = owner.crop, block.name = "All of it";
  history.append(BlockRegistered{owner.block, owner.farm, owner.field, block, history.now()});
}

Event planted(History& history, Owner& owner, std::uint64_t some) {
  PlantDetails<Own> details;
  details.label = "Tree " + std::to_string(some % 100'000);
  details.tag_id = "tag-" + std::to_string(owner.done);
  details.position = LatLng{40.0 + static_cast<double>(some % 1'000) / 1e4, 22.5};
  owner.plants.push_back({history.uuid()});
  return PlantRegistered{owner.plants.back(), owner.farm, owner.field,
                         owner.block,         details,    history.now()};
}

Event cleared(History& history, Owner& owner, std::uint64_t some) {
  const auto at = some % owner.plants.size();
  const auto gone = std::exchange(owner.plants[at], owner.plants.back());
  owner.plants.pop_back();
  return PlantRemoved{gone, history.now()};
}

Event watered(History& history, const Owner& owner, std::uint64_t some) {
  IrrigationRecorded watered;
  watered.id = {history.uuid()};
  watered.where = {owner.farm, owner.field};
  watered.details.started_at = history.now();
  watered.details.duration_minutes = 90;
  watered.details.water_volume = Decimal(static_cast<std::int64_t>(some % 90));
  watered.recorded_at = history.now();
  return watered;
}

Event paid(History& history, const Owner& owner, std::uint64_t some) {
  ExpenseRecorded paid;
  paid.id = {history.uuid()};
  paid.where = {owner.farm};
  paid.details.crop_id = owner.crop;
  paid.details.cost.amount = Decimal(static_cast<std::int64_t>(1 + some % 900));
  paid.details.cost.currency = {"EUR"};
  paid.details.cost.transaction_date = *Date::parse("2026-03-01");
  paid.recorded_at = history.now();
  return paid;
}

Event ordered(History& history, Owner& owner, std::uint64_t some) {
  TaskCreated task{{{history.uuid()}, {owner.farm}, {}, history.now()}};
  task.created_by = owner.user;
  task.details.title = "Row " + std::to_string(some % 10'000);
  task.details.due_date = Timestamp::parse("2080-01-01");
  owner.tasks.push_back(task.id);
  return task;
}

// Of twenty events, six register a plant, six amend one and one removes one; three are irrigations,
// two are expenses, one creates a task and one completes it.
Event next(History& history, Owner& owner) {
  const auto some = owner.done * 2'654'435'761U;
  switch (owner.done++ % 20) {
    case 0:
    case 3:
    case 6:
    case 9:
    case 12:
    case 15:
      return planted(history, owner, some);
    case 2:
    case 8:
    case 14:
      return watered(history, owner, some);
    case 5:
    case 11:
      return paid(history, owner, some);
    case 17:
      return ordered(history, owner, some);
    case 18:
      return cleared(history, owner, some);
    case 19:
      return TaskCompleted{.task_id = owner.tasks.back(),
                           .completed_date = history.now(),
                           .amended_at = history.now()};
    default: {
      PlantAmended amended{owner.plants[some % owner.plants.size()], {}, history.now()};
      amended.changes.status.to = static_cast<PlantStatus>(some % 5);
      return amended;
    }
  }
}

Owner owner_with_ids(const std::string& user, const History& history) {
  return {user, {history.uuid()}, {history.uuid()}, {history.uuid()}, {history.uuid()}};
}

std::unique_ptr<EventLog> open_log(const std::filesystem::path& path, const char* brokers) {
  if (brokers == nullptr) return must(EmbeddedEventLog::open(path / "log"));
  return must(KafkaEventLog::open({.brokers = {brokers}}));
}

void fill(const std::filesystem::path& path, std::uint64_t events, const char* brokers) {
  if (std::filesystem::exists(path)) throw std::runtime_error("DIRECTORY exists");
  const auto directory = must(DataDirectory::open(path));
  const auto log = open_log(path, brokers);
  History history(*log, "tilth://" + directory.node());
  std::vector<Owner> owners;
  std::string readers;
  std::uint64_t appended = 0;
  for (std::size_t i = 0; i < kOwners; ++i) {
    if (i >= kWithKeys) {
      owners.push_back(owner_with_ids(history.ids().nanoid("user_"), history));
      continue;
    }
    const auto [user, key] = history.add_user(directory.key_secret(), appended);
    appended = history.version();
    owners.push_back(owner_with_ids(user, history));
    const auto& owner = owners.back();
    readers += (readers.empty() ? "" : ",") + std::string("{\"key\":\"") + key + "\",\"farm\":\"" +
               owner.farm.text() + "\",\"field\":\"" + owner.field.text() + "\",\"block\":\"" +
               owner.block.text() + "\"}";
  }
  for (std::size_t turn = 0; appended < events; ++turn) {
    auto& owner = owners[turn % kOwners];
    history.begin(owner.user, owner.version);
    if (owner.version == 0) settle(history, owner);
    for (std::size_t i = 0; i < kInTurn; ++i) history.append(next(history, owner));
    appended += history.version() - owner.version;
    owner.version = history.version();
  }
  history.finish();
  if (brokers == nullptr) {
    fold(*log, path / "views", access(), appended);
    fold(*log, path / "views", market(), appended);
    fold_in_bulk(*log, path / "views", finance());
  }
  const auto rate = fold_in_bulk(*log, path / "views", registry());
  std::cout << "{\"events\":" << appended << ",\"foldedPerSecond\":" << rate << ",\"readers\":["
            << readers << "]}" << std::endl;
}

void fold_again(const std::filesystem::path& path, bool by_pages) {
  const auto log = must(EmbeddedEventLog::open(path / "log"));
  const auto views = path / "folded-again";
  std::filesystem::remove_all(views);
  const auto rate =
      by_pages ? fold(*log, views, registry(), static_cast<std::uint64_t>(must(end_of(*log, 0))))
               : fold_in_bulk(*log, views, registry());
  std::filesystem::remove_all(views);
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  std::cout << "{\"foldedPerSecond\":" << rate
            << ",\"cpuSeconds\":" << used.ru_utime.tv_sec + used.ru_stime.tv_sec
            << ",\"mostMegabytes\":" << used.ru_maxrss / 1024 << "}" << std::endl;
}

}  // namespace

int main(int count, char** arguments) try {
  const std::string second = count > 2 ? arguments[2] : "";
  if (count == 1) {
    std::cout << "{\"shape\":\"" << registry().fingerprint << "+" << access().fingerprint << "+"
              << finance().fingerprint << "+" << market().fingerprint << "\"}" << std::endl;
  } else if (count == 2 || second == "pages") {
    fold_again(arguments[1], second == "pages");
  } else {
    fill(arguments[1], std::stoull(second), count > 3 ? arguments[3] : nullptr);
  }
} catch (const std::exception& error) {
  std::cerr << "bench_fill_mixed: " << error.what() << '\n';
  return 1;
}
