// The API's description of itself: OpenAPI 3.1, a pure function of its routes.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/routing/route.h"

namespace tilth {

// Who is let in.
enum class Security : std::uint8_t { kNone, kKey, kSession, kSessionOrKey };

// One operation of any surface.
struct DescribedOperation {
  std::string method;  // in capitals
  std::string path;    // whole: "/api/v1/farms/{id}"
  std::string tag;
  std::string summary;
  Security security = Security::kKey;
  std::string scope = {};
  std::optional<Json> path_schema = {};
  std::optional<Json> query_schema = {};
  std::optional<Json> body_schema = {};
  std::optional<Json> answer_schema = {};  // of the whole body
  bool of_lines = false;                   // rather: of each line or server-sent event
  bool paged = true;                       // where there is a query_schema
  bool of_the_past = false;                // can be asked as of an earlier time
  int status = 200;
  std::vector<int> refusals = {};  // the statuses in which it may say no
};

// The operations of /api/v1.
std::vector<DescribedOperation> describe(const std::vector<Route>& routes);

// The document as JSON text.
std::string openapi_document(const std::vector<DescribedOperation>& operations);

// The statuses in which the API says no, each with every code that comes with it.
struct DescribedRefusal {
  int status;
  std::string_view name;  // in components
  std::string_view meaning;
  std::span<const std::string_view> codes;
};
std::span<const DescribedRefusal> described_refusals();

}  // namespace tilth
