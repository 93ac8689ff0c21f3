// Which years exchange rates were last changed in, so that what was converted by them can be kept
// until then.

#pragma once

#include <cstdint>
#include <vector>

#include "events/finance/exchange_rate.h"
#include "projections/rows/rows.h"

namespace tilth {

// Lies in the reference stream. Imports are numbered as they come.
class RateChanges {
 public:
  static RateChanges read(const Rows& reference);

  // The number of the last import that says by what rates amounts of some day of that year are
  // converted; 0 where there is none.
  std::uint64_t last(int year) const;

  struct Year {
    int year = 0;
    std::uint64_t within = 0;   // the last import that says something of days of this year
    std::uint64_t onwards = 0;  // … of a day of this year and of all days after it

    template <class Archive>
    void serialize(Archive& ar) {
      ar(member("year", year), member("within", within), member("onwards", onwards));
    }
  };

  std::uint64_t imports = 0;
  std::vector<Year> years;  // in their order; those with a number

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("imports", imports), member("years", years));
  }
};

}  // namespace tilth
