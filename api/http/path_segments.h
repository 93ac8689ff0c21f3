// The segments of a path, each percent-decoded by itself, so that an encoded slash does not split
// one.

#pragma once

#include <array>
#include <cstddef>
#include <forward_list>
#include <span>
#include <string>
#include <string_view>

namespace tilth {

// The decoded segments of a path as sent; the path must outlive them. A segment that cannot be
// decoded matches nothing.
class PathSegments {
 public:
  static constexpr std::size_t kMost = 17;  // more than any route has; the rest is dropped

  explicit PathSegments(std::string_view path);
  PathSegments(const PathSegments&) = delete;
  PathSegments& operator=(const PathSegments&) = delete;

  std::span<const std::string_view> all() const { return std::span(segments_).first(count_); }

 private:
  std::array<std::string_view, kMost> segments_;
  std::size_t count_ = 0;
  std::forward_list<std::string> decoded_;  // segments that differ from the path's text
};

}  // namespace tilth
