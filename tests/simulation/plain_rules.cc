#include "tests/simulation/plain_rules.h"

#include <algorithm>
#include <tuple>

#include "events/access/erasure.h"
#include "events/finance/sale.h"
#include "events/land/block.h"
#include "events/land/plant.h"
#include "events/log/request.h"
#include "events/log/streams.h"
#include "projections/rows/rendered_row.h"
#include "projections/work/overdue.h"
#include "query/work/task.h"
#include "tests/simulation/row_kinds.h"

namespace tilth::testing {
namespace {

std::string bytes_of(const Uuid& id) { return std::string(id.key()); }

}  // namespace

bool PlainRules::counts(const Record& record) const {
  const auto& envelope = record.envelope;
  return envelope.stream_version == version_ &&
         (envelope.predecessor.empty() || envelope.predecessor == last_id_);
}

std::string PlainRules::take(const Record& record, const Event& event, const Attempt* attempt,
                             const Rows& before, const PlainLibrary& library) {
  ++version_;
  last_id_ = record.envelope.id;
  note_removed(event);
  if (event.is<RecordsErased>()) erased_.push_back(records_);
  if (auto wrong = occurrences_.check_made(record, records_); !wrong.empty()) return wrong;
  const bool by_client = record.envelope.actor != kClockActor;
  const bool changes = !event.is<RequestRefused>() && !event.is<RequestAnswered>();
  if (attempt != nullptr && attempt->asked && by_client && changes) {
    auto state = state_of(*attempt->asked, attempt->request, records_, before, record.envelope.time,
                          library);
    state.occurrences = &occurrences_;
    if (auto wrong = take_plainly(record, *attempt->asked, state); !wrong.empty()) return wrong;
  } else if (auto wrong = records_.take(record); !wrong.empty()) {
    return wrong;
  }
  if (auto wrong = occurrences_.take(record, records_); !wrong.empty()) return wrong;
  return check_names();
}

// It is what its request asked for.
std::string PlainRules::take_plainly(const Record& record, const PlainRequest& request,
                                     const PlainState& state) {
  if (auto wrong = wrong_in_acceptance(request, state); !wrong.empty()) return wrong;
  std::optional<PlainRecords::Members> before;
  if (request.what == PlainRequest::What::kChange) {
    before = *records_.find({request.table, request.id});
  }
  if (auto wrong = records_.take(record); !wrong.empty()) return wrong;
  const auto& named = records_.named();
  const bool is_it =
      named && named->first == request.table && (request.id.empty() || named->second == request.id);
  if (!is_it) return "it is about another record than was asked for";
  return wrong_in_change(request, state, before ? &*before : nullptr, records_.find(*named));
}

void PlainRules::note_removed(const Event& event) {
  if (const auto* farm = event.get_if<FarmRemoved>()) {
    removed_farms_.insert(bytes_of(farm->id.uuid));
  }
  if (const auto* field = event.get_if<FieldRemoved>()) remove_part(field->id.text());
  if (const auto* crop = event.get_if<CropRemoved>()) remove_part(crop->id.text());
  if (const auto* block = event.get_if<BlockRemoved>()) remove_part(block->id.text());
  if (const auto* plant = event.get_if<PlantRemoved>()) remove_part(plant->id.text());
  if (const auto* sale = event.get_if<SaleRemoved>()) remove_part(sale->id.text());
}

void PlainRules::remove_part(const std::string& id) {
  const auto note = [this](const std::string& part) {
    removed_parts_.insert(bytes_of(*Uuid::parse(part)));
  };
  note(id);
  for (const auto& [block, its] : records_.all("block")) {
    if (unquoted(its.at("fieldId")) == id || unquoted(its.at("cropId")) == id) note(block);
  }
}

// Those of farms, the tags of a block's plants, and the entries of a shortlist are unique.
std::string PlainRules::check_names() const {
  std::set<std::string> names;
  for (const auto& [id, farm] : records_.all("farm")) {
    if (!names.insert(farm.at("name")).second) return "two farms have one name";
  }
  std::set<std::pair<std::string, std::string>> tags;
  for (const auto& [id, plant] : records_.all("plant")) {
    const auto& tag = plant.at("tagId");
    if (tag != "null" && !tags.emplace(plant.at("blockId"), tag).second) {
      return "two plants of a block have one tag";
    }
  }
  std::set<std::pair<std::string, std::string>> entries;
  for (const auto& [id, entry] : records_.all("user_crop")) {
    if (!entries.emplace(entry.at("farmId"), entry.at("adminCropId")).second) {
      return "a crop is twice on a shortlist";
    }
  }
  return {};
}

PlainState state_of(const PlainRequest& asked, const CommandRequest& request,
                    const PlainRecords& records, const Rows& before, Timestamp now,
                    const PlainLibrary& library) {
  PlainState state{
      .records = records, .now = now, .farm_limit = request.farm_limit, .library = library};
  const auto row = request.if_match && !asked.id.empty()
                       ? before.find_bytes(asked.table, *Uuid::parse(asked.id))
                       : std::nullopt;
  if (!row) return state;
  const auto tag = entity_tag(shown_json(*row, now));
  state.if_match_holds = std::ranges::any_of(
      *request.if_match, [&](const auto& each) { return each == tag || each == "*"; });
  return state;
}

void age_up_to(Timestamp now, const std::string& stream, RowBatch& rows) {
  constexpr std::size_t kAtOnce = 1'000;
  MutableRows aged(rows, stream, 0);
  while (!age(aged, now, kAtOnce)) continue;
}

std::string wrong_among_overdue(const Rows& rows, Timestamp listed_at) {
  constexpr PageRequest kAll{.limit = 1'000};
  const auto all = run_query(rows, ListTasks{}, kAll);
  const auto listed = run_query(rows, ListTasks{.status = TaskStatus::kOverdue}, kAll);
  if (!all || !listed) return "tasks cannot be listed";
  std::uint64_t overdue = 0;
  for (const auto& task : all->rows) {
    const auto& [due, status] = std::tie(task.details.due_date, task.details.status);
    const bool open = status == TaskStatus::kPending || status == TaskStatus::kInProgress;
    if (!open || !due || *due > listed_at) continue;
    ++overdue;
    if (std::ranges::find(listed->rows, task.id, &Task::id) == listed->rows.end()) {
      return "an overdue task is not listed as such";
    }
  }
  return listed->total == overdue ? "" : "a task is listed as overdue that is not";
}

std::optional<std::string> leftover(std::string_view key, std::string_view value,
                                    const PlainRules& rules) {
  const auto own = key.substr(std::min(key.size(), key.find('\0') + 1));
  // What a request led to is shown again for a day, whatever has become of it.
  if (own.starts_with('i') || own.starts_with('t')) return std::nullopt;
  const auto names = [&](const std::string& id) {
    return key.find(id) != key.npos || value.find(id) != value.npos;
  };
  if (std::ranges::any_of(rules.removed_farms(), names)) return "a farm that was removed";
  // A task stays, and says where it was.
  if (own.substr(std::min<std::size_t>(1, own.size())).starts_with("task")) return std::nullopt;
  if (std::ranges::any_of(rules.removed_parts(), names))
    return "a field, crop or block that was removed";
  return std::nullopt;
}

}  // namespace tilth::testing
