#include "tests/simulation/plain_occurrences.h"

#include <algorithm>
#include <array>
#include <functional>

#include "events/log/streams.h"

namespace tilth::testing {
namespace {

using namespace std::chrono_literals;
using std::chrono::days;
using std::chrono::hours;
using Instant = std::chrono::sys_time<std::chrono::milliseconds>;
using Members = PlainRecords::Members;

constexpr std::size_t kMostMissed = 50;

const std::string kNewYork = R"("America/New_York")";

// The clocks of New York are set forward here, and back after all that is simulated.
constexpr Instant kSummerBegins = std::chrono::sys_days{std::chrono::year(2026) / 3 / 8} + 7h;

bool is_known(const std::string& zone) {
  return zone == R"("UTC")" || zone == R"("Asia/Tokyo")" || zone == kNewYork;
}

// The instant at which clocks show that. One that they skip is read as if they had not been set.
Instant when(const std::string& zone, Instant shown) {
  const auto before = offset_at(zone, Instant::min());
  const Instant in_summer = shown - offset_at(zone, Instant::max());
  return zone == kNewYork && in_summer >= kSummerBegins ? in_summer : shown - before;
}

Instant instant(const std::string& json) { return Timestamp::parse(unquoted(json))->at; }

// The occurrences of a rule that recurs every so many days.
class Daily {
 public:
  Daily(const Members& rule, const std::string& zone)
      : zone_(zone),
        start_(instant(rule.at("startDate"))),
        interval_(std::stoi(rule.at("interval"))),
        days_before_(std::stoi(rule.at("generateDaysBefore"))) {
    if (rule.at("endDate") != "null") end_ = instant(rule.at("endDate"));
  }

  static bool knows(const Members& rule, const std::string& zone) {
    const auto& pattern = rule.at("pattern");
    return is_known(zone) && (pattern == R"("daily")" || pattern == R"("custom")");
  }

  // The first that is not before `at` and has no task.
  std::optional<Instant> next(Instant at, const std::set<Instant>& made) const {
    const auto before = std::chrono::floor<days>(at - start_).count() / interval_ - 2;
    for (auto number = std::max<std::int64_t>(before, 0);; ++number) {
      const auto occurrence = this->at(number);
      if (end_ && occurrence > *end_) return std::nullopt;
      if (occurrence >= at && !made.contains(occurrence)) return occurrence;
    }
  }

  // When the task of an occurrence is made.
  Instant made_at(Instant occurrence) const {
    return when(zone_, occurrence + offset_at(zone_, occurrence) - days(days_before_));
  }

 private:
  Instant at(std::int64_t number) const {
    return when(zone_, start_ + offset_at(zone_, start_) + days(number * interval_));
  }

