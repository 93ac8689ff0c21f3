#include "infra/http/body_pipe.h"

#include <gtest/gtest.h>

namespace tilth {
namespace {

TEST(BodyPipe, HasNoMemoryOnceItIsClosed) {
  const auto budget = std::make_shared<MemoryBudget>(MemoryBudget::Limits{1'000, 1'000});
  BodyPipe pipe([] {}, budget);
  EXPECT_TRUE(pipe.write("some bytes"));
  EXPECT_EQ(budget->used(), 10U);
  pipe.close();
  EXPECT_EQ(budget->used(), 0U);
  EXPECT_FALSE(pipe.write("more"));
  EXPECT_EQ(budget->used(), 0U);
}

}  // namespace
}  // namespace tilth
