#include "projections/fold/event_handlers.h"

#include <gtest/gtest.h>

#include "events/log/catalogue.h"
#include "projections/fold/row_list.h"

namespace tilth::testing {
namespace {

TEST(EventHandlers, OfSomeProjectionKnowEveryEventOfTheCatalogue) {
  for (const auto& codec : event_codecs()) {
    const auto name = codec.type->name;
    bool handled = false;
    for (const auto* projection : {"registry", "finance", "market", "access"}) {
      handled = handled || !handlers_of(projection).ignored().contains(name);
    }
    EXPECT_TRUE(handled) << name << " changes no row of any projection";
  }
}

}  // namespace
}  // namespace tilth::testing
