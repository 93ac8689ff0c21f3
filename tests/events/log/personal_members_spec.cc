// What names a person is taken out of every event, and all else stays where it is.

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <utility>

#include <gtest/gtest.h>

#include "events/log/catalogue.h"
#include "events/log/personal_members.h"

namespace tilth {
namespace {

const std::filesystem::path kGolden = "tests/golden";

struct Golden {
  std::string name, type, json;
  int version = 1;
};

std::vector<Golden> all_golden() {
  std::vector<Golden> all;
  for (const auto& entry : std::filesystem::directory_iterator(kGolden)) {
    const auto name = entry.path().filename().string();
    const auto version = name.find(".v");
    std::ifstream file(entry.path());
    std::ostringstream text;
    text << file.rdbuf();
    auto json = text.str();
    if (json.ends_with('\n')) json.pop_back();
    all.push_back(
        {name, name.substr(0, version), std::move(json), std::stoi(name.substr(version + 2))});
  }
  return all;
}

TEST(PersonalMembers, AreTakenOutOfEveryEventAndPutBackByteForByte) {
  std::size_t taken = 0;
  for (const auto& [name, type, json, version] : all_golden()) {
    SCOPED_TRACE(name);
    const auto parted = take_personal(type, json);
    if (!parted) continue;
    ++taken;
    EXPECT_NE(parted->open, json);
    const auto whole = put_personal(type, *parted);
    ASSERT_TRUE(whole) << whole.error().message;
    EXPECT_EQ(*whole, json);
  }
  EXPECT_GT(taken, 40U);
}

TEST(PersonalMembers, LeaveAnEventThatCanBeReadWhenTheyAreErased) {
  for (const auto& [name, type, json, version] : all_golden()) {
    SCOPED_TRACE(name);
    const auto parted = take_personal(type, json);
    if (!parted) continue;
    const auto erased = put_erased(type, parted->open);
    EXPECT_EQ(erased.find("sealed"), erased.npos);
    const auto event = decode(type, version, erased);
    ASSERT_TRUE(event) << event.error().message;
    // As after an export and an import.
    const auto again = take_personal(type, erased);
    EXPECT_EQ(again ? put_erased(type, again->open) : erased, erased);
  }
}

TEST(PersonalMembers, AreNotLeftInTheOpenPart) {
  const auto parted = take_personal(
      "tilth.plant.registered",
      R"({"plantId":"1","label":"Ali's \"palm\"","tagId":null,"position":{"lat":1,"lng":2},)"
      R"("status":"sick","notes":"a,}]\\"})");
  ASSERT_TRUE(parted);
  EXPECT_EQ(parted->open,
            R"({"plantId":"1","label":{"sealed":true},"tagId":null,"position":{"sealed":true},)"
            R"("status":"sick","notes":{"sealed":true}})");
  EXPECT_EQ(parted->personal, R"("Ali's \"palm\"",{"lat":1,"lng":2},"a,}]\\")");
  EXPECT_EQ(put_erased("tilth.plant.registered", parted->open),
            R"({"plantId":"1","label":"[erased]","tagId":null,"position":null,)"
            R"("status":"sick","notes":null})");
}

TEST(PersonalMembers, WhoseNamesAreSpelledWithEscapesAreTakenToo) {
  const auto parted =
      take_personal("tilth.field.registered", R"({"n\u0061me":"Ali","\u006eotes":"b"})");
  ASSERT_TRUE(parted);
  EXPECT_EQ(parted->personal, R"("Ali","b")");
  EXPECT_EQ(parted->open, R"({"n\u0061me":{"sealed":true},"\u006eotes":{"sealed":true}})");
  EXPECT_EQ(owner_of("access", R"({"user\u0049d":"user\u005f2"})"), "user_2");
}

TEST(PersonalMembers, OfATaskThatARuleMakesAreTakenToo) {
  const std::string json =
      R"({"rules":[{"schedule":{"makes":{"title":"Call Omar","priority":"high"},"tasks":[]}},)"
      R"({"schedule":{"makes":null}}],"visit":null})";
  const auto parted = take_personal("tilth.recurring_task.advanced", json);
  ASSERT_TRUE(parted);
  EXPECT_EQ(parted->personal, R"("Call Omar")");
  EXPECT_EQ(parted->open,
            R"({"rules":[{"schedule":{"makes":{"title":{"sealed":true},"priority":"high"},)"
            R"("tasks":[]}},{"schedule":{"makes":null}}],"visit":null})");
}

TEST(PersonalMembers, AreOfTheOwnerOfTheStreamOrTheUserThatItIsAbout) {
  EXPECT_EQ(owner_of("user_1", "{}"), "user_1");
  EXPECT_EQ(owner_of("access", R"({"keyId":"key_1","userId":"user_2"})"), "user_2");
  EXPECT_EQ(owner_of("access", R"({"userId":"user_1","userId":"user_2"})"), "user_2")
      << "as the event is read";
  EXPECT_EQ(owner_of("access", R"({"operatorId":"1","name":"userId"})"), "");
  EXPECT_EQ(owner_of("reference", R"({"userId":"user_2"})"), "");
  EXPECT_EQ(owner_of("audit", R"({"userId":"user_2"})"), "");
}

TEST(PersonalMembers, AreLeftAloneWhereThereAreNone) {
  EXPECT_FALSE(take_personal("tilth.plant.removed", R"({"plantId":"1"})"));
  EXPECT_FALSE(take_personal("tilth.eaten", R"({"name":"Ali"})"));
  EXPECT_FALSE(take_personal("tilth.crop.registered", R"({"notes":null})"));
}

TEST(PersonalMembers, AreRefusedWhereTheyDoNotFit) {
  const std::string open = R"({"name":{"sealed":true},"notes":{"sealed":true}})";
  EXPECT_TRUE(put_personal("tilth.field.registered", {open, R"("a","b")"}));
  for (const auto* personal : {R"("a")", R"("a","b","c")", "", R"("a""b")"}) {
    EXPECT_FALSE(put_personal("tilth.field.registered", {open, personal})) << personal;
  }
}

TEST(PersonalMembers, DoNotBreakOnTextThatIsNoJson) {
  for (const auto* text :
       {"", "{", "{\"name\"", "{\"name\":", "{\"name\":\"", "[", "[[", "{\"name\":\"a\\",
        "nonsense", "{]", "}", "{\"boundaries\":{", "{\"name\" \"a\"}"}) {
    if (const auto parted = take_personal("tilth.farm.registered", text)) {
      static_cast<void>(put_personal("tilth.farm.registered", *parted));
      static_cast<void>(put_erased("tilth.farm.registered", parted->open));
    }
    static_cast<void>(owner_of("access", text));
  }
}

// Text that people write. A new member must be put on one of the two lists: here, or in
// personal_members.cc.
const std::set<std::string> kNotPersonal = {
    "tilth.admin_crop.described category",
    "tilth.admin_crop.described name",
    "tilth.admin_crop.described scientificName",
    "tilth.admin_crop.described varieties",
    "tilth.admin_crop.described varieties.climateOverride",
    "tilth.admin_crop.described varieties.description",
    "tilth.admin_crop.described varieties.scientificName",
    "tilth.admin_crop.described varieties.varietyName",
    "tilth.admin_crop.described varieties.yieldOverride",
    "tilth.admin_crop.described yieldPerHectare",
    "tilth.ai_request.reported userId",
    "tilth.api_key.minted keyDigest",
    "tilth.api_key.minted keyId",
    "tilth.api_key.minted keyPreview",
    "tilth.api_key.minted scopes",
    "tilth.api_key.minted userId",
    "tilth.api_key.revoked keyId",
    "tilth.api_key.revoked userId",
    "tilth.audit.recorded action",
    "tilth.audit.recorded address",
    "tilth.audit.recorded created",
    "tilth.audit.recorded method",
    "tilth.audit.recorded operator",
    "tilth.audit.recorded requestId",
    "tilth.audit.recorded target",
    "tilth.crop.amended cropType",
    "tilth.crop.amended variety",
    "tilth.crop.registered cropType",
    "tilth.crop.registered variety",
    "tilth.exchange_rate.imported days",
    "tilth.exchange_rate.imported days.rates",
    "tilth.exchange_rate.imported days.rates.currency",
    "tilth.exchange_rate.imported source",
    "tilth.expense.recorded currency",
    "tilth.farm.amended country",
    "tilth.farm.amended currency",
    "tilth.farm.amended farmType",
    "tilth.farm.amended primaryUse",
    "tilth.farm.amended soilType",
    "tilth.farm.amended timezone",
    "tilth.farm.registered country",
    "tilth.farm.registered currency",
    "tilth.farm.registered farmType",
    "tilth.farm.registered primaryUse",
    "tilth.farm.registered soilType",
    "tilth.farm.registered timezone",
    "tilth.fertigation.recorded product",
    "tilth.field.amended soilType",
    "tilth.field.registered soilType",
    "tilth.leaf_sample.recorded growthStage",
    "tilth.operator.added name",
    "tilth.operator.added tokenDigest",
    "tilth.operator.token_rotated tokenDigest",
    "tilth.overhead.recorded currency",
    "tilth.plant.amended plantedAt",
    "tilth.plant.registered plantedAt",
    "tilth.price_report.recorded cropName",
    "tilth.price_report.recorded currency",
    "tilth.recurring_task.advanced rules",
    "tilth.recurring_task.advanced rules.schedule",
    "tilth.recurring_task.advanced rules.schedule.makes",
    "tilth.recurring_task.advanced rules.schedule.rrule",
    "tilth.recurring_task.advanced rules.schedule.tasks",
    "tilth.recurring_task.advanced visit",
    "tilth.recurring_task.amended daysOfWeek",
    "tilth.recurring_task.amended schedule",
    "tilth.recurring_task.amended schedule.makes",
    "tilth.recurring_task.amended schedule.rrule",
    "tilth.recurring_task.amended schedule.tasks",
    "tilth.recurring_task.created createdBy",
    "tilth.recurring_task.created daysOfWeek",
    "tilth.recurring_task.created schedule",
    "tilth.recurring_task.created schedule.makes",
    "tilth.recurring_task.created schedule.rrule",
    "tilth.recurring_task.created schedule.tasks",
    "tilth.recurring_task.stopped visit",
    "tilth.request.answered table",
    "tilth.request.refused code",
    "tilth.sale.recorded currency",
    "tilth.task.created createdBy",
    "tilth.task_template.created createdBy",
    "tilth.task_template.imported templates",
    "tilth.task_template.imported templates.defaultAssignee",
    "tilth.task_template.imported templates.description",
    "tilth.task_template.imported templates.estimatedDuration",
    "tilth.task_template.imported templates.name",
    "tilth.user.amended plan",
    "tilth.user.amended userId",
    "tilth.user.disabled userId",
    "tilth.user.enabled userId",
    "tilth.user.erased reason",
    "tilth.user.erased userId",
    "tilth.user.identified identity",
    "tilth.user.identified userId",
    "tilth.user.registered identity",
    "tilth.user.registered plan",
    "tilth.user.registered userId",
    "tilth.user_crop.added adminCrop",
    "tilth.user_crop.added adminCrop.name",
    "tilth.user_crop.added adminCrop.scientificName",
    "tilth.user_crop.renamed adminCrop",
    "tilth.user_crop.renamed adminCrop.name",
    "tilth.user_crop.renamed adminCrop.scientificName",
    "tilth.webhook.amended types",
    "tilth.webhook.created types",
    "tilth.webhook.replay_requested types",
};

class Texts final : public MemberVisitor {
 public:
  Texts(std::string under, std::set<std::string>& found)
      : under_(std::move(under)), found_(found) {}

