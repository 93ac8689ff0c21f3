#include "tests/simulation/known_records.h"

#include <algorithm>

#include "events/access/erasure.h"
#include "projections/rows/rendered_row.h"

namespace tilth::testing {
namespace {

FarmPath path_to(const OnFarm& where) { return {where.farm_id}; }
FieldPath path_to(const OnField& where) { return {where.farm_id, where.field_id}; }
BlockPath path_to(const OnBlock& where) { return {where.farm_id, where.field_id, where.block_id}; }
CropPath path_to(const OnCrop& where) { return {where.crop_id}; }

// The row that a result shows.
class Shown {
 public:
  Shown(const CommandResult& result, std::map<Uuid, std::vector<std::string>>& tags)
      : result_(result), tags_(tags) {}

  // Calls `take` with the row if it is a Row.
  template <class Row, class Take>
  void as(Take take) const {
    if (result_.row->table != Row::kTable) return;
    const auto row = RowCodec<Row>::decode(result_.row->bytes);
    tags_[row.id.uuid].push_back(entity_tag(render_json(row, result_.at)));
    take(row);
  }
  template <class Row>
  void as_entry(std::vector<EntryPath<Row>>& known) const {
    as<Row>([&](const Row& row) { known.push_back({path_to(row.where), row.id}); });
  }
  template <class Row>
  void as_one_of(std::vector<Id<Row>>& known) const {
    as<Row>([&](const Row& row) { known.push_back(row.id); });
  }

 private:
  const CommandResult& result_;
  std::map<Uuid, std::vector<std::string>>& tags_;
};

template <class Row>
void add_tasks_of_rule(std::vector<TaskId>& tasks, const Event& event) {
  const auto* its = event.get_if<Row>();
  if (its == nullptr) return;
  for (const auto& made : its->schedule.tasks) tasks.push_back(made.task_id);
}

template <class Removed, class Known>
void forget_one(std::vector<Known>& known, const Event& event) {
  const auto* removed = event.get_if<Removed>();
  if (removed == nullptr) return;
  std::erase_if(known, [&](const Known& each) {
    if constexpr (requires { each.id; }) {
      return each.id == removed->id;
    } else {
      return each == removed->id;
    }
  });
}

}  // namespace

void KnownRecords::learn(const CommandResult& result) {
  if (result.event) {
    add_tasks_of_rule<RecurringTaskCreated>(tasks, *result.event);
    add_tasks_of_rule<RecurringTaskAmended>(tasks, *result.event);
    if (const auto* described = result.event->get_if<AdminCropDescribed>()) {
      for (const auto& each : described->varieties) varieties.push_back(each.variety_id);
    }
    if (const auto* imported = result.event->get_if<TaskTemplatesImported>()) {
      for (const auto& each : imported->templates) templates.push_back(each.template_id);
    }
  }
  if (!result.row) return;
  const Shown shown(result, tags);
  shown.as_one_of<Farm>(farms);
  shown.as<Field>([&](const Field& row) { fields.push_back({row.farm_id, row.id}); });
  shown.as<Crop>([&](const Crop& row) { crops.push_back({row.id, {row.farm_id, row.field_id}}); });
  shown.as<Block>([&](const Block& row) { blocks.push_back({row.farm_id, row.field_id, row.id}); });
  shown.as<Plant>([&](const Plant& row) {
    plants.push_back({{row.farm_id, row.field_id, row.block_id}, row.id});
  });
  shown.as_entry(irrigations), shown.as_entry(fertigations);
  shown.as_entry(soil_samples), shown.as_entry(leaf_samples);
  shown.as_entry(expenses), shown.as_entry(overheads), shown.as_entry(sales);
  shown.as<PriceReport>([&](const PriceReport& row) { price_reports.push_back({{}, row.id}); });
  shown.as_one_of<Task>(tasks);
  shown.as_one_of<TaskTemplate>(templates);
  shown.as_one_of<RecurringTask>(rules);
  shown.as_one_of<UserCrop>(shortlist);
  shown.as_one_of<Webhook>(webhooks);
  shown.as_one_of<AdminCrop>(library);
}

void KnownRecords::forget(const Event& event) {
  if (event.is<RecordsErased>()) *this = {};
  forget_one<FarmRemoved>(farms, event);
  forget_one<CropRemoved>(crops, event);
  forget_one<IrrigationRemoved>(irrigations, event);
  forget_one<FertigationRemoved>(fertigations, event);
  forget_one<SoilSampleRemoved>(soil_samples, event);
  forget_one<LeafSampleRemoved>(leaf_samples, event);
  forget_one<ExpenseRemoved>(expenses, event);
  forget_one<OverheadRemoved>(overheads, event);
  forget_one<SaleRemoved>(sales, event);
  forget_one<PriceReportRemoved>(price_reports, event);
  forget_one<TaskRemoved>(tasks, event);
  forget_one<TaskTemplateRemoved>(templates, event);
  forget_one<RecurringTaskRemoved>(rules, event);
  forget_one<WebhookRemoved>(webhooks, event);
  if (const auto* removed = event.get_if<UserCropRemoved>()) {
    std::erase(shortlist, removed->user_crop_id);
  }
  const auto* farm = event.get_if<FarmRemoved>();
  const auto* field = event.get_if<FieldRemoved>();
  const auto* block = event.get_if<BlockRemoved>();
  const auto* plant = event.get_if<PlantRemoved>();
  const auto is_gone = [&](const auto& path) {
    return (farm != nullptr && path.farm_id == farm->id) ||
           (field != nullptr && path.field_id == field->id);
  };
  const auto went_with_block = [&](const BlockPath& path) {
    return is_gone(path) || (block != nullptr && path.block_id == block->id);
  };
  std::erase_if(fields, is_gone);
  std::erase_if(crops, [&](const GrownCrop& each) { return is_gone(each.field); });
  std::erase_if(blocks, went_with_block);
  std::erase_if(plants, [&](const PlantPath& each) {
    return went_with_block(each.block) || (plant != nullptr && each.plant_id == plant->id);
  });
}

}  // namespace tilth::testing
