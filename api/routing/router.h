// Finds the routes of a path: segments must match exactly.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/routing/route.h"

namespace tilth {

// A path pattern of a route: "/farms/{id}".
class PathPattern {
 public:
  explicit PathPattern(std::string_view pattern);

  std::size_t size() const { return segments_.size(); }

  // Whether the decoded segments of a path match; the values of {names} go to `parameters`.
  bool fits(std::span<const std::string_view> segments, PathParameters& parameters) const;
  friend bool operator==(const PathPattern&, const PathPattern&) = default;

 private:
  struct Segment {
    std::string text;  // the name, of a {name}
    bool is_name = false;
    friend bool operator==(const Segment&, const Segment&) = default;
  };
  std::vector<Segment> segments_;
};

// Threads: any, once it is constructed.
class Router {
 public:
  explicit Router(std::vector<Route> routes);
  Router(const Router&) = delete;
  Router& operator=(const Router&) = delete;

  // All routes of one path, and the values of its {names}.
  struct Match {
    std::span<const Route* const> routes = {};  // none: no such path
    PathParameters path = {};

    const Route* find(std::string_view method) const;  // HEAD finds GET
    std::string allow() const;                         // for Allow: the path's methods
  };

  Match match(std::span<const std::string_view> segments) const;

 private:
  struct Path {
    PathPattern pattern;
    std::vector<const Route*> routes;
  };

  Path& path_of(const Route& route);

  const std::vector<Route> routes_;
  std::vector<std::vector<Path>> paths_;  // by number of segments
};

}  // namespace tilth
