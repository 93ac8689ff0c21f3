// An import takes every event that any release has written.

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "events/log/event_rules.h"

namespace tilth {
namespace {

TEST(EventRules, AreBrokenByNoEventThatWasEverWritten) {
  int events = 0;
  for (const auto& file : std::filesystem::directory_iterator("tests/golden")) {
    const auto name = file.path().filename().string();  // tilth.farm.amended.v1.nulls.json
    const auto version = name.find(".v");
    if (version == name.npos || !name.ends_with(".json")) continue;
    SCOPED_TRACE(name);
    std::ostringstream json;
    json << std::ifstream(file.path()).rdbuf();
    const auto event =
        decode(name.substr(0, version), std::stoi(name.substr(version + 2)), json.str());
    ASSERT_TRUE(event) << event.error().message;
    for (const auto& [path, messages] : broken_rules(encode(*event))) {
      ADD_FAILURE() << path << ' ' << messages.front();
    }
    ++events;
  }
  EXPECT_GT(events, 100);
}

TEST(EventRules, AreThoseOfWhatIsInside) {
  std::string broken;
  for (
      const auto& [path, messages] : broken_rules(
          {"tilth.recurring_task.created", 1,
           R"({"interval":0,"daysOfWeek":[],"schedule":{"makes":{"title":"A\u0000","gpsLat":91}}})"})) {
    broken += path + ' ' + messages.front() + "; ";
  }
  EXPECT_EQ(broken,
            "daysOfWeek must not be empty; interval must be at least 1; "
            "schedule.makes.gpsLat must be at most 90; "
            "schedule.makes.title must not contain U+0000; ");
}

}  // namespace
}  // namespace tilth
