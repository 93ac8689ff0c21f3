// The names in the API's description follow from those of types.

#include "events/json/type_name.h"

#include <gtest/gtest.h>

namespace tilth {

struct Orchard {};
template <class Row>
struct Create {};
template <class Row>
struct Inspect {};

namespace {

struct UpdateOrchard {};

TEST(TypeName, DropsNamespacesAndBrackets) {
  EXPECT_EQ(type_name(kSpelling<Orchard>), "Orchard");
  EXPECT_EQ(type_name(kSpelling<Create<Orchard>>), "CreateOrchard");
  EXPECT_EQ(type_name(kSpelling<UpdateOrchard>), "UpdateOrchard");
}

TEST(TypeName, ListsTheBodiesOfARecordNextToIt) {
  EXPECT_EQ(schema_name(kSpelling<Orchard>), "Orchard");
  EXPECT_EQ(schema_name(kSpelling<Create<Orchard>>), "OrchardCreate");
  EXPECT_EQ(schema_name(kSpelling<UpdateOrchard>), "OrchardUpdate");
  EXPECT_EQ(schema_name(kSpelling<Inspect<Orchard>>), "InspectOrchard");
}

TEST(TypeName, NamesAnOperation) {
  EXPECT_EQ(operation_name(type_name(kSpelling<Create<Orchard>>)), "createOrchard");
}

}  // namespace
}  // namespace tilth
