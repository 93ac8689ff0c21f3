// Details and events of a task: a piece of work on a farm.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "events/land/block.h"
#include "events/land/location.h"
#include "events/values/url.h"

namespace tilth {

using TaskId = Id<struct Task>;
using TaskTemplateId = Id<struct TaskTemplate>;
using RecurringTaskId = Id<struct RecurringTask>;

// A task is never stored as overdue: that is derived from its dueDate and the time.
enum class TaskStatus : std::uint8_t { kPending, kInProgress, kCompleted, kOverdue, kCancelled };

constexpr auto labels(TaskStatus) {
  return named<TaskStatus>("pending", "in_progress", "completed", "overdue", "cancelled");
}

// In order of urgency.
enum class TaskPriority : std::uint8_t { kLow, kMedium, kHigh, kUrgent };

constexpr auto labels(TaskPriority) {
  return named<TaskPriority>("low", "medium", "high", "urgent");
}

enum class TaskCategory : std::uint8_t {
  kPlanting,
  kIrrigation,
  kFertilization,
  kPestControl,
  kHarvesting,
  kSoilManagement,
  kMaintenance,
  kPlanning,
  kInspection,
  kOther,
};

constexpr auto labels(TaskCategory) {
  return named<TaskCategory>("planting", "irrigation", "fertilization", "pest_control",
                             "harvesting", "soil_management", "maintenance", "planning",
                             "inspection", "other");
}

template <template <class> class As>
struct TaskDetails {
  As<std::string> title = {};
  As<std::optional<std::string>> description = {};
  As<TaskStatus> status = {};
  As<TaskPriority> priority = initially<As>(TaskPriority::kMedium);
  As<TaskCategory> category = {};
  As<std::optional<Timestamp>> due_date = {};
  As<std::optional<Timestamp>> start_date = {};
  As<std::optional<Timestamp>> completed_date = {};
  As<std::optional<std::string>> assigned_to = {};
  As<std::optional<CropId>> crop_id = {};
  As<std::optional<FieldId>> field_id = {};
  As<std::optional<BlockId>> block_id = {};
  As<std::optional<std::string>> field_name = {};
  As<std::optional<std::string>> estimated_duration = {};
  As<std::optional<std::string>> actual_duration = {};
  As<std::optional<Url>> photo_url = {};
  As<std::optional<double>> gps_lat = {};
  As<std::optional<double>> gps_lng = {};
  As<std::optional<std::string>> completion_notes = {};
  As<std::optional<std::string>> notes = {};

  template <class Archive>
  decltype(auto) serialize(Archive& ar) {
    constexpr bool kRequired = kWhole<As>;
    return ar(member("title", title, {.required = kRequired, .min_length = 1, .max_length = 200}),
              member("description", description, {.max_length = 2'000}),
              member("status", status,
                     {.derived = "overdue",
                      .doc = "overdue follows from dueDate and cannot be written."}),
              member("priority", priority), member("category", category, {.required = kRequired}),
              member("dueDate", due_date), member("startDate", start_date),
              member("completedDate", completed_date,
                     {.doc = "Set to now when the task becomes completed, unless given."}),
              member("assignedTo", assigned_to, {.max_length = 200}), member("cropId", crop_id),
              member("fieldId", field_id), member("blockId", block_id),
              member("fieldName", field_name, {.max_length = 200}),
              member("estimatedDuration", estimated_duration, {.max_length = 100}),
              member("actualDuration", actual_duration, {.max_length = 100}),
              member("photoUrl", photo_url), member("gpsLat", gps_lat, {.min = -90, .max = 90}),
              member("gpsLng", gps_lng, {.min = -180, .max = 180}),
              member("completionNotes", completion_notes, {.max_length = 2'000}),
              member("notes", notes, {.max_length = 5'000}));
  }
};

// Stored forever: a new shape needs a new version with an upcast().
struct TaskCreated : Recorded<Task, OnFarm, TaskDetails<Own>> {
  static constexpr EventType kType{"tilth.task.created"};

  std::optional<TaskTemplateId> template_id = {};         // the one it was created from
  std::optional<RecurringTaskId> recurring_task_id = {};  // the rule whose occurrence it is
  std::string created_by = {};

  template <class Archive>
  void serialize(Archive& ar) {
    list(ar, "taskId", "createdAt", member("templateId", template_id),
         member("recurringTaskId", recurring_task_id), member("createdBy", created_by));
  }
};

// Stored forever. Holds the members that the request carried, and the completedDate that is set or
// cleared when the task enters or leaves completion.
struct TaskAmended : Amended<Task, TaskDetails> {
  static constexpr EventType kType{"tilth.task.amended"};

  template <class Archive>
  void serialize(Archive& ar) {
    list(ar, "taskId");
  }
};

// Stored forever. The task is done, with the evidence that was sent; completedDate is when it was
// first done.
struct TaskCompleted {
  static constexpr EventType kType{"tilth.task.completed"};

  TaskId task_id;
  Patch<std::optional<Url>> photo_url = {};
  Patch<std::optional<double>> gps_lat = {};
  Patch<std::optional<double>> gps_lng = {};
  Patch<std::optional<std::string>> completion_notes = {};
  Timestamp completed_date;
  Timestamp amended_at;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("taskId", task_id), member("photoUrl", photo_url), member("gpsLat", gps_lat),
       member("gpsLng", gps_lng), member("completionNotes", completion_notes),
       member("completedDate", completed_date), member("amendedAt", amended_at));
  }
};

// Stored forever.
struct TaskRescheduled {
  static constexpr EventType kType{"tilth.task.rescheduled"};

  TaskId task_id;
  Timestamp due_date;
  Timestamp amended_at;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("taskId", task_id), member("dueDate", due_date), member("amendedAt", amended_at));
  }
};

// Stored forever.
struct TaskRemoved : Removed<Task> {
  static constexpr EventType kType{"tilth.task.removed"};

  template <class Archive>
  void serialize(Archive& ar) {
    list(ar, "taskId");
  }
};

}  // namespace tilth
