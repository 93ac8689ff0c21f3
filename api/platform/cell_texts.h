// What is asked of the cells of a projection, or what they answer, as nodes tell one another.

#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace tilth {

using CellTexts = std::map<std::size_t, std::string>;  // by cell

std::string written(const CellTexts& texts);
// Null: it cannot be read.
std::optional<CellTexts> read_cell_texts(std::string_view json);

}  // namespace tilth
