// Erases what a removal cascades to in steps, so that a farm of a million plants costs no memory
// and delays no other owner.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "projections/rows/cascade_step.h"

namespace tilth {

class MutableRows;

// The remaining steps of one event. Rows in a list of their own parent are erased in place, with
// all lists of that parent. Rows in lists that stay are taken out of these. What leads to other
// rows – a list, a row in a list that stays – is erased after them, so that a restart finds them.
//
// Threads: belongs to one. Crash: the first steps stay in the store until all is done, and are
// started again; rows that are already erased are not found again.
class Cascade {
 public:
  explicit Cascade(std::vector<CascadeStep> steps);

  // Erases up to about `budget` rows and keys. Returns whether nothing is left.
  bool advance(MutableRows& rows, std::size_t budget);

  // The steps that advance() started with, to be stored until it is done.
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
