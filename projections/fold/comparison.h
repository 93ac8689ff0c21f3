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

// How the live rows differ from the refolded ones.
constexpr auto labels(DifferenceKind) {
  return named<DifferenceKind>("missing", "unexpected", "other");
}

struct Difference {
  std::string stream;  // whose; empty if it belongs to no stream
  std::string what;    // "plant 01a1…", "list of plants …"
  DifferenceKind live = DifferenceKind::kOther;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("stream", stream), member("what", what), member("live", live));
  }
};

struct Comparison {
  static constexpr std::size_t kMostReported = 100;

  std::uint64_t rows = 0;               // of the refolded state
  std::uint64_t found = 0;              // differences
  std::vector<Difference> differences;  // the first of them

  bool same() const { return found == 0; }
};

struct ComparedStates {
  const RowReader& live;
  // What is folded again. age_again() may destroy what it has returned before.
  std::function<const RowReader&()> fresh;
  // Ages the rows of a stream in fresh() up to the time of the comparison.
  std::function<Status(const std::string& stream)> age_again;
  Timestamp now;
};

// Compares all that follows from the events. Rows that age (overdue.h) are compared as of `now`,
// whenever they were last read. Calls `go_on` from time to time; if it returns false, the result is
// kUnavailable. Threads: one, and nothing else changes fresh() meanwhile.
Result<Comparison> compare(const Projection& projection, const ComparedStates& states,
                           const std::function<bool()>& go_on);

}  // namespace tilth
