// What a row goes with: the rows whose removal takes it along, as its kGoesWith says.

#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "projections/rows/cascade_step.h"

namespace tilth {

// That a row goes when another one is removed.
struct GoesWith {
  std::string_view table;                           // of the other one
  std::uint8_t filter = CascadeStep::kOwnList;      // by which it is named
  Uuid (*listed_under)(const void* row) = nullptr;  // whose lists these are
};

// Rows listed under a Parent, which is their parent().
template <class Parent>
constexpr GoesWith goes_with() {
  return {.table = Parent::kTable};
}

// Rows that name an Other in their filter kFilter. They stand in lists of the whole stream.
template <class Other, std::size_t kFilter>
constexpr GoesWith goes_with() {
  return {.table = Other::kTable, .filter = kFilter, .listed_under = [](const void*) {
            return Uuid{};
          }};
}

// Rows that name an Other in their filter kFilter. They stand in lists of the row that the Other
// has in its member kUnder.
template <class Other, std::size_t kFilter, auto kUnder>
constexpr GoesWith goes_with() {
  return {.table = Other::kTable, .filter = kFilter, .listed_under = [](const void* row) {
            return (static_cast<const Other*>(row)->*kUnder).uuid;
          }};
}

}  // namespace tilth
