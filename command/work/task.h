// Commands on a task. `at` comes from the path, the described members from the body.

#pragma once

#include "command/record.h"
#include "projections/work/task.h"

namespace tilth {

struct CreateTask {
  WholeStream at;
  FarmId farm_id;
  TaskDetails<Own> details;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("farmId", farm_id, {.required = true}));
    details.serialize(ar);
  }
  void check(Issues& issues) const;
};

struct CompleteTask {
  TaskPath at;
  Patch<std::optional<Url>> photo_url = {};
  Patch<std::optional<double>> gps_lat = {};
  Patch<std::optional<double>> gps_lng = {};
  Patch<std::optional<std::string>> notes = {};

  template <class Archive>
  decltype(auto) serialize(Archive& ar) {
    return ar(member("photoUrl", photo_url), member("gpsLat", gps_lat, {.min = -90, .max = 90}),
              member("gpsLng", gps_lng, {.min = -180, .max = 180}),
              member("notes", notes,
                     {.max_length = 2'000, .doc = "Becomes the task's completionNotes."}));
  }
};

struct RescheduleTask {
  TaskPath at;
  Timestamp due_date;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("dueDate", due_date, {.required = true}));
  }
};

// Whether the crop, field and block that a task is linked to are on its farm. kNotFound if one is
// not.
Status check_links(const Rows&, const FarmId&, const std::optional<CropId>&,
                   const std::optional<FieldId>&, const std::optional<BlockId>&);

// TaskCreated; a task that is created as completed was completed now, unless the request has a
// time. kNotFound: no such farm, or a linked crop, field or block is not on it.
Decision decide(const Rows&, const CreateTask&, const Context&);

// TaskAmended with the members that the request carried and the completedDate that follows; nothing
// if it carried none. An unchanged link is not looked up. kNotFound: no such task, or as above.
// kInvalid: it is to become overdue, and is not. kPreconditionFailed.
Decision decide(const Rows&, const Update<Task>&, const Context&);

// TaskCompleted; nothing if it is completed already and no evidence comes with it. kNotFound.
Decision decide(const Rows&, const CompleteTask&, const Context&);

// TaskRescheduled. kNotFound, kPreconditionFailed.
Decision decide(const Rows&, const RescheduleTask&, const Context&);

}  // namespace tilth
