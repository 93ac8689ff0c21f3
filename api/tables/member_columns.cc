#include "api/tables/member_columns.h"

#include <algorithm>
#include <array>
#include <utility>

#include "api/openapi/openapi_schemas.h"

namespace tilth {
namespace {

// Hashes of passwords, digests of keys and tokens.
bool is_secret(std::string_view member) {
  return member.ends_with("Hash") || member.ends_with("Digest");
}

ColumnType type_of_text(std::string_view format) {
  if (format == Uuid::kFormat) return ColumnType::kUuid;
  if (format == Date::kFormat) return ColumnType::kDate;
  if (format == Timestamp::kFormat) return ColumnType::kTimestamp;
  return ColumnType::kText;
}

// A type with a JSON form of its own says in its schema what it is.
ColumnType type_of_own(std::string_view schema) {
  const auto json = parse_json(schema);
  const auto* type = json ? json->find("type") : nullptr;
  const auto* format = json ? json->find("format") : nullptr;
  if (type != nullptr && type->text == "number") return ColumnType::kNumber;
  if (type == nullptr || type->text != "string") return ColumnType::kJson;
  return type_of_text(format == nullptr ? std::string_view() : format->text);
}

ColumnType type_of(const TypeForm& form) {
  using enum TypeForm::Kind;
  switch (form.kind) {
    case kOptional:
    case kPatch:
      return type_of(*form.inner);
    case kObject:
    case kArray:
      return ColumnType::kJson;
    case kOwnJson:
      return type_of_own(form.schema);
    case kEnum:
      return ColumnType::kText;
    case kBoolean:
      return ColumnType::kBoolean;
    case kInteger:
      return ColumnType::kInteger;
    case kNumber:
      return ColumnType::kNumber;
    case kDecimal:
    case kFigure:
      return ColumnType::kDecimal;
    case kText:
      return type_of_text(form.format);
  }
  return ColumnType::kText;
}

const TypeForm& value_form(const TypeForm& form) {
  const bool wrapped =
      form.kind == TypeForm::Kind::kOptional || form.kind == TypeForm::Kind::kPatch;
  return wrapped ? value_form(*form.inner) : form;
}

// Members of events that no request or response has.
constexpr auto kOnlyInEvents = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"amendedAt", "When it was amended."},
    {"body", "The body of the response."},
    {"changed", "How many rates are new or different."},
    {"days", "The rates of each day, in units per euro."},
    {"describedAt", "When it was described."},
    {"details", "What was wrong with each member of the request."},
    {"disabledAt", "When the account was disabled; null: it is not."},
    {"enabledAt", "When the account was enabled."},
    {"eventVersion", "The streamVersion of the event that is sent again."},
    {"fieldName", "The field, in the owner's words."},
    {"identifiedAt", "When the account was linked to the identity."},
    {"identity", "The account's identity at an identity provider."},
    {"importedAt", "When they were imported."},
    {"mintedAt", "When the key was minted."},
    {"recordedAt", "When it was recorded."},
    {"recurringTaskIds", "The recurring rules."},
    {"registeredAt", "When it was registered."},
    {"removedAt", "When it was removed."},
    {"requestedAt", "When it was asked for."},
    {"revokedAt", "When the key was revoked; null: it is valid."},
    {"revokedFrom", "The address from which the key was revoked; null: at the service itself."},
    {"rowId", "The record that the response shows."},
    {"rules", "What became of each rule, with the tasks that it created."},
    {"schedule", "When the rule next recurs, with the tasks that it created."},
    {"secretId", "The id of the secret, which is derived from it and stored nowhere."},
    {"since", "Only events of this instant or later."},
    {"table", "What kind of record the response shows."},
    {"templates", "The imported templates."},
    {"until", "Only events before this instant; null: up to the request."},
    {"varieties", "All varieties of the crop."},
    {"visit", "How far the visit of the rules of a farm or a template has come."},
});

std::string meaning_of_event_member(std::string_view member) {
  for (const auto& [name, meaning] : kOnlyInEvents) {
    if (name == member) return std::string(meaning);
  }
  // "soilSampleId" is the record that the event is about: "The soil sample."
  std::string words;
  for (const char c : member) {
    const bool upper = c >= 'A' && c <= 'Z';
    if (upper) words.push_back(' ');
    words.push_back(upper ? static_cast<char>(c - 'A' + 'a') : c);
  }
  if (words.ends_with(" id")) return "The " + words.substr(0, words.size() - 3) + ".";
  if (words.ends_with(" at")) return "When it was " + words.substr(0, words.size() - 3) + ".";
  return "The " + words + ".";
}

std::string first_word(std::string_view text) {
  return std::string(text.substr(0, text.find(' ')));
}

