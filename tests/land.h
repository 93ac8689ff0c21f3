// A small farm for specs: one field, one crop, one block, one plant, a task, and how each came to
// be.

#pragma once

#include <string>

#include "projections/plant.h"
#include "projections/task.h"
#include "tests/spec.h"

namespace tilth::testing {

inline const FarmPath kFarm{id<FarmId>('a')};
inline const FieldPath kField{kFarm.farm_id, id<FieldId>('b')};
inline const BlockPath kBlock{kFarm.farm_id, kField.field_id, id<BlockId>('c')};
inline const CropPath kCrop{id<CropId>('d')};
inline const PlantPath kPlant{kBlock, id<PlantId>('1')};
inline const TaskPath kTask{id<TaskId>('2')};

inline FarmRegistered farm_registered(const FarmPath& at = kFarm, std::string name = "Al Noor") {
  return {at.farm_id, {.name = std::move(name), .total_area = Decimal(10)}, kThen};
}
inline FieldRegistered field_registered(const FieldPath& at = kField, std::string name = "North") {
  return {at.field_id, at.farm_id, {.name = std::move(name), .area = Decimal(4)}, kThen};
}
inline CropRegistered crop_registered(const CropPath& at = kCrop, const FieldPath& on = kField,
                                      std::string type = "Dates") {
  return {at.crop_id, on.farm_id, on.field_id, {.crop_type = std::move(type)}, kThen};
}
inline BlockRegistered block_registered(const BlockPath& at = kBlock, const CropPath& of = kCrop,
                                        std::string name = "B1") {
  return {at.block_id,
          at.farm_id,
          at.field_id,
          {.crop_id = of.crop_id, .name = std::move(name)},
          kThen};
}
inline PlantRegistered plant_registered(const PlantPath& at = kPlant,
                                        const PlantDetails<Own>& details = {.label = "Palm",
                                                                            .tag_id = "qr-7"}) {
  const auto& [farm, field, block] = at.block;
  return {at.plant_id, farm, field, block, details, kThen};
}
inline TaskCreated task_created(const TaskPath& at = kTask,
                                const TaskDetails<Own>& details = {.title = "Prune"},
                                const FarmPath& on = kFarm) {
  return {.task_id = at.task_id,
          .farm_id = on.farm_id,
          .details = details,
          .created_by = "user_1",
          .created_at = kThen};
}

inline Spec given_farm() { return Spec().given(farm_registered()); }
inline Spec given_field() { return given_farm().given(field_registered()); }
inline Spec given_crop() { return given_field().given(crop_registered()); }
inline Spec given_block() { return given_crop().given(block_registered()); }
inline Spec given_task(const TaskDetails<Own>& details = {.title = "Prune"}) {
  return given_farm().given(task_created(kTask, details));
}
inline Spec given_plant() { return given_block().given(plant_registered()); }

}  // namespace tilth::testing
