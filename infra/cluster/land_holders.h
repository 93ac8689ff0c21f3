// Which nodes answer for which owners' land, as one of them knows it.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tilth {

// Port. Threads: any.
class LandHolders {
 public:
  LandHolders() = default;
  LandHolders(const LandHolders&) = delete;
  LandHolders& operator=(const LandHolders&) = delete;
  virtual ~LandHolders() = default;

  // How many cells the owners' land has.
  virtual std::size_t cells() const = 0;
  // Whether this node answers for the rows of that owner, or of that cell.
  virtual bool is_here(std::string_view stream) const = 0;
  virtual bool is_here(std::size_t cell) const = 0;
  // Where other nodes that answer for them are reached, the one to ask first in front.
  virtual std::vector<std::string> others_with(std::string_view stream) const = 0;
  virtual std::vector<std::string> others_with(std::size_t cell) const = 0;
};

}  // namespace tilth
