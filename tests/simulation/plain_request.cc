#include "tests/simulation/plain_request.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <set>
#include <vector>

#include "tests/simulation/plain_occurrences.h"

namespace tilth::testing {
namespace {

using Members = PlainRecords::Members;
using What = PlainRequest::What;

constexpr int kMostWebhooks = 20;  // of an owner
const std::string kNull = "null";

const std::string& member_of(const Members& members, std::string_view name) {
  const auto found = members.find(name);
  return found == members.end() ? kNull : found->second;
}
bool says(const Members& members, std::string_view name) {
  return member_of(members, name) != kNull;
}

std::string json_text(std::string_view text) { return text_of(Json::string(text)); }

// Why a request cannot be carried out: for what follows from the owner's records, and for what may
// follow from the library or from what a day may have besides.
struct Reasons {
  std::set<ErrorCode> certain = {}, possible = {};
};

// A change may send a member of its own place.
Members changed(Members record, const Members& body) {
  for (const auto& [name, value] : body) record[name] = value;
  return record;
}

bool is_open_and_due(const Members& task, Timestamp now) {
  const auto& status = member_of(task, "status");
  const auto& due = member_of(task, "dueDate");
  const bool open = status == R"("pending")" || status == R"("in_progress")";
  return open && due != kNull && unquoted(due) <= now.text();
}

// Finds the reasons of one request.
class Judge {
 public:
  Judge(const PlainRequest& request, const PlainState& state) : request_(request), state_(state) {}

  Reasons reasons() {
    request_.what == What::kCreate ? judge_creation() : judge_change();
    judge_library();
    return std::move(reasons_);
  }

 private:
  const PlainRecords& records() const { return state_.records; }
  const Members& body() const { return request_.body; }
  bool is(std::string_view table) const { return request_.table == table; }
  void refuse(ErrorCode code) { reasons_.certain.insert(code); }

  void judge_creation() {
    if (!request_.of_template.empty()) return judge_applied_template();
    auto members = changed(body(), request_.place);
    for (const auto& [name, value] : request_.place) {
      if (!says(members, name)) refuse(ErrorCode::kNotFound);
    }
    if (!records().links_of(request_.table, members).empty()) refuse(ErrorCode::kNotFound);
    if (is("farm")) {
      if (state_.farm_limit && std::ssize(records().all("farm")) >= *state_.farm_limit) {
        refuse(ErrorCode::kPlanLimitExceeded);
      }
    }
    if (is("webhook") && std::ssize(records().all("webhook")) >= kMostWebhooks) {
      refuse(ErrorCode::kConflict);
    }
    judge_names(members, "");
    if (is("recurring_task")) judge_template(member_of(body(), "templateId"), members);
    if (is("price_report") && member_of(body(), "unit") == R"("per_bushel")") {
      reasons_.possible.insert(ErrorCode::kInvalid);
    }
    if (is("recurring_task")) judge_day(member_of(body(), "generateDaysBefore"));
  }

  // A new rule makes at most one task of each of these days and of today.
  void judge_day(const std::string& days_before) {
    const auto most = 1 + (days_before == kNull ? 0 : std::stoi(days_before));
    if (state_.occurrences == nullptr || state_.occurrences->tasks_left(state_.now) < most) {
      reasons_.possible.insert(ErrorCode::kRateLimited);
    }
  }

  void judge_change() {
    const auto* before = records().find({request_.table, request_.id});
    const bool is_there =
        before != nullptr && std::ranges::all_of(request_.place, [&](auto& each) {
          return is_own_id(each.first) || member_of(*before, each.first) == each.second;
        });
    if (!is_there) return refuse(ErrorCode::kNotFound);
    // The tag of a shortlist entry follows from the library, too.
    if (is("user_crop") && state_.if_match_holds) {
      reasons_.possible.insert(ErrorCode::kPreconditionFailed);
    } else if (!state_.if_match_holds.value_or(true)) {
      refuse(ErrorCode::kPreconditionFailed);
    }
    if (request_.what == What::kRemove) return;
    const auto after = changed(*before, body());
    if (!records().new_links_of(request_.table, *before, after).empty()) {
      refuse(ErrorCode::kNotFound);
    }
    judge_names(after, request_.id);
    const auto& planted = member_of(after, "plantingDate");
    const auto& expected = member_of(after, "expectedHarvestDate");
    if (is("crop") && planted != kNull && expected != kNull && expected < planted) {
      refuse(ErrorCode::kInvalid);
    }
    const bool says_overdue = is("task") && member_of(body(), "status") == R"("overdue")";
    if (says_overdue && !is_open_and_due(*before, state_.now)) refuse(ErrorCode::kInvalid);
    if (is("recurring_task")) judge_changed_rule(after);
  }

