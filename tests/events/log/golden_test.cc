// Every event ever written stays readable. There is one file per type and version, and more where
// one is not enough: files are added, never edited.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "events/land/farm.h"
#include "events/log/catalogue.h"
#include "tests/fixtures/reads_back.h"

namespace tilth {
namespace {

using testing::expect_reads_back;

const std::filesystem::path kGolden = "tests/golden";

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The names of an event's members, in the order in which they are written.
class Names final : public MemberVisitor {
 public:
  std::vector<std::string> names;

 private:
  void visit(std::string_view name, const Rules&, const TypeForm&, void*) override {
    names.emplace_back(name);
  }
};

// One event of the catalogue, without its content.
struct Known {
  EventType type;
  std::vector<std::string> members;
};

std::vector<Known> catalogue() {
  std::vector<Known> all;
  for (const auto& codec : event_codecs()) {
    Names members;
    codec.form->visit(members, codec.form->make().get());
    all.push_back({*codec.type, members.names});
  }
  return all;
}

const std::vector<Known> kCatalogue = catalogue();

std::string file_of(const EventType& type, int version) {
  return std::string(type.name) + ".v" + std::to_string(version) + ".json";
}

TEST(Golden, EveryEventHasAFileInWhichEveryMemberIsSet) {
  for (const auto& [type, members] : kCatalogue) {
    for (int version = 1; version <= type.version; ++version) {
      const auto path = kGolden / file_of(type, version);
      SCOPED_TRACE(path);
      ASSERT_TRUE(std::filesystem::exists(path)) << "add this file";
      if (version < type.version) continue;
      std::vector<std::string> names;
      const auto json = parse_json(text_of(path));
      ASSERT_TRUE(json);
      for (const auto& [name, value] : json->children) {
        names.push_back(name);
        EXPECT_NE(value.kind, Json::Kind::kNull) << name;
      }
      EXPECT_EQ(names, members);
    }
  }
}

// "tilth.plant.registered.v1.nulls.json" is a variant of "tilth.plant.registered.v1.json".
TEST(Golden, EveryEventEverWrittenIsStillReadable) {
  std::size_t read = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kGolden)) {
    const auto name = entry.path().filename().string();
    SCOPED_TRACE(name);
    const auto known = std::find_if(kCatalogue.begin(), kCatalogue.end(), [&](const Known& each) {
      return name.starts_with(std::string(each.type.name) + ".v");
    });
    ASSERT_NE(known, kCatalogue.end()) << "it is no longer in the catalogue";
    const int version = std::stoi(name.substr(known->type.name.size() + 2));
    const auto text = text_of(entry.path());
    const auto event = decode(known->type.name, version, text);
    ASSERT_TRUE(event) << event.error().message;
    if (version == known->type.version) {
      EXPECT_EQ(encode(*event).json + "\n", text) << "a new shape needs a new version";
      EXPECT_EQ(encode(*event).type, known->type.name);
    }
    expect_reads_back(*event);
    ++read;
  }
  EXPECT_GE(read, kCatalogue.size());
}

TEST(Golden, NoTwoEventsHaveTheSameName) {
  std::set<std::string_view> names;
  for (const auto& known : kCatalogue) names.insert(known.type.name);
  EXPECT_EQ(names.size(), kCatalogue.size());
}

TEST(Decode, RefusesWhatIsUnknownNewerOrOfNoVersion) {
  const auto text = text_of(kGolden / "tilth.farm.removed.v1.json");
  EXPECT_TRUE(decode("tilth.farm.removed", 1, text));
  for (const auto& [type, version] :
       {std::pair("tilth.farm.removed", 2), std::pair("tilth.farm.removed", 0),
        std::pair("tilth.farm.eaten", 1), std::pair("", 1)}) {
    const auto event = decode(type, version, text);
    ASSERT_FALSE(event);
    EXPECT_EQ(event.error().code, ErrorCode::kDamaged);
  }
}

TEST(Decode, IgnoresMembersThatNobodyKnowsAndGivesAbsentOnesTheirDefault) {
  const auto event = decode("tilth.farm.registered", 1, R"({"name":"Al Noor","smell":"fresh"})");
  ASSERT_TRUE(event);
  const auto& farm = event->get<FarmRegistered>();
  EXPECT_EQ(farm.details.name, "Al Noor");
  EXPECT_EQ(farm.details.farm_type, "commercial");
  EXPECT_EQ(farm.details.timezone.name, "UTC");
}

TEST(Decode, AsksNoRuleOfWhatWasDecidedLongAgo) {
  const auto event =
      decode("tilth.farm.registered", 1, R"({"name":"","totalArea":"-1","country":"Atlantis"})");
  ASSERT_TRUE(event);
  EXPECT_EQ(event->get<FarmRegistered>().details.country->name, "Atlantis");
}

}  // namespace
}  // namespace tilth
