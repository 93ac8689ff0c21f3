#include "infra/cluster/announcement.h"

#include <gtest/gtest.h>

namespace tilth {
namespace {

const Announcement kSaid{
    .node = "tilth-1a3bf46a698a",
    .run = "01a1fd7b-5b6c-7929-b008-0235b1618592",
    .at = Timestamp::parse("2026-03-01T12:00:00.250Z").value(),
    .version = "0.9.0",
    .address = "10.0.0.7:8080",
    .operator_address = "127.0.0.1:8081",
    .roles = {"command", "query", "project", "clock"},
    .started_at = Timestamp::parse("2026-03-01T06:30:00Z").value(),
    .ready = true,
    .holds = {{0, 4711}, {7, 0}},
    .peer_address = "10.0.0.7:8090",
    .copies = 2,
    .draining = true,
    .halted = {7},
    .stopped = {"market"},
};

// Nodes of other versions read and write it: members may be added here, never changed.
constexpr std::string_view kJson =
    R"({"version":"0.9.0","address":"10.0.0.7:8080","operatorAddress":"127.0.0.1:8081",)"
    R"("roles":["command","query","project","clock"],"startedAt":"2026-03-01T06:30:00.000Z",)"
    R"("ready":true,"left":false,"holds":[{"partition":0,"next":4711},{"partition":7,"next":0}],)"
    R"("peerAddress":"10.0.0.7:8090","copies":2,"draining":true,"halted":[7],)"
    R"("stopped":["market"]})";

TEST(Announcement, IsOneRecordOfTheTopic) {
  const auto record = announcement_record(kSaid, "id");
  EXPECT_EQ(record.json, kJson);
  EXPECT_EQ(record.stream, kSaid.node);
  EXPECT_EQ(record.envelope, (Envelope{.id = "id",
                                       .type = "tilth.node.announced",
                                       .source = "tilth://tilth-1a3bf46a698a",
                                       .time = kSaid.at,
                                       .correlation_id = kSaid.run}));
  EXPECT_EQ(read_announcement(record), kSaid);
}

TEST(Announcement, OfALaterVersionIsReadAsFarAsItIsKnown) {
  auto record = announcement_record(kSaid, "id");
  record.json.insert(1, R"("cells":[1,2],)");
  EXPECT_EQ(read_announcement(record), kSaid);
  record.json = "{}";
  const auto said = read_announcement(record);
  ASSERT_TRUE(said);
  EXPECT_EQ(said->node, kSaid.node);
  EXPECT_FALSE(said->ready);
}

TEST(Announcement, WhatIsNoneIsNotRead) {
  const auto reads = [](const auto& change) {
    auto record = announcement_record(kSaid, "id");
    change(record);
    return read_announcement(record).has_value();
  };
  EXPECT_TRUE(reads([](Record&) {}));
  for (const auto* json :
       {"", "{", "null", "[]", "7", R"({"holds":7})", R"({"version":[]})",
        R"({"startedAt":"noon"})", R"({"holds":[{"partition":-1}]})",
        R"({"holds":[{"partition":2147483648}]})", R"({"holds":[{"partition":1,"next":-1}]})",
        R"({"holds":[{"next":1.5}]})", R"({"halted":[-1]})", R"({"halted":[2147483648]})"}) {
    EXPECT_FALSE(reads([&](Record& record) { record.json = json; })) << json;
  }
  EXPECT_FALSE(reads([](Record& record) { record.json += std::string(2 << 20, ' '); }));
  EXPECT_FALSE(reads([](Record& record) { record.stream.clear(); }));
  EXPECT_FALSE(reads([](Record& record) { record.envelope.correlation_id.clear(); }));
  EXPECT_FALSE(reads([](Record& record) { record.envelope.type = "tilth.node.renamed"; }));
  EXPECT_FALSE(reads([](Record& record) { record.foreign = "It is not ours."; }));
}

}  // namespace
}  // namespace tilth
