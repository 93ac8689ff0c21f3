#include "projections/rows/id_map.h"

#include <map>
#include <random>

#include <gtest/gtest.h>

namespace tilth {
namespace {

TEST(IdMap, KeepsValuesAndTheirAddressesWhileItGrows) {
  std::mt19937 random{1};
  IdMap<int> map;
  std::map<Uuid, std::pair<int, const int*>> model;
  std::vector<Uuid> in_order;
  EXPECT_EQ(map.find(Uuid{}), nullptr);
  for (int i = 0; i < 20'000; ++i) {
    Uuid id;
    // Half of them differ in one byte alone, which is not among those that are random in real ids.
    const auto number = random() % 5'000;
    id.bytes[0] = static_cast<std::uint8_t>(number);
    if (number % 2 == 0) id.bytes[15] = static_cast<std::uint8_t>(number >> 8);
    auto& [known, value] = map[id];
    ASSERT_EQ(known, id);
    if (const auto there = model.find(id); there != model.end()) {
      ASSERT_EQ(value, there->second.first);
      ASSERT_EQ(&value, there->second.second);
    } else {
      ASSERT_EQ(value, 0) << "a new one";
      value = i + 1;
      model[id] = {value, &value};
      in_order.push_back(id);
    }
  }
  ASSERT_EQ(map.size(), model.size());
  for (const auto& [id, expected] : model) ASSERT_EQ(&map.find(id)->second, expected.second);
  std::size_t at = 0;
  for (const auto& [id, value] : map) ASSERT_EQ(id, in_order[at++]) << "in the order of adding";
  Uuid other;
  other.bytes[7] = 1;
  EXPECT_EQ(map.find(other), nullptr);
}

}  // namespace
}  // namespace tilth
