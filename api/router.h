// Finds the route of a path: each segment is percent-decoded and must match exactly.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/route.h"

namespace tilth {

class Router {
 public:
  explicit Router(std::vector<Route> routes);

  // All routes of one path, and what stands in its {names}.
  struct Match {
    std::vector<const Route*> routes;  // none: there is no such path
    Parameters path;

    const Route* find(std::string_view method) const;  // HEAD finds GET
    std::string allow() const;                         // for Allow: what the path answers to
  };
  Match match(std::string_view path) const;  // below /api/v1, as it was sent

  const std::vector<Route>& routes() const { return routes_; }

 private:
  struct Path {
    std::vector<std::string> segments;  // "{id}" is a parameter
    std::vector<const Route*> routes;
  };

  const std::vector<Route> routes_;
  std::vector<Path> paths_;
};

}  // namespace tilth
