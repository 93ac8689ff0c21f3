// Describes the history for its consumers: as an AsyncAPI 3 document and as a page for people. Both
// are generated from the catalogue of events.

#pragma once

#include <string>
#include <vector>

namespace tilth::testing {

struct DescribedEvent {
  std::string type;
  int version = 1;
  std::string schema;   // JSON Schema of its value
  std::string example;  // one value
};

// In the catalogue's order, each with its golden event.
std::vector<DescribedEvent> described_events();

std::string asyncapi_document(const std::vector<DescribedEvent>& events);
std::string events_page(const std::vector<DescribedEvent>& events);

}  // namespace tilth::testing