  const std::string zone_;
  const Instant start_;
  const int interval_, days_before_;
  std::optional<Instant> end_;
};

std::string wrong_next(const Members& rule, const std::string& zone, Instant from,
                       const std::set<Instant>& made) {
  const auto next = Daily(rule, zone).next(from, made);
  const auto expected = text_of(next ? Json::string(Timestamp{*next}.text()) : Json{});
  const auto& shown = rule.at("nextOccurrence");
  return shown == expected ? ""
                           : "the nextOccurrence of a rule is " + shown + " instead of " + expected;
}

// Whether a change that names these members changes when the rule recurs.
bool moves(const std::function<bool(const std::string& member)>& names) {
  return std::ranges::any_of(std::array{"pattern", "interval", "daysOfWeek", "dayOfMonth",
                                        "monthOfYear", "startDate", "endDate"},
                             names);
}

}  // namespace

std::chrono::hours offset_at(const std::string& zone, Instant at) {
  if (zone == kNewYork) return at < kSummerBegins ? -5h : -4h;
  return zone == R"("UTC")" ? 0h : 9h;
}

// Null: its template is an operator's, of which nothing is known here.
std::optional<bool> PlainOccurrences::rests(const Members& rule,
                                            const PlainRecords& records) const {
  const auto id = unquoted(rule.at("templateId"));
  if (!templates_.contains(id)) return std::nullopt;
  const auto* used = records.find({"task_template", id});
  return rule.at("isActive") == "false" || used == nullptr || used->at("isActive") == "false";
}

bool PlainOccurrences::is_gone(const std::string& template_id, const PlainRecords& records) const {
  return templates_.contains(template_id) &&
         records.find({"task_template", template_id}) == nullptr;
}

// Whether a new rule's template is active and fits its farm.
bool PlainOccurrences::can_be_used(const Json& rule, const PlainRecords& records) const {
  const auto id = rule.find("templateId")->text;
  if (!templates_.contains(id)) return true;
  const auto* used = records.find({"task_template", id});
  if (used == nullptr || used->at("isActive") == "false") return false;
  const auto& farm = used->at("farmId");
  return farm == "null" || farm == text_of(*rule.find("farmId"));
}

std::vector<Instant> PlainOccurrences::due(const Rule& rule, const Members& record,
                                           const std::string& zone, Instant now) const {
  const Daily daily(record, zone);
  std::vector<Instant> all;
  for (auto next = daily.next(rule.from, rule.made); next && daily.made_at(*next) <= now;
       next = daily.next(*next + 1ms, rule.made)) {
    all.push_back(*next);
  }
  // After a long time only the newest of those that have passed.
  while (all.size() > kMostMissed && all.front() < now) all.erase(all.begin());
  return all;
}

std::string PlainOccurrences::check_made(const Record& record, const PlainRecords& records) const {
  if (record.envelope.actor == kClockActor) return {};
  // What another node has done is due here once this one's clock has come so far.
  const bool is_behind = record.envelope.time.at < newest_;
  for (const auto& [id, rule] : records.all("recurring_task")) {
    const bool is_left = is_gone(unquoted(rule.at("templateId")), records) && !is_behind;
    if (rule.at("isActive") == "true" && is_left) {
      return "a rule goes on whose template was removed";
    }
    const auto& zone = zones_.at(unquoted(rule.at("farmId")));
    if (is_behind || !Daily::knows(rule, zone) || rests(rule, records).value_or(true)) continue;
    const auto& its = rules_.at(id);
    const auto now = record.envelope.time.at;
    if (now >= its.put_off_until && !due(its, rule, zone, now).empty()) {
      return "a rule has not made a task that was due before";
    }
    if (auto wrong = wrong_next(rule, zone, its.from, its.made); !wrong.empty()) {
      return wrong;
    }
  }
  return {};
}

std::string PlainOccurrences::take(const Record& record, const PlainRecords& records) {
  const auto now = record.envelope.time.at;
  newest_ = std::max(newest_, now);
  const auto& type = record.envelope.type;
  if (type == "tilth.records.erased") made_on_.clear();
  for (const auto& [id, used] : records.all("task_template")) templates_.insert(id);
  note_farms(now, records);
  if (!type.starts_with("tilth.recurring_task.")) return note_rests(now, records), "";
  const auto event = parse_json(record.json);
  if (!event) return "an event is no JSON";
  if (type.ends_with("created")) {
    if (!can_be_used(*event, records)) return "a rule is made of a template that cannot be used";
    rules_[event->find("recurringTaskId")->text].from = now;
  } else if (type.ends_with("amended") &&
             moves([&](const auto& name) { return event->find(name) != nullptr; })) {
    rules_[event->find("recurringTaskId")->text].from = now + 1ms;
  }
  note_rests(now, records);
  if (const auto* schedule = event->find("schedule")) {
    return follow(event->find("recurringTaskId")->text, *schedule, now, By::kRequest, records);
  }
  if (!type.ends_with("advanced")) return {};
  for (const auto& [none, rule] : event->find("rules")->children) {
    const auto id = rule.find("recurringTaskId")->text;
    auto wrong = follow(id, *rule.find("schedule"), now, By::kTime, records);
    if (!wrong.empty()) return wrong;
  }
  return {};
}

// Its rules go on with what comes next at its new wall time.
void PlainOccurrences::note_farms(Instant now, const PlainRecords& records) {
  for (const auto& [farm, members] : records.all("farm")) {
    auto& zone = zones_[farm];
    if (zone == members.at("timezone")) continue;
    zone = members.at("timezone");
    for (const auto& [id, rule] : records.all("recurring_task")) {
      if (unquoted(rule.at("farmId")) == farm) rules_[id].from = now + 1ms;
    }
  }
}

// What would have come in a pause is over.
void PlainOccurrences::note_rests(Instant now, const PlainRecords& records) {
  for (const auto& [id, rule] : records.all("recurring_task")) {
    auto& its = rules_[id];
    const bool resting = rests(rule, records).value_or(false);
    if (its.rests && !resting) its.from = std::max(its.from, now);
    its.rests = resting;
  }
}

std::int64_t PlainOccurrences::tasks_left(Timestamp now) const {
  const auto made = made_on_.find(std::chrono::floor<days>(now.at));
  return tasks_a_day_ - (made == made_on_.end() ? 0 : made->second);
}

bool PlainOccurrences::may_exceed_day(const std::string& id, const Members& changes,
                                      const Members& after, const PlainRecords& records,
                                      Timestamp now) const {
  const auto rests_after = rests(after, records);
  const auto& zone = zones_.at(unquoted(after.at("farmId")));
  if (!rests_after || !Daily::knows(after, zone)) return true;
  if (*rests_after) return false;
  auto rule = rules_.at(id);
  if (moves([&](const auto& name) { return changes.contains(name); })) rule.from = now.at + 1ms;
  if (rule.rests) rule.from = std::max(rule.from, now.at);
  return std::ssize(due(rule, after, zone, now.at)) > tasks_left(now);
}

// All of it, or nothing until tomorrow.
std::string PlainOccurrences::check_due(Rule& rule, const std::vector<Instant>& due,
                                        const std::vector<Instant>& made, Instant now,
                                        By by) const {
  const bool fits = due.empty() || std::ssize(due) <= tasks_left({now});
  if (!fits && by == By::kRequest) return "a request was not refused that the day has no tasks for";
  if (!fits && made.empty()) {
    rule.put_off_until = std::chrono::floor<days>(now) + days(1);
    return {};
  }
  rule.put_off_until = {};
  return made == due ? "" : "a rule has made other tasks than were due";
}

std::string PlainOccurrences::follow(const std::string& id, const Json& schedule, Instant now,
                                     By by, const PlainRecords& records) {
  const auto& record = *records.find({"recurring_task", id});
  const auto& zone = zones_.at(unquoted(record.at("farmId")));
  const bool known = rests(record, records).has_value();
  auto& rule = rules_[id];
  std::vector<Instant> made;
  for (const auto& [none, task] : schedule.find("tasks")->children) {
    made.push_back(instant(text_of(*task.find("dueDate"))));
  }
  if (rule.rests && !made.empty()) return "a rule that rests has made a task";
  const auto ahead = days(std::stoi(record.at("generateDaysBefore")));
  for (const auto each : made) {
    if (each < instant(record.at("startDate"))) return "a task is of a time before its rule starts";
    if (record.at("endDate") != "null" && each > instant(record.at("endDate"))) {
      return "a task is of a time after its rule has ended";
    }
    if (known && each < rule.from) return "a task is of a time that was over";
    if (each > now + ahead + (ahead > 0h ? 1h : 0h)) return "a task is made too early";
    if (rule.made.contains(each)) return "an occurrence has two tasks";
  }
  const bool all_known = known && Daily::knows(record, zone);
  if (all_known && !rule.rests) {
    const auto wrong = check_due(rule, due(rule, record, zone, now), made, now, by);
    if (!wrong.empty()) return wrong;
  }
  if (std::ssize(made) > std::max<std::int64_t>(tasks_left({now}), 0)) {
    return "rules have made more tasks than they may on a day";
  }
  made_on_[std::chrono::floor<days>(now)] += std::ssize(made);
  rule.made.insert(made.begin(), made.end());
  if (!made.empty()) rule.from = made.back() + 1ms;
  if (!all_known) return {};
  return wrong_next(record, zone, rule.rests ? std::max(rule.from, now) : rule.from, rule.made);
}

}  // namespace tilth::testing