  void judge_changed_rule(const Members& after) {
    const auto& used = member_of(after, "templateId");
    if (says(body(), "templateId")) judge_template(used, after);
    const bool resumes = member_of(body(), "isActive") == "true";
    if (resumes && records().find({"task_template", unquoted(used)}) == nullptr) {
      reasons_.possible.insert(ErrorCode::kNotFound);
    }
    const auto& end = member_of(after, "endDate");
    if (end != kNull && end < member_of(after, "startDate")) refuse(ErrorCode::kInvalid);
    const auto* rules = state_.occurrences;
    if (rules == nullptr ||
        rules->may_exceed_day(request_.id, body(), after, records(), state_.now)) {
      reasons_.possible.insert(ErrorCode::kRateLimited);
    }
  }

  // A rule uses an active template that is bound to no other farm. Global ones may have changed.
  void judge_template(const std::string& id, const Members& rule) {
    const auto* used = records().find({"task_template", unquoted(id)});
    if (used == nullptr) {
      reasons_.possible.insert(ErrorCode::kNotFound);
      return;
    }
    const auto& farm = member_of(*used, "farmId");
    const bool fits = farm == kNull || farm == member_of(rule, "farmId");
    if (!fits || member_of(*used, "isActive") != "true") refuse(ErrorCode::kNotFound);
  }

  void judge_applied_template() {
    const auto* used = records().find({"task_template", request_.of_template});
    auto farm = member_of(body(), "farmId");
    if (used == nullptr) {
      reasons_.possible = {ErrorCode::kNotFound, ErrorCode::kInvalid};
    } else {
      if (member_of(*used, "isActive") != "true") refuse(ErrorCode::kNotFound);
      if (farm == kNull) farm = member_of(*used, "farmId");
      if (farm == kNull) refuse(ErrorCode::kInvalid);
    }
    if (farm != kNull && records().find({"farm", unquoted(farm)}) == nullptr) {
      refuse(ErrorCode::kNotFound);
    }
  }

  // Of farms, and of the tags of a block's plants.
  void judge_names(const Members& record, const std::string& id) {
    const auto taken = [&](std::string_view name, std::string_view within) {
      if (!says(body(), name)) return false;
      return std::ranges::any_of(records().all(request_.table), [&](const auto& other) {
        return other.first != id && member_of(other.second, name) == member_of(record, name) &&
               member_of(other.second, within) == member_of(record, within);
      });
    };
    if (is("farm") && taken("name", "")) refuse(ErrorCode::kConflict);
    if (is("plant") && taken("tagId", "blockId")) refuse(ErrorCode::kConflict);
  }

  // Only what was never there is certain: the library may have listed others when it was asked.
  void judge_library() {
    for (const std::string_view name : {"adminCropId", "varietyId"}) {
      if (!says(body(), name)) continue;
      reasons_.possible.insert(ErrorCode::kNotFound);
      if (!state_.library.knows(unquoted(member_of(body(), name)))) {
        refuse(ErrorCode::kNotFound);
      }
    }
    if (is("crop")) judge_kind();
  }

  // A variety is of the crop that is named with it; one that is not named stays, and fits, too.
  void judge_kind() {
    const auto& crop = member_of(body(), "adminCropId");
    const bool leaves_it_out = request_.what == What::kChange && !body().contains("varietyId");
    const auto* before = records().find({"crop", request_.id});
    const auto& variety =
        member_of(leaves_it_out && before != nullptr ? *before : body(), "varietyId");
    if (variety == kNull) return;
    // A new crop leaves out what it says to be null.
    const bool names_none =
        request_.what == What::kChange && body().contains("adminCropId") && crop == kNull;
    if (names_none && !leaves_it_out) refuse(ErrorCode::kNotFound);
    if (crop != kNull && state_.library.crop_of(unquoted(variety)) != unquoted(crop)) {
      refuse(ErrorCode::kNotFound);
    }
  }

  bool is_own_id(std::string_view name) const { return name == request_.table + "Id"; }

