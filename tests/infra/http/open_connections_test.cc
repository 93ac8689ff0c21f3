#include "infra/http/open_connections.h"

#include <vector>

#include <gtest/gtest.h>

namespace tilth {
namespace {

TEST(OpenConnections, CountsThoseOfEachAddressAsLongAsThereIsOne) {
  std::vector<std::int64_t> counts;
  OpenConnections open([&](std::int64_t count) { counts.push_back(count); });
  const auto first = open.add("192.0.2.1"), second = open.add("192.0.2.1");
  EXPECT_EQ(first.group, second.group);
  EXPECT_EQ(first.group->open, 2);
  const auto other = open.add("192.0.2.2");
  EXPECT_EQ(other.group->open, 1);
  EXPECT_EQ(other.open, 3);
  open.remove(*first.group);
  open.remove(*second.group);
  EXPECT_EQ(open.count(), 1);
  const auto later = open.add("192.0.2.1");
  EXPECT_NE(later.group, first.group) << "an address without connections is forgotten";
  EXPECT_EQ(later.group->open, 1);
  EXPECT_EQ(counts, (std::vector<std::int64_t>{1, 2, 3, 2, 1, 2}));
}

}  // namespace
}  // namespace tilth
