#include "tests/simulation/plain_records.h"

#include <algorithm>
#include <array>

#include "events/values/places.h"
#include "projections/rows/row_keys.h"
#include "tests/simulation/plain_webhook.h"
#include "tests/simulation/row_kinds.h"

namespace tilth::testing {
namespace {

using Members = PlainRecords::Members;

// What is known of a kind of record.
struct Kind {
  std::string_view table;
  std::string_view id;                      // what its events call its id
  std::string_view parent;                  // the member that it is listed under; empty: the owner
  std::vector<std::string_view> goes_with;  // the members that name what it is removed with
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> kKinds{
      {"farm", "farmId", "", {}},
      {"field", "fieldId", "farmId", {"farmId"}},
      {"crop", "cropId", "", {"farmId", "fieldId"}},
      {"block", "blockId", "fieldId", {"fieldId", "cropId"}},
      {"plant", "plantId", "blockId", {"blockId"}},
      {"irrigation", "irrigationId", "fieldId", {"fieldId"}},
      {"soil_sample", "soilSampleId", "fieldId", {"fieldId"}},
      {"fertigation", "fertigationId", "blockId", {"blockId"}},
      {"leaf_sample", "leafSampleId", "blockId", {"blockId"}},
      {"price_report", "priceReportId", "", {"farmId"}},
      {"overhead", "overheadId", "farmId", {"farmId"}},
      {"expense", "expenseId", "farmId", {"farmId", "cropId", "fieldId"}},
      {"sale", "saleId", "cropId", {"cropId"}},
      {"task", "taskId", "", {"farmId"}},
      {"recurring_task", "recurringTaskId", "", {"farmId"}},
      {"task_template", "templateId", "", {"farmId"}},
      {"user_crop", "userCropId", "", {"farmId"}},
      {"webhook", "webhookId", "", {}},
      {"admin_crop", "adminCropId", "", {}},
      {"variety", "varietyId", "adminCropId", {"adminCropId"}}};
  return kKinds;
}

const Kind* kind_of(std::string_view table) {
  const auto found = std::ranges::find(kinds(), table, &Kind::table);
  return found == kinds().end() ? nullptr : &*found;
}

// The records that others are linked to.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kLinks{
    {{"farmId", "farm"}, {"fieldId", "field"}, {"blockId", "block"}, {"cropId", "crop"}}};

// The members with the time of an event.
constexpr std::array<std::string_view, 16> kTimes{
    "registeredAt", "recordedAt",  "createdAt",  "addedAt",    "amendedAt", "renamedAt",
    "removedAt",    "describedAt", "importedAt", "advancedAt", "stoppedAt", "refusedAt",
    "answeredAt",   "rotatedAt",   "disabledAt", "requestedAt"};

const std::string kNull = "null";

const std::string& member_of(const Members& members, std::string_view name) {
  const auto found = members.find(name);
  return found == members.end() ? kNull : found->second;
}

std::string json_text(std::string_view text) { return text_of(Json::string(text)); }

// Of "tilth.task.created": task, and created.
std::pair<std::string, std::string> parts_of(const std::string& type) {
  const auto first = type.find('.'), last = type.rfind('.');
  return {type.substr(first + 1, last - first - 1), type.substr(last + 1)};
}

bool creates(std::string_view what) {
  return what == "registered" || what == "recorded" || what == "created" || what == "added";
}

Uuid uuid_in(const std::string& json) { return Uuid::parse(unquoted(json)).value_or(Uuid{}); }

}  // namespace

Members members_of(const Json& object) {
  Members members;
  for (const auto& [name, value] : object.children) members[name] = text_of(value);
  return members;
}

std::string unquoted(std::string_view json) {
  return std::string(json.size() < 2 ? json : json.substr(1, json.size() - 2));
}

bool is_null(const Members& members, std::string_view name) {
  return members.find(name)->second == kNull;
}

std::string text_in(const Members& members, std::string_view name) {
  return unquoted(members.find(name)->second);
}

