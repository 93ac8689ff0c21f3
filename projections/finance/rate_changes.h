// The years in which exchange rates last changed, so that what was converted by them can be cached
// until then.

#pragma once

#include <cstdint>
#include <vector>

#include "events/finance/exchange_rate.h"
#include "projections/rows/rows.h"

namespace tilth {

// Stored in the reference stream. Imports are numbered in order.
class RateChanges {
 public:
  static RateChanges read(const Rows& reference);

  // The number of the last import that affects the conversion of amounts of any day of that year; 0
  // if there is none.
  std::uint64_t last(int year) const;

  struct Year {
    int year = 0;
    std::uint64_t within = 0;   // the last import that affects days of this year
    std::uint64_t onwards = 0;  // the last that affects a day of this year and all days after it

    template <class Archive>
    void serialize(Archive& ar) {
      ar(member("year", year), member("within", within), member("onwards", onwards));
    }
  };

  std::uint64_t imports = 0;
  std::vector<Year> years;  // in order; only those with a number

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("imports", imports), member("years", years));
  }
};

}  // namespace tilth
