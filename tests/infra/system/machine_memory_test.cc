#include "infra/system/machine_memory.h"

#include <fstream>

#include <gtest/gtest.h>

namespace tilth {
namespace {

class MachineMemory : public testing::Test {
 protected:
  MachineMemory()
      : root_(std::filesystem::temp_directory_path() /
              ("tilth-groups-" +
               std::string(testing::UnitTest::GetInstance()->current_test_info()->name()))) {
    std::filesystem::remove_all(root_);
  }
  ~MachineMemory() override { std::filesystem::remove_all(root_); }

  void write(const std::string& file, const std::string& text) {
    std::filesystem::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text << '\n';
  }

  const std::filesystem::path root_;
};

TEST_F(MachineMemory, TheLowestLimitOfAGroupAndThoseAroundItCounts) {
  EXPECT_EQ(group_memory_limit("0::/a.slice/b.service\n", root_), UINT64_MAX);
  write("a.slice/b.service/memory.max", "max");
  EXPECT_EQ(group_memory_limit("0::/a.slice/b.service\n", root_), UINT64_MAX);
  write("a.slice/memory.max", "2000");
  EXPECT_EQ(group_memory_limit("0::/a.slice/b.service\n", root_), 2000U);
  write("a.slice/b.service/memory.max", "3000");
  EXPECT_EQ(group_memory_limit("0::/a.slice/b.service\n", root_), 2000U);
  write("memory.max", "1000");
  EXPECT_EQ(group_memory_limit("0::/a.slice/b.service\n", root_), 1000U);
  EXPECT_EQ(group_memory_limit("0::/\n", root_), 1000U) << "as in a container";
}

TEST_F(MachineMemory, TheFirstVersionOfGroupsCountsToo) {
  write("memory/docker/1f2e/memory.limit_in_bytes", "4000");
  const std::string groups =
      "12:cpu,cpuacct:/docker/1f2e\n5:memory:/docker/1f2e\n0::/docker/1f2e\n";
  EXPECT_EQ(group_memory_limit(groups, root_), 4000U);
  EXPECT_EQ(group_memory_limit("12:cpu,cpuacct:/docker/1f2e\n", root_), UINT64_MAX);
  EXPECT_EQ(group_memory_limit("no group\n:\n", root_), UINT64_MAX);
}

TEST_F(MachineMemory, AMachineHasSome) {
  EXPECT_GT(machine_memory(), std::uint64_t{16} << 20);
  EXPECT_LT(machine_memory(), UINT64_MAX);
}

}  // namespace
}  // namespace tilth