  const PlainRequest& request_;
  const PlainState& state_;
  Reasons reasons_;
};

// What a decision fills in: members that the request leaves out, or all that follow from others.
const std::vector<std::string_view>& filled_in(const std::string& table) {
  static const std::map<std::string, std::vector<std::string_view>, std::less<>> kFilledIn{
      {"crop", {"adminCropId", "varietyId", "expectedHarvestDate", "actualHarvestDate"}},
      {"block", {"spacingX", "spacingY", "plantDensity"}},
      {"task", {"completedDate"}},
      {"expense", {"currency"}},
      {"overhead", {"currency"}},
      {"sale", {"currency"}},
      {"price_report", {"currency"}}};
  static const std::vector<std::string_view> kNone;
  const auto found = kFilledIn.find(table);
  return found == kFilledIn.end() ? kNone : found->second;
}

bool is_filled_in(const std::string& table, std::string_view name) {
  const auto& all = filled_in(table);
  return std::ranges::find(all, name) != all.end();
}

bool is_empty(const std::string& json) { return json == kNull || json == R"("")"; }

std::string wrong_member(const PlainRequest& request, std::string_view name) {
  return "the " + std::string(name) + " of a " + request.table + " is not as it was asked for";
}

std::string wrong_currency(const PlainRequest& request, const PlainState& state,
                           const Members& after) {
  const auto asked = request.body.find("currency");
  const bool applies = is_filled_in(request.table, "currency") && asked != request.body.end();
  if (!applies || !is_empty(asked->second)) return {};
  const auto* farm = state.records.find({"farm", unquoted(member_of(after, "farmId"))});
  return farm != nullptr && text_in(after, "currency") == base_currency_of(*farm)
             ? ""
             : "a " + request.table + " is in another currency than its farm's";
}

std::string wrong_completion(const PlainRequest& request, const PlainState& state,
                             const Members* before, const Members& after) {
  const auto completed = json_text("completed");
  const bool becomes = member_of(after, "status") == completed &&
                       (before == nullptr || member_of(*before, "status") != completed);
  if (request.table != "task" || !becomes) return {};
  const auto& asked = member_of(request.body, "completedDate");
  const auto expected = asked == kNull ? json_text(state.now.text()) : asked;
  return member_of(after, "completedDate") == expected ? ""
                                                       : wrong_member(request, "completedDate");
}

// A crop that becomes harvested was harvested today, where its farm is, unless its date is known.
std::string wrong_harvest(const PlainRequest& request, const PlainState& state,
                          const Members* before, const Members& after) {
  if (request.table != "crop") return {};
  constexpr std::string_view kDate = "actualHarvestDate";
  const auto harvested = json_text("harvested");
  const bool becomes = member_of(after, "status") == harvested &&
                       (before == nullptr || member_of(*before, "status") != harvested);
  auto expected = request.body.contains(kDate) || before == nullptr ? member_of(request.body, kDate)
                                                                    : member_of(*before, kDate);
  if (becomes && expected == kNull) {
    const auto* farm = state.records.find({"farm", unquoted(member_of(after, "farmId"))});
    const auto local = state.now.at + offset_at(member_of(*farm, "timezone"), state.now.at);
    expected = json_text(Date{std::chrono::floor<std::chrono::days>(local)}.text());
  }
  return member_of(after, kDate) == expected ? "" : wrong_member(request, kDate);
}

// A crop keeps its kind, or gets that which is asked for, with the variety of before if that is
// left out. A variety says of which crop it is.
std::string wrong_kind(const PlainRequest& request, const PlainState& state, const Members* before,
                       const Members& after) {
  if (request.table != "crop") return {};
  const auto& body = request.body;
  auto crop = member_of(before != nullptr ? *before : body, "adminCropId");
  auto variety = member_of(before != nullptr ? *before : body, "varietyId");
  if (body.contains("varietyId")) variety = member_of(body, "varietyId");
  if (body.contains("adminCropId")) {
    crop = member_of(body, "adminCropId");
    if (crop == kNull && before != nullptr) variety = kNull;
  }
  if (says(body, "varietyId")) crop = json_text(state.library.crop_of(unquoted(variety)));
  if (member_of(after, "adminCropId") != crop) return wrong_member(request, "adminCropId");
  return member_of(after, "varietyId") == variety ? "" : wrong_member(request, "varietyId");
}

// Where it is left out when a crop is planted, it follows from what the library says of its kind.
std::string wrong_expected_harvest(const PlainRequest& request, const PlainState& state,
                                   const Members* before, const Members& after) {
  if (request.table != "crop") return {};
  constexpr std::string_view kDate = "expectedHarvestDate";
  const auto& shown = member_of(after, kDate);
  const auto& body = request.body;
  const auto known = before == nullptr || body.contains(kDate) ? member_of(body, kDate)
                                                               : member_of(*before, kDate);
  const bool follows =
      before == nullptr || (!body.contains(kDate) && body.contains("plantingDate"));
  const auto& planted = member_of(after, "plantingDate");
  if (known != kNull || !follows || planted == kNull) {
    return shown == known ? "" : wrong_member(request, kDate);
  }
  const auto id_in = [&](std::string_view name) {
    return says(after, name) ? unquoted(member_of(after, name)) : std::string();
  };
  const auto all = state.library.days_to_maturity(id_in("adminCropId"), id_in("varietyId"));
  const bool is_one = std::ranges::any_of(all, [&](const auto& days) {
    if (!days) return shown == kNull;
    const auto date = Date::parse(unquoted(planted))->day + std::chrono::days(*days);
    return shown == json_text(Date{date}.text());
  });
  return is_one ? "" : "the expectedHarvestDate of a crop is not by its kind";
}

// What a task that is made from the owner's template takes from it, unless the request says else.
std::string wrong_from_template(const PlainRequest& request, const PlainState& state,
                                const Members& after) {
  const auto* from = state.records.find({"task_template", request.of_template});
  if (request.of_template.empty() || from == nullptr) return {};
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kTaken{
      {{"title", "name"},
       {"description", "description"},
       {"priority", "priority"},
       {"category", "category"},
       {"assignedTo", "defaultAssignee"},
       {"estimatedDuration", "estimatedDuration"}}};
  for (const auto& [name, of_template] : kTaken) {
    const bool is_said = request.body.contains(name);
    if (!is_said && member_of(after, name) != member_of(*from, of_template)) {
      return "the " + std::string(name) + " of a task is not its template's";
    }
  }
  const auto& farm = says(request.body, "farmId") ? request.body : *from;
  return member_of(after, "farmId") == member_of(farm, "farmId") ? ""
                                                                 : wrong_member(request, "farmId");
}

// Without the library, nothing of a block follows from it.
std::string wrong_without_library(const PlainRequest& request, const PlainState& state,
                                  const Members& after) {
  if (request.table != "block" || request.what != What::kCreate || says(after, "varietyId")) {
    return {};
  }
  const auto* crop = state.records.find({"crop", unquoted(member_of(after, "cropId"))});
  if (crop != nullptr && (says(*crop, "adminCropId") || says(*crop, "varietyId"))) return {};
  for (const std::string_view name : {"spacingX", "spacingY", "plantDensity"}) {
    if (!says(request.body, name) && says(after, name)) return wrong_member(request, name);
  }
  return {};
}

// A member that is asked for, and the record right after.
bool is_as_asked(const PlainRequest& request, std::string_view name, const std::string& asked,
                 const Members* before, const Members& after) {
  const auto& is = member_of(after, name);
  if (is == asked) return true;
  if (request.what == What::kCreate) {
    const bool of_template = !request.of_template.empty() && name == "farmId";
    return is_empty(asked) && (is_filled_in(request.table, name) || of_template);
  }
  if (request.table == "task") {
    // It follows from the dueDate, and the stored one stays.
    if (name == "status" && asked == json_text("overdue")) return is == member_of(*before, name);
    return name == "completedDate";
  }
  return request.table == "crop" && is_filled_in(request.table, name) && asked == kNull;
}

bool may_follow(const PlainRequest& request, std::string_view name) {
  if (is_filled_in(request.table, name) && request.table != "block") return true;
  if (request.form == PlainRequest::Form::kCompletion && name == "status") return true;
  if (request.body.contains("isActive") && name == "disabledReason") return true;
  constexpr std::array<std::string_view, 5> kAlways{"updatedAt", "soilPhFrom", "nextOccurrence",
                                                    "rrule", "schedule"};
  return std::ranges::find(kAlways, name) != kAlways.end();
}

}  // namespace

Members place_of(const WholeStream&) { return {}; }
Members place_of(const FarmPath& at) { return {{"farmId", json_text(at.farm_id.text())}}; }
Members place_of(const FieldPath& at) {
  return {{"farmId", json_text(at.farm_id.text())}, {"fieldId", json_text(at.field_id.text())}};
}
Members place_of(const BlockPath& at) {
  auto place = place_of(FieldPath{at.farm_id, at.field_id});
  place["blockId"] = json_text(at.block_id.text());
  return place;
}
Members place_of(const PlantPath& at) { return place_of(at.block); }
Members place_of(const CropPath& at) { return {{"cropId", json_text(at.crop_id.text())}}; }

PlainRequest said::plainly(const CompleteTask& command) {
  auto request = change<Task>(command);
  request.form = PlainRequest::Form::kCompletion;
  if (auto notes = request.body.extract("notes")) {
    notes.key() = "completionNotes";
    request.body.insert(std::move(notes));
  }
  return request;
}

PlainRequest said::plainly(const AmendWebhook& command) {
  return plainly(Update<Webhook>{command.at, command.changes});
}

PlainRequest said::plainly(const RemoveWebhook& command) {
  return plainly(Delete<Webhook>{command.at});
}

PlainRequest said::plainly(const ApplyTemplate& command) {
  return {.table = std::string(Task::kTable),
          .body = said_members(command),
          .of_template = command.at.template_id.text()};
}

std::string name_of(const PlainRequest& request) {
  const auto* const verb = request.what == What::kCreate   ? "create "
                           : request.what == What::kChange ? "change "
                                                           : "remove ";
  return verb + request.table;
}

std::string wrong_in_acceptance(const PlainRequest& request, const PlainState& state) {
  const auto reasons = Judge(request, state).reasons();
  if (!reasons.certain.empty()) {
    return "a " + request.table + " was accepted, and not refused as " +
           std::string(name_of(*reasons.certain.begin()));
  }
  const bool asks = request.what != What::kChange || !request.body.empty() ||
                    request.form == PlainRequest::Form::kCompletion;
  return asks ? "" : "a " + request.table + " was changed, though nothing was asked for";
}

std::string wrong_in_change(const PlainRequest& request, const PlainState& state,
                            const Members* before, const Members* after) {
  if (request.what == What::kRemove) {
    return after == nullptr ? "" : "a " + request.table + " is there that was to be removed";
  }
  if (after == nullptr) return "a " + request.table + " is not there that was asked for";
  for (const auto& [name, asked] : changed(request.body, request.place)) {
    if (name == request.table + "Id") continue;
    if (!is_as_asked(request, name, asked, before, *after)) return wrong_member(request, name);
  }
  if (before != nullptr) {
    for (const auto& [name, value] : *after) {
      if (request.body.contains(name) || may_follow(request, name)) continue;
      if (member_of(*before, name) != value) {
        return "the " + name + " of a " + request.table + " was changed, and was not asked for";
      }
    }
  }
  if (auto wrong = wrong_currency(request, state, *after); !wrong.empty()) return wrong;
  if (auto wrong = wrong_completion(request, state, before, *after); !wrong.empty()) return wrong;
  if (auto wrong = wrong_harvest(request, state, before, *after); !wrong.empty()) return wrong;
  if (auto wrong = wrong_kind(request, state, before, *after); !wrong.empty()) return wrong;
  if (auto wrong = wrong_expected_harvest(request, state, before, *after); !wrong.empty()) {
    return wrong;
  }
  if (auto wrong = wrong_from_template(request, state, *after); !wrong.empty()) return wrong;
  return wrong_without_library(request, state, *after);
}

bool may_be_refused(const PlainRequest& request, const PlainState& state, ErrorCode code) {
  const auto reasons = Judge(request, state).reasons();
  return reasons.certain.contains(code) || reasons.possible.contains(code);
}

bool may_change_nothing(const PlainRequest& request, const PlainState& state) {
  const auto reasons = Judge(request, state).reasons();
  if (!reasons.certain.empty()) return false;
  if (request.table == "user_crop") {
    const auto& entries = state.records.all("user_crop");
    return request.what == What::kCreate && std::ranges::any_of(entries, [&](const auto& each) {
             return member_of(each.second, "adminCropId") ==
                        member_of(request.body, "adminCropId") &&
                    member_of(each.second, "farmId") == member_of(request.body, "farmId");
           });
  }
  if (request.what != What::kChange) return false;
  const auto* before = state.records.find({request.table, request.id});
  const bool completed = member_of(*before, "status") == json_text("completed");
  if (request.form == PlainRequest::Form::kCompletion) return completed && request.body.empty();
  // A completedDate alone is nothing to a task that is not completed.
  return request.body.empty() || (request.table == "task" && request.body.size() == 1 &&
                                  request.body.contains("completedDate"));
}

}  // namespace tilth::testing
