// The names of types in the API's description follow from their names in the program.

#pragma once

#include <string>
#include <string_view>

namespace tilth {

namespace internal {
template <class T>
constexpr std::string_view spelling() {
  constexpr std::string_view kFunction = __PRETTY_FUNCTION__, kBegin = "T = ";
  const auto begin = kFunction.find(kBegin) + kBegin.size();
  return kFunction.substr(begin, kFunction.find_first_of(";]", begin) - begin);
}
}  // namespace internal

// As the compiler spells it: "tilth::Create<tilth::Farm>".
template <class T>
inline constexpr std::string_view kSpelling = internal::spelling<T>();

// Without namespaces and brackets: "CreateFarm".
std::string type_name(std::string_view spelling);

// Names a record or a request's body, so that what belongs together is listed together: the names
// of CreateFarm and UpdateFarm are FarmCreate and FarmUpdate, those of Farm and CompleteTask are
// their own.
std::string schema_name(std::string_view spelling);

// "CreateFarm" is createFarm.
std::string operation_name(std::string_view type_name);

}  // namespace tilth
