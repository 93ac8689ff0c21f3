// An owner's records as their events say that they are, member by member in JSON. The plainest way
// to fold events: it shares no code with what folds them, removes what goes with a record, and
// lists rows.

#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "events/json/json.h"
#include "events/log/event_log.h"
#include "events/values/exact.h"
#include "projections/rows/rows.h"

namespace tilth::testing {

// Follows one stream. Functions that return text say what does not hold; empty: nothing.
class PlainRecords {
 public:
  using Members = std::map<std::string, std::string, std::less<>>;  // JSON, by name
  using Name = std::pair<std::string, std::string>;                 // a table, and an id

  // `record` is the next of the stream that counts.
  std::string take(const Record& record);

  // What the last record is about; null: a removal, a refusal, or nothing that has a row.
  const std::optional<Name>& about() const { return about_; }
  // The same, and what it removes.
  const std::optional<Name>& named() const { return named_; }
  // Whether the rows have the one that the last record is about as it is now.
  std::string check_last(const Rows& rows) const;

  // Whether a row, wherever it is shown, is as its record is now.
  std::string check_row(const RowBytes& row) const;
  // Whether the rows are those of the records, and no others, each in its list.
  std::string check(const Rows& rows) const;

  // Null: there is none.
  const Members* find(const Name& name) const;
  // By id.
  const std::map<std::string, Members>& all(const std::string& table) const;

  // Of what a record is linked to: that is there, on the same farm; and what lies on a field, on
  // the same field.
  std::string links_of(const std::string& table, const Members& members) const;
  // The same of the links that a change sets: those of before may lead to what is gone.
  std::string new_links_of(const std::string& table, const Members& before, Members after) const;

 private:
  std::string take_event(const Record& record, const Json& event);
  std::string create(const std::string& table, Members members, const std::string& at);
  static std::string complete(Members& task, const Members& event, const std::string& at);
  static void amend(Members& record, const Members& members, std::string_view id_name);
  std::string follow(const std::string& rule, const Json& schedule, const std::string& at);
  std::string make_tasks(const Members& rule, const Json& schedule, const std::string& at);
  std::string describe(const Json& event, const Members& members);
  std::string import_templates(const Json& event, const std::string& at);
  static std::string check_task(const Members& task);
  static std::string check_crop(const Members& crop, const std::string& status_before);
  void remove(const std::string& table, const std::string& id);
  void sample_soil(const Members& sample, const std::string& at);
  void forget_sample(const Members& sample, const std::string& at);
  std::string check_lists(const Rows& rows) const;

  std::string stream_;
  std::map<std::string, std::map<std::string, Members>> tables_;  // by table and id
  std::set<std::string> ids_;                                     // that were ever given
  std::optional<Name> about_, named_;
};

// The members of a JSON object, and the text of a JSON string.
PlainRecords::Members members_of(const Json& object);
std::string unquoted(std::string_view json);

// Of a member that there is: whether it is null, the text of a string, and the value of a number or
// of a string with a number.
bool is_null(const PlainRecords::Members& members, std::string_view name);
std::string text_in(const PlainRecords::Members& members, std::string_view name);
Fraction number_in(const PlainRecords::Members& members, std::string_view name);

// The code of the money of a farm, where a request names none.
std::string base_currency_of(const PlainRecords::Members& farm);
// Whether growers see a crop of the library.
bool is_listed(const PlainRecords::Members& library_crop);

}  // namespace tilth::testing
