#include "tests/simulation/shown_rows.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "events/log/event_record.h"
#include "projections/finance/expense.h"
#include "projections/finance/overhead.h"
#include "projections/finance/sale.h"
#include "projections/fold/cascade.h"
#include "projections/fold/row_list.h"
#include "projections/operations/fertigation.h"
#include "projections/operations/irrigation.h"
#include "projections/operations/leaf_sample.h"
#include "projections/operations/soil_sample.h"
#include "projections/rows/rendered_row.h"
#include "projections/rows/row_batch.h"
#include "projections/rows/stored_head.h"
#include "query/finance/cost.h"
#include "query/finance/financial_summary.h"
#include "query/land/block.h"
#include "query/land/crop.h"
#include "query/land/entries.h"
#include "query/land/farm.h"
#include "query/land/field.h"
#include "query/land/plant.h"
#include "query/market/price_report.h"
#include "query/work/recurring_task.h"
#include "query/work/task.h"
#include "query/work/task_template.h"

namespace tilth::testing {
namespace {

constexpr int kAskedOfSome = 6;
constexpr std::uint64_t kMostSorts = 12;  // divided by any number of sorts
constexpr std::string_view kNothingThere = "nothing";

using Question = ShownRows::Question;

template <class Row>
std::string described(const Row& row, Timestamp now) {
  return row.id.text() + " " + render_json(row, now);
}

// GET one record.
template <class Row, class Path>
std::shared_ptr<const Question> one_record(const Path& at) {
  Question question;
  question.about = std::string(Row::kTable) + " " + at.row_id().text();
  question.expect = [at](const Rows& rows, Timestamp now, const PageRequest&) {
    const auto row = find(rows, at);
    return row ? render_json(*row, now) : std::string(kNothingThere);
  };
  if constexpr (requires(const Rows& rows) { find_rendered(rows, at); }) {
    question.ask = [at](const Rows& rows, Timestamp, const PageRequest&) {
      const auto row = find_rendered(rows, at);
      return row ? row->json : std::string(kNothingThere);
    };
  } else {
    question.ask = question.expect;
  }
  return std::make_shared<const Question>(std::move(question));
}

// What a row is sorted by, said again: whether it is null, a number or else a text, and its id.
using PlainKey = std::tuple<bool, double, std::string, std::string>;

PlainKey plain_key(const std::string& rendered, std::string_view sort) {
  const auto row = *parse_json(rendered);
  const auto& value = *row.find(sort);
  const auto& id = row.find("id")->text;
  if (value.kind == Json::Kind::kNull) return {true, 0, "", id};
  if (sort == "area" || sort == "totalArea") return {false, std::stod(value.text), "", id};
  if (sort != "priority") return {false, 0, value.text, id};
  constexpr std::array<std::string_view, 4> kByUrgency{"low", "medium", "high", "urgent"};
  const auto* const at = std::ranges::find(kByUrgency, value.text);
  return {false, static_cast<double>(at - kByUrgency.begin()), "", id};
}

// docs/api.md, "Lists": nulls are last in either order, and equal values are in that of their ids.
bool comes_first(const PlainKey& a, const PlainKey& b, Order order) {
  const bool null = std::get<bool>(a);
  if (null != std::get<bool>(b)) return !null;
  return order == Order::kDescending ? a > b : a < b;
}

// GET a list, page by page. `fits`: whether a row belongs into it.
template <class Query, class Fits>
std::shared_ptr<const Question> whole_list(const std::string& about, const Query& query,
                                           Fits fits) {
  using Row = typename Query::Row;
  Question question;
  question.about = "the list of " + about;
  question.ask = [query](const Rows& rows, Timestamp now, const PageRequest& pages) {
    std::string text;
    auto page = pages;
    page.sort %= Row::kSorts.size();
    for (;; ++page.page) {
      const auto listed = run_query(rows, query, page);
      if (!listed) return std::string(kNothingThere);
      if (page.page == 1) text = std::to_string(listed->total);
      for (const auto& row : listed->rows) text += "\n" + described(row, now);
      if (page.page * page.limit >= listed->total) return text;
    }
  };
  question.expect = [query, fits](const Rows& rows, Timestamp now, const PageRequest& pages) {
    if (!find(rows, query.at)) return std::string(kNothingThere);
    const auto sort = Row::kSorts.at(pages.sort % Row::kSorts.size());
    std::vector<std::pair<PlainKey, std::string>> all;
    const auto prefix = rows.own_key('r') + std::string(Row::kTable) + '\0';
    const auto cursor = rows.cursor();
    for (cursor->seek(prefix); cursor->valid() && cursor->key().starts_with(prefix);
         cursor->next()) {
      const auto row = RowCodec<Row>::decode(cursor->value());
      if (!fits(row, now)) continue;
      const auto rendered = render_json(row, now);
      all.emplace_back(plain_key(rendered, sort), row.id.text() + " " + rendered);
    }
    std::ranges::sort(all, [&](const auto& a, const auto& b) {
      return comes_first(a.first, b.first, pages.order);
    });
    auto text = std::to_string(all.size());
    for (const auto& [key, row] : all) text += "\n" + row;
    return text;
  };
  return std::make_shared<const Question>(std::move(question));
}

// Without what is converted, which follows from the exchange rates of the moment, too.
std::string amounts(const FinancialSummary& summary) {
  std::string text(JsonWriter::text(summary.base_currency));
  for (const RevenueSummary* book : std::initializer_list<const RevenueSummary*>{
           &summary.revenue, &summary.expenses, &summary.overheads}) {
    text += ";";
    for (const auto& [currency, sum] : book->by_currency.members) {
      text += " " + currency + " " + sum.original;
    }
  }
  for (const auto* costs : {&summary.expenses, &summary.overheads}) {
    text += ";";
    for (const auto& [category, converted] : costs->by_category.members) text += " " + category;
  }
  return text;
}

std::shared_ptr<const Question> money_of(const FarmId& farm) {
  const SummarizeFinances query{.at = {farm}, .period = {}};
  Question question;
  question.about = "the sums of farm " + farm.text();
  question.expect = [query](const Rows& rows, Timestamp now, const PageRequest&) {
    const auto summary = run_query(rows, query, now);
    return summary ? amounts(*summary) : std::string(kNothingThere);
  };
  question.ask = question.expect;
  return std::make_shared<const Question>(std::move(question));
}

bool any(const auto&, Timestamp) { return true; }

// A day before the simulation begins, and the day on which it does.
const Period<Date> kTwoDays{Date{std::chrono::year(2026) / 2 / 28},
                            LastDate{Date{std::chrono::year(2026) / 3 / 1}}};

bool is_within(const Date& day) { return *kTwoDays.from <= day && day <= *kTwoDays.to; }

// Some seconds of the simulation.
const Timestamp kAfter{std::chrono::sys_days(kTwoDays.to->day) + std::chrono::seconds(2)};
const Timestamp kBefore{std::chrono::sys_days(kTwoDays.to->day) + std::chrono::seconds(9)};

std::shared_ptr<const Question> tasks_that_are(TaskStatus status) {
  return whole_list(std::string(name_of(status)) + " tasks", ListTasks{.status = status},
                    [status](const Task& task, Timestamp now) {
                      return task.shown(now).details.status == status;
                    });
}

// Of any stream.
ShownRows::Questions usual_questions() {
  ListCrops crops{};
  crops.crop_type = "name a";
  ListTaskTemplates templates{};
  templates.include_global = false, templates.is_active = true;
  ListTasks urgent{};
  urgent.priority = TaskPriority::kUrgent, urgent.category = TaskCategory::kIrrigation;
  ListPriceReports reports{};
  reports.crop_name = "Name A";
  return {whole_list("farms", ListFarms{}, any<Farm>),
          whole_list("crops", ListCrops{}, any<Crop>),
          whole_list("tasks", ListTasks{}, any<Task>),
          tasks_that_are(TaskStatus::kOverdue),
          tasks_that_are(TaskStatus::kPending),
          whole_list("open tasks", ListTasks{.open = true},
                     [](const Task& task, Timestamp) {
                       const auto status = task.details.status;
                       return status == TaskStatus::kPending || status == TaskStatus::kInProgress;
                     }),
          whole_list("tasks of some seconds", ListTasks{.due_before = kBefore, .due_after = kAfter},
                     [](const Task& task, Timestamp) {
                       const auto& due = task.details.due_date;
                       return due && kAfter <= *due && *due < kBefore;
                     }),
          whole_list("active templates", templates,
                     [](const TaskTemplate& each, Timestamp) { return each.details.is_active; }),
          whole_list("active rules", ListRecurringTasks{.is_active = true},
                     [](const RecurringTask& rule, Timestamp) { return rule.details.is_active; }),
          whole_list("daily rules", ListRecurringTasks{.pattern = RecurrencePattern::kDaily},
                     [](const RecurringTask& rule, Timestamp) {
                       return rule.details.pattern == RecurrencePattern::kDaily;
                     }),
          whole_list("urgent tasks of irrigation", urgent,
                     [](const Task& task, Timestamp) {
                       return task.details.priority == TaskPriority::kUrgent &&
                              task.details.category == TaskCategory::kIrrigation;
                     }),
          whole_list("price reports", ListPriceReports{}, any<PriceReport>),
          whole_list("price reports of one name", reports,
                     [](const PriceReport& report, Timestamp) {
                       return report.details.crop_name == "Name A";
                     }),
          whole_list("crops of one name", crops, [](const Crop& crop, Timestamp) {
            return crop.details.crop_type == "Name A";
          })};
}

// Of what lies on it and is written once.
template <class Row>
std::shared_ptr<const Question> entries_of(const typename Row::ParentPath& at) {
  return whole_list(std::string(Row::kTable) + " rows of " + at.row_id().text(),
                    ListEntries<Row>{.at = at, .period = {}},
                    [at](const Row& row, Timestamp) { return row.parent() == at.row_id(); });
}

// Of two days.
template <class Row>
std::shared_ptr<const Question> costs_of(const FarmPath& at) {
  ListCosts<Row> query;
  query.at = at, query.period = kTwoDays, query.category = typename Row::Category{};
  return whole_list("some " + std::string(Row::kTable) + " rows of farm " + at.farm_id.text(),
                    query, [at](const Row& row, Timestamp) {
                      const auto& cost = row.details.cost;
                      return row.where.farm_id == at.farm_id && is_within(cost.transaction_date) &&
                             cost.category == typename Row::Category{};
                    });
}

void ask_about(const FarmPath& at, ShownRows::Questions& land) {
  land.push_back(one_record<Farm>(at));
  land.push_back(
      whole_list("fields of farm " + at.farm_id.text(), ListFields{.at = at, .status = {}},
                 [at](const Field& field, Timestamp) { return field.farm_id == at.farm_id; }));
  land.push_back(
      whole_list("tasks of farm " + at.farm_id.text(), ListTasks{.farm_id = at.farm_id},
                 [at](const Task& task, Timestamp) { return task.farm_id == at.farm_id; }));
  land.push_back(costs_of<Expense>(at));
  land.push_back(costs_of<Overhead>(at));
  ListTaskTemplates templates{};
  templates.farm_id = at.farm_id, templates.include_global = false;
  land.push_back(whole_list("templates for farm " + at.farm_id.text(), templates,
                            [at](const TaskTemplate& each, Timestamp) {
                              return each.details.farm_id.value_or(at.farm_id) == at.farm_id;
                            }));
}

void ask_about(const FieldPath& at, ShownRows::Questions& land) {
  land.push_back(one_record<Field>(at));
  land.push_back(whole_list(
      "blocks of field " + at.field_id.text(), ListBlocks{.at = at, .status = {}, .crop_id = {}},
      [at](const Block& block, Timestamp) { return block.field_id == at.field_id; }));
  ListCrops crops{};
  crops.field_id = at.field_id;
  land.push_back(
      whole_list("crops of field " + at.field_id.text(), crops,
                 [at](const Crop& crop, Timestamp) { return crop.field_id == at.field_id; }));
  land.push_back(entries_of<Irrigation>(at));
  land.push_back(entries_of<SoilSample>(at));
}

void ask_about(const CropPath& at, const FieldPath& field, ShownRows::Questions& land) {
  land.push_back(one_record<Crop>(at));
  land.push_back(entries_of<Sale>(at));
  land.push_back(whole_list(
      "sales of two days of crop " + at.crop_id.text(),
      ListEntries<Sale>{.at = at, .period = kTwoDays}, [at](const Sale& sale, Timestamp) {
        return sale.where.crop_id == at.crop_id && is_within(sale.details.sale_date);
      }));
  land.push_back(whole_list(
      "blocks of crop " + at.crop_id.text(),
      ListBlocks{.at = field, .status = {}, .crop_id = at.crop_id},
      [at](const Block& block, Timestamp) { return block.details.crop_id == at.crop_id; }));
}

void ask_about(const BlockPath& at, ShownRows::Questions& land) {
  land.push_back(one_record<Block>(at));
  land.push_back(
      whole_list("plants of block " + at.block_id.text(), ListPlants{.at = at, .status = {}},
                 [at](const Plant& plant, Timestamp) { return plant.block_id == at.block_id; }));
  land.push_back(whole_list(
      "sick plants of block " + at.block_id.text(),
      ListPlants{.at = at, .status = PlantStatus::kSick}, [at](const Plant& plant, Timestamp) {
        return plant.block_id == at.block_id && plant.details.status == PlantStatus::kSick;
      }));
  land.push_back(whole_list(
      "tasks on block " + at.block_id.text(), ListTasks{.block_id = at.block_id},
      [at](const Task& task, Timestamp) { return task.details.block_id == at.block_id; }));
  land.push_back(entries_of<Fertigation>(at));
  land.push_back(entries_of<LeafSample>(at));
}

// Adds what can be asked once an event has made a record: it is asked also when that is gone.
void ask_about(const Event& event, ShownRows::Questions& land, ShownRows::Questions& money) {
  if (const auto* farm = event.get_if<FarmRegistered>()) {
    ask_about(FarmPath{farm->id}, land);
    money.push_back(money_of(farm->id));
  } else if (const auto* field = event.get_if<FieldRegistered>()) {
    ask_about(FieldPath{field->where.farm_id, field->id}, land);
  } else if (const auto* crop = event.get_if<CropRegistered>()) {
    ask_about(CropPath{crop->id}, {crop->where.farm_id, crop->where.field_id}, land);
  } else if (const auto* block = event.get_if<BlockRegistered>()) {
    ask_about(BlockPath{block->where.farm_id, block->where.field_id, block->id}, land);
  } else if (const auto* plant = event.get_if<PlantRegistered>()) {
    const auto& [farm_id, field_id, block_id] = plant->where;
    land.push_back(one_record<Plant>(PlantPath{{farm_id, field_id, block_id}, plant->id}));
  } else if (const auto* sale = event.get_if<SaleRecorded>()) {
    land.push_back(one_record<Sale>(EntryPath<Sale>{{sale->where.crop_id}, sale->id}));
  } else if (const auto* task = event.get_if<TaskCreated>()) {
    land.push_back(one_record<Task>(TaskPath{task->id}));
  }
}

}  // namespace

void ShownRows::read_on() {
  read_.resize(static_cast<std::size_t>(topic_.partitions()));
  for (int partition = 0; partition < topic_.partitions(); ++partition) {
    auto& read = read_[static_cast<std::size_t>(partition)];
    const auto& all = topic_.records(partition);
    for (; read < all.size(); ++read) {
      const auto& record = *all[read].record;
      if (!gate_.admit(record)) continue;
      const auto event = read_event(record);
      if (!event) return world_.violated("A record cannot be read: " + event.error().message);
      auto& stream = streams_[record.stream];
      stream.events.push_back(*event);
      if (stream.of_land.empty()) stream.of_land = usual_questions();
      ask_about(*event, stream.of_land, stream.of_money);
    }
  }
}

void ShownRows::show_land(const std::string& node, const Rows& rows, Timestamp now, bool all) {
  read_on();
  const auto found = streams_.find(std::string(rows.stream()));
  if (found == streams_.end()) return;
  auto& [events, questions, of_money, shown, money] = found->second;
  if (all) {
    for (const auto& question : questions) show(node, rows, now, question, shown);
    return;
  }
  for (int asked = 0; asked < kAskedOfSome; ++asked) {
    show(node, rows, now, questions[world_.below(questions.size())], shown);
  }
}

void ShownRows::show_money(const std::string& node, const Rows& rows, Timestamp now) {
  read_on();
  const auto found = streams_.find(std::string(rows.stream()));
  if (found == streams_.end()) return;
  auto& [events, of_land, questions, land, shown] = found->second;
  for (const auto& question : questions) show(node, rows, now, question, shown);
}

void ShownRows::show(const std::string& node, const Rows& rows, Timestamp now,
                     const std::shared_ptr<const Question>& question, ByVersion& to) {
  const PageRequest pages{.limit = 1 + world_.below(3),
                          .sort = world_.below(kMostSorts),
                          .order = world_.once_in(2) ? Order::kAscending : Order::kDescending};
  to[stored_version(rows)].push_back({node, question, now, pages, question->ask(rows, now, pages)});
}

void ShownRows::check() {
  read_on();
  for (const auto& [name, stream] : streams_) {
    check(name, stream, "registry", stream.land);
    check(name, stream, "finance", stream.money);
  }
}

void ShownRows::check(const std::string& name, const Stream& stream, const std::string& projection,
                      const ByVersion& shown) {
  RowBatch store;
  std::uint64_t version = 0;
  for (const auto& [at, all] : shown) {
    if (at > stream.events.size()) {
      return world_.violated(all.front().node + " has shown " + name + " at version " +
                             std::to_string(at) + ", which it has not reached");
    }
    for (; version < at; ++version) {
      MutableRows rows(store, name, version);
      handlers_of(projection).handle(rows, stream.events[version]);
      Cascade(rows.cascade()).advance(rows, std::numeric_limits<std::size_t>::max());
    }
    const Rows rows(store, name, at);
    for (const auto& each : all) {
      const auto expected = each.question->expect(rows, each.now, each.pages);
      if (each.text == expected) continue;
      return world_.violated(each.node + " has shown as " + each.question->about + " of " + name +
                             " at version " + std::to_string(at) + ": " + each.text +
                             "\ninstead of: " + expected);
    }
  }
}

}  // namespace tilth::testing
