// The pages that people see, and the API's reference: files that are part of the program.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/routing/route.h"

namespace tilth {

struct Asset {
  std::string_view path;
  std::string_view type;
  std::string_view tag;  // differs when the bytes do
  std::string_view bytes;
  std::string_view gzipped;  // empty where that is no shorter
};

// Everything in the folder dashboard/, as it was when the program was built.
std::span<const Asset> assets();

// The pages and what they are made of, and the API's description of itself.
std::vector<Route> page_routes(std::string openapi);

}  // namespace tilth