Fraction number_in(const Members& members, std::string_view name) {
  const auto& json = members.find(name)->second;
  return exact(json.starts_with('"') ? unquoted(json).c_str() : json.c_str());
}

std::string base_currency_of(const Members& farm) {
  if (!is_null(farm, "currency")) return text_in(farm, "currency");
  if (is_null(farm, "country")) return "USD";
  return Country::stored(text_in(farm, "country")).currency();
}

bool is_listed(const Members& library_crop) {
  return library_crop.at("isVerified") == "true" && library_crop.at("isActive") == "true";
}

const Members* PlainRecords::find(const Name& name) const {
  const auto table = tables_.find(name.first);
  if (table == tables_.end()) return nullptr;
  const auto found = table->second.find(name.second);
  return found == table->second.end() ? nullptr : &found->second;
}

const std::map<std::string, Members>& PlainRecords::all(const std::string& table) const {
  static const std::map<std::string, Members> kNone;
  const auto found = tables_.find(table);
  return found == tables_.end() ? kNone : found->second;
}

std::string PlainRecords::take(const Record& record) {
  stream_ = record.stream;
  about_.reset();
  named_.reset();
  const auto event = parse_json(record.json);
  if (!event) return "an event is no JSON";
  return take_event(record, *event);
}

std::string PlainRecords::take_event(const Record& record, const Json& event) {
  const auto [table, what] = parts_of(record.envelope.type);
  auto members = members_of(event);
  const auto now = json_text(record.envelope.time.text());
  for (const auto name : kTimes) {
    if (members.contains(name) && members.find(name)->second != now) {
      return "an event does not have the time of its record";
    }
  }
  if (table == "request") {
    if (what != "answered") return {};
    const Name shown{unquoted(member_of(members, "table")), unquoted(member_of(members, "rowId"))};
    if (find(shown) != nullptr) about_ = shown;
    return {};
  }
  if (table == "admin_crop") return describe(event, members);
  if (what == "advanced") {
    for (const auto& [none, rule] : event.find("rules")->children) {
      const auto id = rule.find("recurringTaskId")->text;
      if (auto wrong = follow(id, *rule.find("schedule"), now); !wrong.empty()) return wrong;
    }
    return {};
  }
  if (what == "stopped") {
    for (const auto& [none, id] : event.find("recurringTaskIds")->children) {
      const auto rule = tables_["recurring_task"].find(id.text);
      if (rule == tables_["recurring_task"].end()) return "a rule is stopped that there is not";
      rule->second["isActive"] = "false";
      rule->second["updatedAt"] = now;
    }
    return {};
  }
  if (what == "erased") return tables_.clear(), "";
  const auto* kind = kind_of(table);
  if (kind == nullptr) return {};
  if (what == "imported") return import_templates(event, now);
  const auto id = unquoted(member_of(members, kind->id));
  named_ = Name{table, id};
  std::string status = kNull;  // before the event
  if (creates(what)) {
    about_ = Name{table, id};
    if (auto wrong = create(table, std::move(members), now); !wrong.empty()) return wrong;
    if (table == "webhook") begin_webhook(tables_[table][id], record.envelope.stream_version);
  } else {
    const auto found = tables_[table].find(id);
    if (found == tables_[table].end()) return "a " + table + " is " + what + " that there is not";
    status = member_of(found->second, "status");
    if (what == "removed") {
      const auto gone = found->second;
      remove(table, id);
      if (table == "soil_sample") forget_sample(gone, now);
      return {};
    }
    about_ = Name{table, id};
    if (what == "completed") {
      if (auto wrong = complete(found->second, members, now); !wrong.empty()) return wrong;
    }
    const auto before = found->second;
    if (table != "webhook" || what == "amended") amend(found->second, members, kind->id);
    const bool changes =
        table != "webhook" || follow_webhook(found->second, what, members,
                                             record.envelope.stream_version, record.envelope.time);
    if (auto wrong = new_links_of(table, before, found->second); !wrong.empty()) return wrong;
    if (what != "renamed" && changes) found->second["updatedAt"] = now;
  }
  if (table == "task") return check_task(tables_[table].at(id));
  if (table == "crop") return check_crop(tables_[table].at(id), status);
  if (const auto* schedule = event.find("schedule")) return follow(id, *schedule, now);
  return {};
}

