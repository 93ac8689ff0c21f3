#include <gtest/gtest.h>

#include "events/log/version_gate.h"

namespace tilth {
namespace {

// "a0 a1 b0" in log order: the stream and the expected version. Returns the admitted records.
std::string admitted(std::string_view log, VersionGate gate = VersionGate()) {
  std::string counted;
  for (; log.size() >= 2; log.remove_prefix(std::min<std::size_t>(log.size(), 3))) {
    Record record;
    record.stream = log.substr(0, 1);
    record.envelope.stream_version = static_cast<std::uint64_t>(log[1] - '0');
    counted += gate.admit(record) ? std::string(log.substr(0, 2)) + " " : "- ";
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

TEST(VersionGate, ContinuesFromTheVersionsThatItsReaderKept) {
  EXPECT_EQ(admitted("a1 a2 b0", VersionGate({{"a", 2}})), "- a2 b0 ");
}

}  // namespace
}  // namespace tilth
