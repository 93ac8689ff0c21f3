// What a request asks for, in JSON, and what may come of it: said again without the code that
// decides, so that a decision which every node makes alike is judged, too.

#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "command/finance/cost.h"
#include "command/finance/sale.h"
#include "command/integrations/webhook.h"
#include "command/land/block.h"
#include "command/land/crop.h"
#include "command/land/farm.h"
#include "command/land/plant.h"
#include "command/library/user_crop.h"
#include "command/market/price_report.h"
#include "command/work/recurring_task.h"
#include "command/work/task.h"
#include "command/work/task_template.h"
#include "events/json/json_writer.h"
#include "projections/operations/fertigation.h"
#include "projections/operations/irrigation.h"
#include "projections/operations/leaf_sample.h"
#include "projections/operations/soil_sample.h"
#include "tests/simulation/plain_library.h"
#include "tests/simulation/plain_records.h"

namespace tilth::testing {

class PlainOccurrences;

struct PlainRequest {
  using Members = PlainRecords::Members;
  enum class What : std::uint8_t { kCreate, kChange, kRemove };

  std::string table;
  What what = What::kCreate;
  std::string id = {};  // of the record that it names; empty: it asks for a new one
  Members place = {};   // the ids that its path names, as the record has them
  Members body = {};
  std::string of_template = {};  // the one that a new task is made from

  // Of one in another form than its record has.
  enum class Form : std::uint8_t { kUsual, kCompletion };
  Form form = Form::kUsual;
};

// On what a request is decided, besides its owner's records.
struct PlainState {
  const PlainRecords& records;
  Timestamp now = {};
  std::optional<std::int64_t> farm_limit = {};
  std::optional<bool> if_match_holds = {};        // null: it sends no If-Match
  const PlainOccurrences* occurrences = nullptr;  // of the owner's rules; null: not known
  const PlainLibrary& library;
};

// In a word or two: "change plant".
std::string name_of(const PlainRequest& request);

// Functions return what does not hold; empty: nothing.

// Of an event that the request has led to. `state`: right before it.
std::string wrong_in_acceptance(const PlainRequest& request, const PlainState& state);
// Of the same. `before`: the record that it is about, right before it, if that was there; `after`:
// right after it, if it is.
std::string wrong_in_change(const PlainRequest& request, const PlainState& state,
                            const PlainRecords::Members* before,
                            const PlainRecords::Members* after);

// Whether the request may have been refused so, and whether it may have changed nothing.
bool may_be_refused(const PlainRequest& request, const PlainState& state, ErrorCode code);
bool may_change_nothing(const PlainRequest& request, const PlainState& state);

// The members of a described struct.
template <class T>
PlainRecords::Members said_members(const T& value) {
  const auto json = parse_json(JsonWriter::text(value));
  return json ? members_of(*json) : PlainRecords::Members{};
}

// The ids that a path names, as records have them.
PlainRecords::Members place_of(const WholeStream& at);
PlainRecords::Members place_of(const FarmPath& at);
PlainRecords::Members place_of(const FieldPath& at);
PlainRecords::Members place_of(const BlockPath& at);
PlainRecords::Members place_of(const PlantPath& at);
PlainRecords::Members place_of(const CropPath& at);
template <class Row>
PlainRecords::Members place_of(const EntryPath<Row>& at) {
  return place_of(at.parent);
}
template <class Path>
PlainRecords::Members place_of(const Path&) {
  return {};
}

// What these commands ask for. Of others it is not said again.
namespace said {

using What = PlainRequest::What;

template <class Row, class Command>
PlainRequest creation(const Command& command) {
  return {.table = std::string(Row::kTable),
          .place = place_of(command.at),
          .body = said_members(command)};
}
template <class Row, class Command>
PlainRequest change(const Command& command) {
  return {.table = std::string(Row::kTable),
          .what = What::kChange,
          .id = command.at.row_id().text(),
          .place = place_of(command.at),
          .body = said_members(command)};
}

template <class Row>
PlainRequest plainly(const Create<Row>& command) {
  return creation<Row>(command);
}
template <class Row>
PlainRequest plainly(const Update<Row>& command) {
  return change<Row>(command);
}
template <class Row>
PlainRequest plainly(const Delete<Row>& command) {
  return {.table = std::string(Row::kTable),
          .what = What::kRemove,
          .id = command.at.row_id().text(),
          .place = place_of(command.at)};
}
inline PlainRequest plainly(const CreateCrop& command) { return creation<Crop>(command); }
inline PlainRequest plainly(const MoveCrop& command) { return change<Crop>(command); }
inline PlainRequest plainly(const CreateTask& command) { return creation<Task>(command); }
inline PlainRequest plainly(const RescheduleTask& command) { return change<Task>(command); }
inline PlainRequest plainly(const CreateTaskTemplate& command) {
  return creation<TaskTemplate>(command);
}
inline PlainRequest plainly(const CreateRecurringTask& command) {
  return creation<RecurringTask>(command);
}
inline PlainRequest plainly(const CreatePriceReport& command) {
  return creation<PriceReport>(command);
}
inline PlainRequest plainly(const CreateUserCrop& command) { return creation<UserCrop>(command); }
inline PlainRequest plainly(const CreateWebhook& command) { return creation<Webhook>(command); }
PlainRequest plainly(const AmendWebhook& command);
PlainRequest plainly(const RemoveWebhook& command);
PlainRequest plainly(const CompleteTask& command);
PlainRequest plainly(const ApplyTemplate& command);

}  // namespace said

template <class Command>
std::optional<PlainRequest> said_plainly(const Command& command) {
  if constexpr (requires { said::plainly(command); }) {
    return said::plainly(command);
  } else {
    return std::nullopt;
  }
}

}  // namespace tilth::testing
