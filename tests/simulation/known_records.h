// What results have shown of an owner's records, so that later requests can name them.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "command/decision.h"
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
#include "projections/work/recurring_task.h"
#include "projections/work/task.h"
#include "projections/work/task_template.h"

namespace tilth::testing {

// A record is there once for each result that has shown it, so what changes often is named often.
struct KnownRecords {
  // Where a crop grows, which its own path does not say.
  struct GrownCrop {
    CropId id;
    FieldPath field;
  };

  std::vector<FarmId> farms;
  std::vector<FieldPath> fields;
  std::vector<GrownCrop> crops;
  std::vector<BlockPath> blocks;
  std::vector<PlantPath> plants;
  std::vector<EntryPath<Irrigation>> irrigations;
  std::vector<EntryPath<Fertigation>> fertigations;
  std::vector<EntryPath<SoilSample>> soil_samples;
  std::vector<EntryPath<LeafSample>> leaf_samples;
  std::vector<EntryPath<Expense>> expenses;
  std::vector<EntryPath<Overhead>> overheads;
  std::vector<EntryPath<Sale>> sales;
  std::vector<EntryPath<PriceReport>> price_reports;
  std::vector<TaskId> tasks;
  std::vector<TaskTemplateId> templates;
  std::vector<RecurringTaskId> rules;
  std::vector<UserCropId> shortlist;
  std::vector<WebhookId> webhooks;
  // Of the reference data.
  std::vector<AdminCropId> library;
  std::vector<VarietyId> varieties;

  std::map<Uuid, std::vector<std::string>> tags;  // by record, each that was shown; newest last

  void learn(const CommandResult& result);
  // Names no longer what that event has removed, nor the land below it.
  void forget(const Event& event);
};

// By stream. The farmers of one owner know the same, and all know the reference data.
using KnownByOwner = std::map<std::string, KnownRecords, std::less<>>;

}  // namespace tilth::testing
