#include "tests/reads_back.h"

#include <string>

#include <gtest/gtest.h>

#include "events/known_event.h"
#include "projections/row_codec.h"

namespace tilth {

template <class Archive, class T>
void serialize(Archive& ar, Patch<T>& patch) {
  ar(patch.to);
}

namespace testing {
namespace {

std::string bytes_of(const Event& event) {
  std::string bytes = std::to_string(event.index()) + ' ';
  BytesOut archive(bytes);
  std::visit([&](const auto& e) { archive(e); }, event);
  return bytes;
}

}  // namespace

void expect_reads_back(const Event& event) {
  Record record;
  write_event(event, record);
  record.known.reset();
  const auto read = read_event(record);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(bytes_of(**read), bytes_of(event)) << record.envelope.type << ' ' << record.json;
}

}  // namespace testing
}  // namespace tilth