std::string PlainRecords::create(const std::string& table, Members members, const std::string& at) {
  const auto* kind = kind_of(table);
  auto node = members.extract(std::string(kind->id));
  const auto id = unquoted(node.mapped());
  node.key() = "id";
  members.insert(std::move(node));
  if (!ids_.insert(id).second) return "an id was given twice";
  if (auto wrong = links_of(table, members); !wrong.empty()) return wrong;
  members["createdAt"] = members["updatedAt"] = at;
  if (members.contains("createdBy") && stream_ != "reference" &&
      members["createdBy"] != json_text(stream_)) {
    return "a " + table + " is said to be of somebody else";
  }
  if (table == "task") members["sopTemplateId"] = kNull;
  if (table == "task_template") members["isGlobal"] = stream_ == "reference" ? "true" : "false";
  if (table == "user_crop") {
    const auto crop = parse_json(member_of(members, "adminCrop"));
    members["adminCropId"] = crop ? text_of(*crop->find("id")) : kNull;
    members["userId"] = json_text(stream_);
  }
  const auto& record = tables_[table][id] = std::move(members);
  if (table == "soil_sample") sample_soil(record, at);
  return {};
}

std::string PlainRecords::links_of(const std::string& table, const Members& members) const {
  const bool on_a_field = table != "task" && table != "expense";
  for (const auto& [name, linked_table] : kLinks) {
    const auto& id = member_of(members, name);
    if (id == kNull || linked_table == table) continue;
    const auto* linked = find({std::string(linked_table), unquoted(id)});
    if (linked == nullptr)
      return "a " + table + " is on a " + std::string(linked_table) + " that there is not";
    for (const std::string_view place : {"farmId", "fieldId"}) {
      const auto& its = member_of(*linked, place);
      const auto& own = member_of(members, place);
      if (its == kNull || own == kNull || its == own) continue;
      if (place == "farmId" || on_a_field) {
        return "a " + table + " is on a " + std::string(linked_table) + " of another " +
               (place == "farmId" ? "farm" : "field");
      }
    }
  }
  return {};
}

std::string PlainRecords::new_links_of(const std::string& table, const Members& before,
                                       Members after) const {
  for (const std::string_view name : {"fieldId", "blockId", "cropId"}) {
    const bool is_its_place = name == "fieldId" && table != "task";
    if (!is_its_place && member_of(after, name) == member_of(before, name)) {
      after.erase(std::string(name));
    }
  }
  return links_of(table, after);
}

// A task stays completed since it first was.
std::string PlainRecords::complete(Members& task, const Members& event, const std::string& at) {
  const bool was = member_of(task, "status") == json_text("completed");
  const auto& since = was ? member_of(task, "completedDate") : at;
  if (member_of(event, "completedDate") != since) return "a task is completed at another time";
  task["status"] = json_text("completed");
  return {};
}

// Only the members that the event names change.
void PlainRecords::amend(Members& record, const Members& members, std::string_view id_name) {
  for (const auto& [name, value] : members) {
    const bool is_a_time = std::ranges::find(kTimes, name) != kTimes.end();
    if (name == id_name || name == "schedule" || is_a_time) continue;
    record[name] = value;
    if (name == "soilPh") record["soilPhFrom"] = kNull;
  }
}

