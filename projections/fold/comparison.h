// Whether two states of a projection's rows are the same, key by key.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "events/json/described.h"
#include "projections/fold/projection.h"
#include "projections/rows/row_store.h"

namespace tilth {

enum class DifferenceKind : std::uint8_t { kMissing, kUnexpected, kOther };

// In the rows that are live, held against those that were folded again.
constexpr auto labels(DifferenceKind) {
  return named<DifferenceKind>("missing", "unexpected", "other");
}

struct Difference {
  std::string stream;  // whose; empty for what is no one's own
  std::string what;    // "plant 01a1…", "list of plants …"
  DifferenceKind live = DifferenceKind::kOther;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("stream", stream), member("what", what), member("live", live));
  }
};

struct Comparison {
  static constexpr std::size_t kMostTold = 100;

  std::uint64_t rows = 0;               // of the state that was folded again
  std::uint64_t found = 0;              // differences
  std::vector<Difference> differences;  // the first of them

  bool same() const { return found == 0; }
};

struct ComparedStates {
  const RowReader& live;
  const RowReader& fresh;
  // Lets the rows of a stream in `again` age up to the time of the comparison.
  std::function<Status(const std::string& stream)> age_again;
  Timestamp now;
};

// Compares all that follows from the events. Rows that age (overdue.h) are compared as of `now`,
// whenever somebody looked at them last. `go_on` is asked from time to time; where it says false
// the answer is kUnavailable. Threads: one, and no one else changes `again` meanwhile.
Result<Comparison> compare(const Projection& projection, const ComparedStates& states,
                           const std::function<bool()>& go_on);

}  // namespace tilth
