// The pages and the API reference: files that are part of the program.

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
  std::string_view tag;  // changes when the bytes do
  std::string_view bytes;
  std::string_view gzipped;  // empty if it is not smaller
};

// Every file in the folder dashboard/, as it was when the program was built.
std::span<const Asset> assets();

// A server of map tiles. Without a URL there is none: maps then show only what is drawn on them.
struct MapTiles {
  std::string url;  // with {z}, {x} and {y}; its origin is in the pages' policy
  std::string attribution;
};

// The pages and their assets, and the OpenAPI document.
std::vector<Route> page_routes(std::string openapi, const MapTiles& tiles = {});

// The pages of the operators' port, which share components with the others.
std::vector<Route> operator_page_routes();

}  // namespace tilth
