#include "tests/simulation/shown_rows.h"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "events/log/event_record.h"
#include "projections/finance/sale.h"
#include "projections/fold/cascade.h"
#include "projections/fold/row_list.h"
#include "projections/rows/rendered_row.h"
#include "projections/rows/row_batch.h"
#include "projections/rows/stored_head.h"
#include "query/finance/financial_summary.h"
#include "query/land/block.h"
#include "query/land/crop.h"
#include "query/land/entries.h"
#include "query/land/farm.h"
#include "query/land/field.h"
#include "query/land/plant.h"
#include "query/work/task.h"

namespace tilth::testing {
namespace {

constexpr int kAskedOfSome = 6;
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
  question.expect = [at](const Rows& rows, Timestamp now) {
    const auto row = find(rows, at);
    return row ? render_json(*row, now) : std::string(kNothingThere);
  };
  if constexpr (requires(const Rows& rows) { find_rendered(rows, at); }) {
    question.ask = [at](const Rows& rows, Timestamp, std::uint64_t) {
      const auto row = find_rendered(rows, at);
      return row ? row->json : std::string(kNothingThere);
    };
  } else {
    question.ask = [expect = question.expect](const Rows& rows, Timestamp now, std::uint64_t) {
      return expect(rows, now);
    };
  }
  return std::make_shared<const Question>(std::move(question));
}

template <class Row>
constexpr std::size_t newest_first() {
  return static_cast<std::size_t>(std::ranges::find(Row::kSorts, "createdAt") -
                                  Row::kSorts.begin());
}

// GET a list, page by page. `fits`: whether a row belongs into it.
template <class Query, class Fits>
std::shared_ptr<const Question> whole_list(const std::string& about, const Query& query,
                                           Fits fits) {
  using Row = typename Query::Row;
  Question question;
  question.about = "the list of " + about;
  question.ask = [query](const Rows& rows, Timestamp now, std::uint64_t limit) {
    std::string text;
    PageRequest page{.limit = limit, .sort = newest_first<Row>()};
    for (;; ++page.page) {
      const auto listed = run_query(rows, query, page);
      if (!listed) return std::string(kNothingThere);
      if (page.page == 1) text = std::to_string(listed->total);
      for (const auto& row : listed->rows) text += "\n" + described(row, now);
      if (page.page * limit >= listed->total) return text;
    }
  };
  question.expect = [query, fits](const Rows& rows, Timestamp now) {
    if (!find(rows, query.at)) return std::string(kNothingThere);
    std::vector<Row> all;
    const auto prefix = rows.own_key('r') + std::string(Row::kTable) + '\0';
    const auto cursor = rows.cursor();
    for (cursor->seek(prefix); cursor->valid() && cursor->key().starts_with(prefix);
         cursor->next()) {
      auto row = RowCodec<Row>::decode(cursor->value());
      if (fits(row, now)) all.push_back(std::move(row));
    }
    std::ranges::sort(all, [](const Row& a, const Row& b) {
      return std::tuple(a.created_at, a.id.uuid.key()) > std::tuple(b.created_at, b.id.uuid.key());
    });
    auto text = std::to_string(all.size());
    for (const auto& row : all) text += "\n" + described(row, now);
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
  question.expect = [query](const Rows& rows, Timestamp now) {
    const auto summary = run_query(rows, query, now);
    return summary ? amounts(*summary) : std::string(kNothingThere);
  };
  question.ask = [expect = question.expect](const Rows& rows, Timestamp now, std::uint64_t) {
    return expect(rows, now);
  };
  return std::make_shared<const Question>(std::move(question));
}

// Of any stream.
ShownRows::Questions usual_questions() {
  const auto any = [](const auto&, Timestamp) { return true; };
  const auto tasks_that_are = [](TaskStatus status) {
    return whole_list(
        std::string(status == TaskStatus::kOverdue ? "overdue" : "pending") + " tasks",
        ListTasks{.status = status}, [status](const Task& task, Timestamp now) {
          return task.shown(now).details.status == status;
        });
  };
  return {whole_list("farms", ListFarms{}, any), whole_list("crops", ListCrops{}, any),
          whole_list("tasks", ListTasks{}, any), tasks_that_are(TaskStatus::kOverdue),
          tasks_that_are(TaskStatus::kPending)};
}

// Adds what can be asked once an event has made a record: it is asked also when that is gone.
void ask_about(const Event& event, ShownRows::Questions& land, ShownRows::Questions& money) {
  if (const auto* farm = event.get_if<FarmRegistered>()) {
    const FarmPath at{farm->id};
    land.push_back(one_record<Farm>(at));
    land.push_back(
        whole_list("fields of farm " + at.farm_id.text(), ListFields{.at = at, .status = {}},
                   [at](const Field& field, Timestamp) { return field.farm_id == at.farm_id; }));
    money.push_back(money_of(at.farm_id));
  } else if (const auto* field = event.get_if<FieldRegistered>()) {
    const FieldPath at{field->where.farm_id, field->id};
    land.push_back(one_record<Field>(at));
    land.push_back(whole_list(
        "blocks of field " + at.field_id.text(), ListBlocks{.at = at, .status = {}, .crop_id = {}},
        [at](const Block& block, Timestamp) { return block.field_id == at.field_id; }));
    ListCrops crops{};
    crops.field_id = at.field_id;
    land.push_back(
        whole_list("crops of field " + at.field_id.text(), crops,
                   [at](const Crop& crop, Timestamp) { return crop.field_id == at.field_id; }));
  } else if (const auto* crop = event.get_if<CropRegistered>()) {
    const CropPath at{crop->id};
    land.push_back(one_record<Crop>(at));
    land.push_back(
        whole_list("sales of crop " + at.crop_id.text(), ListEntries<Sale>{.at = at, .period = {}},
                   [at](const Sale& sale, Timestamp) { return sale.where.crop_id == at.crop_id; }));
  } else if (const auto* block = event.get_if<BlockRegistered>()) {
    const BlockPath at{block->where.farm_id, block->where.field_id, block->id};
    land.push_back(one_record<Block>(at));
    land.push_back(
        whole_list("plants of block " + at.block_id.text(), ListPlants{.at = at, .status = {}},
                   [at](const Plant& plant, Timestamp) { return plant.block_id == at.block_id; }));
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
  const auto head = rows.own(rows.own_key('v'));
  const auto version = head ? read_stored_head(*head).version : 0;
  const std::uint64_t limit = 1 + world_.below(3);
  to[version].push_back({node, question, now, question->ask(rows, now, limit)});
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
      const auto expected = each.question->expect(rows, each.now);
      if (each.text == expected) continue;
      return world_.violated(each.node + " has shown as " + each.question->about + " of " + name +
                             " at version " + std::to_string(at) + ": " + each.text +
                             "\ninstead of: " + expected);
    }
  }
}

}  // namespace tilth::testing
