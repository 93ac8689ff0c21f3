#include <sstream>

#include <gtest/gtest.h>

#include "events/log/version_gate.h"

namespace tilth {
namespace {

// "a0 a1x<a0 b0" in log order: the stream and the expected version, which are the record's id with
// what follows them, and its predecessor. Returns the admitted records.
std::string admitted(const std::string& log, VersionGate gate = VersionGate()) {
  std::string counted, text;
  for (std::istringstream words(log); words >> text;) {
    const auto id = text.substr(0, text.find('<'));
    Record record;
    record.stream = text.substr(0, 1);
    record.envelope.stream_version = static_cast<std::uint64_t>(text[1] - '0');
    record.envelope.id = id;
    if (id != text) record.envelope.predecessor = text.substr(id.size() + 1);
    counted += gate.admit(record) ? id + " " : "- ";
  }
  return counted;
}

TEST(VersionGate, AdmitsARecordDecidedAgainstTheVersionAtWhichItsStreamStands) {
  EXPECT_EQ(admitted("a0 a1 a2"), "a0 a1 a2 ");
}

TEST(VersionGate, RefusesTheSecondRecordForAVersion) {
  EXPECT_EQ(admitted("a0 a0 a1 a0 a1"), "a0 - a1 - - ");
}

TEST(VersionGate, RefusesARecordThatSkipsAheadAndAdmitsTheVersionLater) {
  EXPECT_EQ(admitted("a1 a0 a1"), "- a0 a1 ");
}

TEST(VersionGate, KeepsStreamsApart) { EXPECT_EQ(admitted("a0 b0 b1 a1 b1"), "a0 b0 b1 a1 - "); }

TEST(VersionGate, ContinuesFromWhereItsReaderWas) {
  EXPECT_EQ(admitted("a1 a2 b0", VersionGate({{"a", {2, "a1"}}})), "- a2 b0 ");
  EXPECT_EQ(admitted("a2<a1 a3<a2", VersionGate({{"a", {2, "a1"}}})), "a2 a3 ");
  EXPECT_EQ(admitted("a2<a1x", VersionGate({{"a", {2, "a1"}}})), "- ");
}

TEST(VersionGate, AdmitsARecordAfterItsPredecessor) {
  EXPECT_EQ(admitted("a0 a1<a0 a2<a1 a3"), "a0 a1 a2 a3 ");
}

TEST(VersionGate, RefusesAllThatWasDecidedUponARecordThatAnotherOvertook) {
  EXPECT_EQ(admitted("a0x a0 a1<a0 a2<a1 a1x<a0x"), "a0x - - - a1x ");
}

TEST(VersionGate, RefusesAPredecessorOfAnEarlierVersionOrOfAnotherStream) {
  EXPECT_EQ(admitted("a0 a1 b0 a2<a0 a2<b0"), "a0 a1 b0 - - ");
}

TEST(VersionGate, AdmitsALaterCopyOfARecordThatCameBeforeItsPredecessor) {
  EXPECT_EQ(admitted("a1<a0 a0 a1<a0 a1<a0"), "- a0 a1 - ");
}

TEST(VersionGate, RefusesAPredecessorWhereNothingCounts) { EXPECT_EQ(admitted("a0<a0"), "- "); }

}  // namespace
}  // namespace tilth
