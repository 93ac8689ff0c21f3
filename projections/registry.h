// The registry: what stands on every owner's land, and the reference data that all of them read.
// Turns events into the rows that decisions look up and lists show.
//
// Each evolve() depends on the rows and the event and on nothing else, is total, and cannot fail:
// what happened cannot be refused.

#pragma once

#include "events/catalogue.h"
#include "projections/rows.h"

namespace tilth {

void evolve(MutableRows&, const FarmRegistered&);
void evolve(MutableRows&, const FarmAmended&);
void evolve(MutableRows&, const FarmRemoved&);
void evolve(MutableRows&, const FieldRegistered&);
void evolve(MutableRows&, const FieldAmended&);
void evolve(MutableRows&, const FieldRemoved&);
void evolve(MutableRows&, const CropRegistered&);
void evolve(MutableRows&, const CropAmended&);
void evolve(MutableRows&, const CropRemoved&);
void evolve(MutableRows&, const BlockRegistered&);
void evolve(MutableRows&, const BlockAmended&);
void evolve(MutableRows&, const BlockRemoved&);
void evolve(MutableRows&, const PlantRegistered&);
void evolve(MutableRows&, const PlantAmended&);
void evolve(MutableRows&, const PlantRemoved&);
void evolve(MutableRows&, const TaskCreated&);
void evolve(MutableRows&, const TaskAmended&);
void evolve(MutableRows&, const TaskCompleted&);
void evolve(MutableRows&, const TaskRescheduled&);
void evolve(MutableRows&, const TaskRemoved&);
void evolve(MutableRows&, const TaskTemplateCreated&);
void evolve(MutableRows&, const TaskTemplateAmended&);
void evolve(MutableRows&, const TaskTemplateRemoved&);
void evolve(MutableRows&, const TaskTemplatesImported&);
void evolve(MutableRows&, const RecurringTaskCreated&);
void evolve(MutableRows&, const RecurringTaskAmended&);
void evolve(MutableRows&, const RecurringTaskRemoved&);
void evolve(MutableRows&, const RecurringTasksAdvanced&);
void evolve(MutableRows&, const RecurringTasksStopped&);
void evolve(MutableRows&, const IrrigationRecorded&);
void evolve(MutableRows&, const IrrigationRemoved&);
void evolve(MutableRows&, const FertigationRecorded&);
void evolve(MutableRows&, const FertigationRemoved&);
void evolve(MutableRows&, const SoilSampleRecorded&);
void evolve(MutableRows&, const SoilSampleRemoved&);
void evolve(MutableRows&, const LeafSampleRecorded&);
void evolve(MutableRows&, const LeafSampleRemoved&);
void evolve(MutableRows&, const ExpenseRecorded&);
void evolve(MutableRows&, const ExpenseRemoved&);
void evolve(MutableRows&, const OverheadRecorded&);
void evolve(MutableRows&, const OverheadRemoved&);
void evolve(MutableRows&, const SaleRecorded&);
void evolve(MutableRows&, const SaleRemoved&);
void evolve(MutableRows&, const PriceReported&);
void evolve(MutableRows&, const PriceReportRemoved&);
void evolve(MutableRows&, const RequestRefused&);
void evolve(MutableRows&, const RequestAnswered&);
void evolve(MutableRows&, const AdminCropDescribed&);
void evolve(MutableRows&, const ExchangeRatesImported&);
void evolve(MutableRows&, const UserCropAdded&);
void evolve(MutableRows&, const UserCropRenamed&);
void evolve(MutableRows&, const UserCropRemoved&);

// Events of people and keys stand in a stream of their own, which the registry does not follow.
template <class E>
concept OfAccess = std::same_as<E, UserRegistered> || std::same_as<E, UserAmended> ||
    std::same_as<E, UserIdentified> || std::same_as<E, ApiKeyMinted> ||
    std::same_as<E, ApiKeyRevoked> || std::same_as<E, AiRequestReported>;

// An owner's event in the catalogue without its evolve() does not compile.
inline void evolve_registry(MutableRows& rows, const Event& event) {
  std::visit(
      [&]<class E>(const E& e) {
        if constexpr (!OfAccess<E>) evolve(rows, e);
      },
      event);
}

}  // namespace tilth