// Adds what the description of requests says of a member, unless that is the same again.
void add_rule(std::string_view rule, std::string& meaning) {
  if (rule.empty()) return;
  const auto same = rule.substr(1, rule.size() - 2);  // as the end of a sentence, too
  if (meaning.find(same) != meaning.npos) return;
  if (first_word(meaning) == first_word(rule)) {
    meaning = rule;  // it means something else here
  } else {
    meaning.append(" ").append(rule);
  }
}

std::string meaning(std::string_view schema, std::string_view member, const TypeForm& form,
                    const Rules& rules) {
  std::string meaning(meaning_of(schema, member));
  if (meaning.empty()) meaning = meaning_of_event_member(member);
  add_rule(rules.doc, meaning);
  if (const auto& value = value_form(form); value.kind == TypeForm::Kind::kEnum) {
    meaning += " One of";
    for (const auto name : value.names()) {
      meaning += (meaning.ends_with(" One of") ? " `" : ", `") + std::string(name) + "`";
    }
    meaning += ".";
  }
  return meaning;
}

class Columns final : public MemberVisitor {
 public:
  explicit Columns(std::string schema) : schema_(std::move(schema)) {}

  MemberColumns found;

 private:
  void visit(std::string_view name, const Rules& rules, const TypeForm& form, void*) override {
    if (rules.hidden || is_secret(name)) return;
    if (form.kind == TypeForm::Kind::kPatch) found.has_patches = true;
    found.columns.push_back(
        {std::string(name), type_of(form), meaning(schema_, name, form, rules)});
  }

  const std::string schema_;
};

// A number's unit where each one has the same.
constexpr auto kUnits = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"bushelWeightKg", "kg"},
    {"daysToMaturity", "d"},
    {"depthFromCm", "cm"},
    {"depthToCm", "cm"},
    {"dripLineSpacingMeters", "m"},
    {"durationMinutes", "min"},
    {"generateDaysBefore", "d"},
    {"gpsLat", "°"},
    {"gpsLng", "°"},
    {"irrigationFlowRatePerEmitter", "l/h"},
    {"kPercent", "%"},
    {"nPercent", "%"},
    {"pPercent", "%"},
    {"perEuro", "currency/EUR"},
    {"plantDensity", "1/ha"},
    {"rateLimit", "1/h"},
    {"spacingX", "m"},
    {"spacingY", "m"},
    {"temperatureMaxC", "°C"},
    {"temperatureMinC", "°C"},
    {"waterRequirementMm", "mm"},
});

// A number's unit that another column has.
struct UnitMeaning {
  std::string_view value, unit, text;
};
constexpr auto kUnitMeanings = std::to_array<UnitMeaning>({
    {"totalArea", "areaUnit", "as areaUnit"},
    {"area", "areaUnit", "as areaUnit"},
    {"expectedYield", "yieldUnit", "as yieldUnit"},
    {"actualYield", "yieldUnit", "as yieldUnit"},
    {"waterVolume", "volumeUnit", "as volumeUnit"},
    {"amount", "currency", "as currency"},
    {"amount", "unit", "as unit"},
    {"totalAmount", "currency", "as currency"},
    {"pricePerUnit", "currency", "currency/unit"},
    {"price", "currency", "as currency and unit"},
    {"quantity", "unit", "as unit"},
});

}  // namespace

MemberColumns member_columns(const TypeForm& form) {
  Columns columns(schema_name(form.name));
  form.visit(columns, form.make().get());
  return std::move(columns.found);
}

void put_members(const Json& object, const std::vector<TableColumn>& columns, std::size_t first,
                 RowCells& cells) {
  std::size_t next = 0;  // members are in the order of the columns, but for those left out
  for (const auto& [name, value] : object.children) {
    auto at = next;
    while (at < columns.size() && columns[at].name != name) ++at;
    if (at == columns.size()) {
      for (at = 0; at < columns.size() && columns[at].name != name;) ++at;
    }
    if (at == columns.size()) continue;
    next = at + 1;
    auto& cell = cells.at(first + at);
    if (value.kind == Json::Kind::kNull) {
      cell.reset();
    } else if (columns[at].type == ColumnType::kJson) {
      cell = text_of(value);
    } else {
      cell = value.text;
    }
  }
}

std::string unit_of(std::string_view column, const std::vector<TableColumn>& columns) {
  for (const auto& meaning : kUnitMeanings) {
    const auto has_unit = [&](const auto& each) { return each.name == meaning.unit; };
    if (meaning.value == column && std::any_of(columns.begin(), columns.end(), has_unit)) {
      return std::string(meaning.text);
    }
  }
  if (column == "waterVolume") return "m³";
  if (column == "area") return "as the farm's areaUnit";
  for (const auto& [name, unit] : kUnits) {
    if (name == column) return std::string(unit);
  }
  return {};
}

}  // namespace tilth
