// Erases what a removal cascades to in steps, so that a farm of a million plants costs no memory
// and delays no other owner.

#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "projections/rows/cascade_step.h"

namespace tilth {

class MutableRows;

// The remaining steps of a stream's removals, in two parts. First, rows are taken out of the lists
// that stay, with what has effects on other rows. What is left then lies below rows that are gone,
// in lists of its own: VisibleRows hides it, so it can be erased at any time.
//
// What leads to other rows – their parent, a list – is erased after them, so that a restart finds
// them, and readers find that they are hidden.
//
// Threads: belongs to one. Crash: steps() stay in the store until all is done, and are started
// again; rows that are already erased are not found again.
class Cascade {
 public:
  explicit Cascade(std::vector<CascadeStep> steps);

  // Erases up to about `budget` rows and keys. Returns whether nothing is left.
  bool advance(MutableRows& rows, std::size_t budget);

  // All that is left is hidden.
  bool is_hidden() const { return left_.empty(); }
  // The removed rows below which it is.
  std::set<Uuid> hidden_below() const;

  // What `later` has left comes on top of what this has, which is_hidden().
  void add(Cascade later);

  // What is to be done again after a restart; to be stored until all is done.
  std::vector<CascadeStep> steps() const;

  static std::string encode(const std::vector<CascadeStep>& steps);
  static std::vector<CascadeStep> decode(std::string_view bytes);

 private:
  struct Step {
    CascadeStep step;
    std::string after = {};      // the last key that was erased
    bool where_it_lies = false;  // of kOne: its list is erased later
  };
  using Steps = std::vector<Step>;  // the last one is next

  void take(MutableRows& rows, Steps& steps, std::size_t& budget);
  static void take_out(MutableRows& rows, const Step& step);
  void erase_children(MutableRows& rows, Steps& steps, Step step, std::size_t& budget);
  void erase_keys(MutableRows& rows, Steps& steps, Step step, std::size_t& budget);
  bool hides(const MutableRows& rows, const CascadeStep& step);

  std::vector<CascadeStep> first_;   // those that left_ began with, while it has any
  Steps left_;                       // not hidden
  std::vector<CascadeStep> hidden_;  // the last one is next
  Steps begun_;                      // of the next one of these
};

}  // namespace tilth
