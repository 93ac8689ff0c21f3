// Which rows are removed together with another one, as their kGoesWith declares.

#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "projections/rows/cascade_step.h"

namespace tilth {

// Declares that a row is removed when another one is.
struct GoesWith {
  std::string_view table;                           // of the other one
  std::uint8_t filter = CascadeStep::kOwnList;      // that names the other one
  Uuid (*listed_under)(const void* row) = nullptr;  // the parent of those lists
};

// Rows listed under a Parent, which is their parent().
template <class Parent>
constexpr GoesWith goes_with() {
  return {.table = Parent::kTable};
}

// Rows that name an Other in their filter kFilter. They are in lists of the whole stream.
template <class Other, std::size_t kFilter>
constexpr GoesWith goes_with() {
  return {.table = Other::kTable, .filter = kFilter, .listed_under = [](const void*) {
            return Uuid{};
          }};
}

// Rows that name an Other in their filter kFilter. They are in lists of the row that the Other has
// in its member kUnder.
template <class Other, std::size_t kFilter, auto kUnder>
constexpr GoesWith goes_with() {
  return {.table = Other::kTable, .filter = kFilter, .listed_under = [](const void* row) {
            return (static_cast<const Other*>(row)->*kUnder).uuid;
          }};
}

}  // namespace tilth
