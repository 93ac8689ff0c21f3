// Every event there is, and how each becomes JSON and comes back.

#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "events/admin_crop.h"
#include "events/ai_request.h"
#include "events/exchange_rate.h"
#include "events/expense.h"
#include "events/fertigation.h"
#include "events/irrigation.h"
#include "events/leaf_sample.h"
#include "events/overhead.h"
#include "events/plant.h"
#include "events/price_report.h"
#include "events/recurring_task.h"
#include "events/request.h"
#include "events/result.h"
#include "events/sale.h"
#include "events/soil_sample.h"
#include "events/task_template.h"
#include "events/user.h"
#include "events/user_crop.h"

namespace tilth {

// A new event is one line here.
using Event =
    std::variant<FarmRegistered, FarmAmended, FarmRemoved,                               //
                 FieldRegistered, FieldAmended, FieldRemoved,                            //
                 CropRegistered, CropAmended, CropRemoved,                               //
                 BlockRegistered, BlockAmended, BlockRemoved,                            //
                 PlantRegistered, PlantAmended, PlantRemoved,                            //
                 TaskCreated, TaskAmended, TaskCompleted, TaskRescheduled, TaskRemoved,  //
                 TaskTemplateCreated, TaskTemplateAmended, TaskTemplateRemoved,          //
                 TaskTemplatesImported,                                                  //
                 RecurringTaskCreated, RecurringTaskAmended, RecurringTaskRemoved,       //
                 RecurringTasksAdvanced, RecurringTasksStopped,                          //
                 IrrigationRecorded, IrrigationRemoved,                                  //
                 FertigationRecorded, FertigationRemoved,                                //
                 SoilSampleRecorded, SoilSampleRemoved,                                  //
                 LeafSampleRecorded, LeafSampleRemoved,                                  //
                 ExpenseRecorded, ExpenseRemoved,                                        //
                 OverheadRecorded, OverheadRemoved,                                      //
                 SaleRecorded, SaleRemoved,                                              //
                 PriceReported, PriceReportRemoved,                                      //
                 RequestRefused, RequestAnswered,                                        //
                 AdminCropDescribed, ExchangeRatesImported,                              //
                 UserCropAdded, UserCropRenamed, UserCropRemoved,                        //
                 UserRegistered, UserAmended, UserIdentified,                            //
                 ApiKeyMinted, ApiKeyRevoked, AiRequestReported>;

struct EncodedEvent {
  std::string type;
  int version = 1;
  std::string json;
};

EncodedEvent encode(const Event& event);

// Reads an event of any age; an older shape goes through E::upcast(version, json) one version at
// a time. What is unknown, newer than this program or unreadable is kDamaged: a poison event, at
// which a projection stops and which it never skips silently.
Result<Event> decode(std::string_view type, int version, std::string_view json);

}  // namespace tilth