  static void find(const TypeForm& form, const std::string& path, std::set<std::string>& found) {
    using enum TypeForm::Kind;
    if (form.kind == kOptional || form.kind == kPatch || form.kind == kArray) {
      find(*form.inner, path, found);
    } else if (form.kind == kObject) {
      Texts texts(path + ".", found);
      form.visit(texts, form.make().get());
    } else if (form.kind == kOwnJson || (form.kind == kText && !form.is_id &&
                                         (form.format.empty() || form.format == "uri"))) {
      found.insert(path);
    }
  }

 private:
  void visit(std::string_view name, const Rules&, const TypeForm& form, void*) override {
    find(form, (under_ == "." ? "" : under_) + std::string(name), found_);
  }

  const std::string under_;
  std::set<std::string>& found_;
};

TEST(PersonalMembers, AreDecidedForEveryTextOfTheCatalogue) {
  std::set<std::string> undecided;
  for (const auto& codec : event_codecs()) {
    std::set<std::string> texts;
    Texts::find(*codec.form, {}, texts);
    const auto personal = personal_members(codec.type->name);
    for (const auto& path : texts) {
      const auto is_in = [&](const std::string& each) {
        return path == each || path.starts_with(each + ".");
      };
      if (std::ranges::any_of(personal, is_in)) continue;
      const auto member = std::string(codec.type->name) + " " + path;
      if (!kNotPersonal.contains(member)) undecided.insert(member);
    }
  }
  std::string text;
  for (const auto& member : undecided) text += "    \"" + member + "\",\n";
  EXPECT_EQ(text, "");
}

}  // namespace
}  // namespace tilth
