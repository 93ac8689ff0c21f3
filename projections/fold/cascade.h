// What a removal takes with it, erased piece by piece, so that a farm of a million plants costs no
// memory and delays no other owner.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "projections/rows/cascade_step.h"

namespace tilth {

class MutableRows;

// The steps that are left of one event. Rows in a list of their own parent are erased where they
// lie, with all lists of that parent. Rows in lists that stay are taken out of these. What leads to
// other rows – a list, a row in a list that stays – goes after them, so that a restart finds them.
//
// Threads: belongs to one. Crash: the first steps stay in the store until all is done, and are
// begun again; what is gone already is not found again.
class Cascade {
 public:
  explicit Cascade(std::vector<CascadeStep> steps);

  // Erases up to about `budget` rows and keys. Whether nothing is left.
  bool advance(MutableRows& rows, std::size_t budget);

  // What advance() began with, to be kept until it is done.
  static std::string encode(const std::vector<CascadeStep>& steps);
  static std::vector<CascadeStep> decode(std::string_view bytes);

 private:
  struct Step {
    CascadeStep step;
    std::string after = {};  // the last key that was erased
  };

  void erase_children(MutableRows& rows, Step step, std::size_t& budget);
  void erase_keys(MutableRows& rows, Step step, std::size_t& budget);

  std::vector<Step> left_;  // the last one is next
};

}  // namespace tilth