// docs/api.md, "Soil sample".
void PlainRecords::sample_soil(const Members& sample, const std::string& at) {
  if (member_of(sample, "ph") == kNull) return;
  const auto when = [](const Members& each) {
    return std::pair(member_of(each, "sampledAt"), member_of(each, "createdAt"));
  };
  for (const auto& [id, other] : tables_["soil_sample"]) {
    const bool counts = member_of(other, "fieldId") == member_of(sample, "fieldId") &&
                        member_of(other, "ph") != kNull;
    if (counts && when(sample) < when(other)) return;
  }
  auto& field = tables_["field"][unquoted(member_of(sample, "fieldId"))];
  field["soilPh"] = member_of(sample, "ph");
  field["soilPhFrom"] = member_of(sample, "id");
  field["updatedAt"] = at;
}

void PlainRecords::forget_sample(const Members& sample, const std::string& at) {
  auto& field = tables_["field"][unquoted(member_of(sample, "fieldId"))];
  if (member_of(field, "soilPhFrom") != member_of(sample, "id")) return;
  const Members* newest = nullptr;
  for (const auto& [id, other] : tables_["soil_sample"]) {
    const bool counts = member_of(other, "fieldId") == member_of(sample, "fieldId") &&
                        member_of(other, "ph") != kNull;
    if (!counts) continue;
    // Ids increase with the time of their creation.
    if (newest == nullptr || member_of(*newest, "sampledAt") <= member_of(other, "sampledAt")) {
      newest = &other;
    }
  }
  if (newest == nullptr) return;
  field["soilPh"] = member_of(*newest, "ph");
  field["soilPhFrom"] = member_of(*newest, "id");
  field["updatedAt"] = at;
}

std::string PlainRecords::follow(const std::string& id, const Json& schedule,
                                 const std::string& at) {
  const auto found = tables_["recurring_task"].find(id);
  if (found == tables_["recurring_task"].end()) return "a rule makes tasks that there is not";
  auto& rule = found->second;
  if (!about_) about_ = Name{"recurring_task", id};
  rule["nextOccurrence"] = text_of(*schedule.find("nextOccurrence"));
  rule["rrule"] = text_of(*schedule.find("rrule"));
  return make_tasks(rule, schedule, at);
}

std::string PlainRecords::make_tasks(const Members& rule, const Json& schedule,
                                     const std::string& at) {
  for (const auto& [none, task] : schedule.find("tasks")->children) {
    auto made = members_of(*schedule.find("makes"));
    const auto id = task.find("taskId")->text;
    if (!ids_.insert(id).second) return "a task of a rule is made twice";
    made["id"] = json_text(id);
    made["dueDate"] = text_of(*task.find("dueDate"));
    made["farmId"] = member_of(rule, "farmId");
    made["recurringTaskId"] = member_of(rule, "id");
    made["createdBy"] = member_of(rule, "createdBy");
    made["sopTemplateId"] = kNull;
    made["createdAt"] = made["updatedAt"] = at;
    tables_["task"][id] = std::move(made);
  }
  return {};
}

std::string PlainRecords::describe(const Json& event, const Members& members) {
  const auto put = [this, &members](const std::string& table, std::string_view id_name,
                                    Members record) {
    auto node = record.extract(std::string(id_name));
    const auto id = unquoted(node.mapped());
    node.key() = "id";
    record.insert(std::move(node));
    const auto* before = find({table, id});
    record["createdAt"] =
        before != nullptr ? member_of(*before, "createdAt") : member_of(members, "describedAt");
    tables_[table][id] = std::move(record);
    return id;
  };
  const auto crop = put("admin_crop", "adminCropId", members);
  about_ = Name{"admin_crop", crop};
  for (const auto& [none, variety] : event.find("varieties")->children) {
    auto described = members_of(variety);
    described["adminCropId"] = json_text(crop);
    put("variety", "varietyId", std::move(described));
  }
  return {};
}

std::string PlainRecords::import_templates(const Json& event, const std::string& at) {
  for (const auto& [none, imported] : event.find("templates")->children) {
    auto record = members_of(imported);
    const auto id = imported.find("templateId")->text;
    const auto* before = find({"task_template", id});
    if (!about_) about_ = Name{"task_template", id};
    record["id"] = json_text(id);
    record["isGlobal"] = stream_ == "reference" ? "true" : "false";
    record["createdBy"] =
        before != nullptr ? member_of(*before, "createdBy") : json_text("operator");
    record["createdAt"] = before != nullptr ? member_of(*before, "createdAt") : at;
    record["updatedAt"] = at;
    tables_["task_template"][id] = std::move(record);
  }
  return {};
}

std::string PlainRecords::check_task(const Members& task) {
  const bool completed = member_of(task, "status") == json_text("completed");
  if (completed == (member_of(task, "completedDate") != kNull)) return {};
  return completed ? "a completed task has no completedDate"
                   : "a task has a completedDate that is not completed";
}

std::string PlainRecords::check_crop(const Members& crop, const std::string& status_before) {
  const auto harvested = json_text("harvested");
  const bool begins = member_of(crop, "status") == harvested && status_before != harvested;
  return begins && member_of(crop, "actualHarvestDate") == kNull ? "a crop is harvested on no date"
                                                                 : "";
}

// With all that goes with it.
void PlainRecords::remove(const std::string& table, const std::string& id) {
  tables_[table].erase(id);
  for (const auto& kind : kinds()) {
    for (const auto name : kind.goes_with) {
      if (std::ranges::find(kLinks, std::pair(name, std::string_view(table))) == kLinks.end())
        continue;
      std::vector<std::string> gone;
      for (const auto& [other, members] : tables_[std::string(kind.table)]) {
        if (member_of(members, name) == json_text(id)) gone.push_back(other);
      }
      for (const auto& other : gone) remove(std::string(kind.table), other);
    }
  }
}

std::string PlainRecords::check_last(const Rows& rows) const {
  if (!about_) return {};
  const auto row = rows.find_bytes(about_->first, uuid_in(json_text(about_->second)));
  return row ? check_row(*row) : "a " + about_->first + " has no row";
}

std::string PlainRecords::check_row(const RowBytes& row) const {
  const auto json = parse_json(stored_json(row));
  if (!json) return {};
  const auto* record = find({row.table, json->find("id")->text});
  if (record == nullptr) return "a row of a " + row.table + " is there without a record";
  for (const auto& [name, value] : json->children) {
    const auto text = text_of(value);
    const auto found = record->find(name);
    if (found == record->end() || found->second != text) {
      return "the " + name + " of a " + row.table + " is " + text + ", and " +
             (found == record->end() ? "none" : found->second) + " by its events";
    }
  }
  return {};
}

std::string PlainRecords::check(const Rows& rows) const {
  std::map<std::string, std::size_t, std::less<>> there;
  const auto begin = rows.own_key(kRowKey);
  const auto cursor = rows.cursor();
  for (cursor->seek(begin); cursor->valid() && cursor->key().starts_with(begin); cursor->next()) {
    const auto parts = row_key_parts(cursor->key());
    if (!parts || kind_of(parts->table) == nullptr) continue;
    const std::string table(parts->table);
    if (auto wrong = check_row({table, std::string(cursor->value())}); !wrong.empty()) return wrong;
    ++there[table];
  }
  for (const auto& [table, records] : tables_) {
    if (there[table] < records.size()) return "a " + table + " has no row";
  }
  return check_lists(rows);
}

std::string PlainRecords::check_lists(const Rows& rows) const {
  for (const auto& kind : kinds()) {
    const std::string table(kind.table);
    std::map<std::string, std::vector<std::string>> below;  // by parent
    for (const auto& [id, record] : all(table)) {
      below[kind.parent.empty() ? "" : member_of(record, kind.parent)].push_back(id);
    }
    for (const auto& [parent, ids] : below) {
      const auto of = parent.empty() ? Uuid{} : uuid_in(parent);
      auto found = listed(rows, table, of);
      std::ranges::sort(found);
      if (found != ids || rows.count(table, of) != ids.size()) {
        return "a list of " + table + " rows is not that of the records";
      }
    }
  }
  return {};
}

}  // namespace tilth::testing
