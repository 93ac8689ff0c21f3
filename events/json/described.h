// Describes a struct once, so that all its forms agree.
//
//   struct Rename {
//     std::string name;
//     template <class Archive>
//     decltype(auto) serialize(Archive& ar) {
//       return ar(member("name", name, {.required = true, .min_length = 1, .max_length = 100}));
//     }
//   };
//
// The archive decides what the list means: JsonReader fills and checks, JsonWriter prints, cereal's
// archives store by position, Shape fingerprints, and the API's schema documents.

#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tilth {

// What a valid value of a member looks like in a request.
struct Rules {
  bool required = false;
  bool positive = false;  // more than 0
  std::optional<std::int64_t> min = {};
  std::optional<std::int64_t> max = {};
  std::size_t min_length = 0;  // in code points
  std::size_t max_length = std::numeric_limits<std::size_t>::max();
  std::size_t min_items = 0;  // of an array
  std::size_t max_items = std::numeric_limits<std::size_t>::max();
  bool hidden = false;            // stored in rows, never part of any JSON
  std::string_view derived = {};  // a name of an enum that only responses have
  std::string_view doc = {};
};

template <class T>
struct Member {
  std::string_view name;
  T& value;
  Rules rules;

  template <class Archive>  // for archives without names: cereal's
  void serialize(Archive& ar) {
    ar(value);
  }
};

template <class T>
Member<T> member(std::string_view name, T& value, Rules rules = {}) {
  return {name, value, rules};
}

// An event's name in the log, and the current version of its shape.
struct EventType {
  std::string_view name;
  int version = 1;
};

// Collects a struct's members, to walk them alongside those of another struct.
struct Members {
  template <class... T>
  std::tuple<Member<T>...> operator()(Member<T>... members) {
    return {members...};
  }
};

template <class T>
concept Described = requires(T& value, Members& ar) {
  value.serialize(ar);
};

// An enum that has a table of its names: constexpr auto labels(PlantStatus) {...}
template <class T>
concept Labelled = std::is_enum_v<T> && requires(T value) {
  labels(value);
};

// The table of an enum whose values are 0, 1, 2…: named<PlantStatus>("alive", "sick", "dead").
template <class Enum, class... Names>
constexpr auto named(Names... names) {
  std::array<std::pair<Enum, std::string_view>, sizeof...(Names)> table{
      std::pair<Enum, std::string_view>{Enum{}, names}...};
  for (std::size_t i = 0; i < table.size(); ++i) table[i].first = static_cast<Enum>(i);
  return table;
}

template <Labelled T>
constexpr std::string_view name_of(T value) {
  return labels(value).at(static_cast<std::size_t>(value)).second;
}

template <class Changes, class Whole>
void apply(const Changes& changes, Whole& whole);

// What an amendment does to one member: nothing, or set a new value. If that may be null, T is
// optional: Patch<std::optional<Date>> distinguishes absent, null and a date.
template <class T>
struct Patch {
  using Value = T;
  std::optional<T> to;

  void apply(T& current) const {
    if (to.has_value()) current = *to;
  }

  // An object in an amendment that is a Details<Patch> itself: what it does not carry stays.
  template <class Whole>
  void apply(std::optional<Whole>& current) const {
    if (!to.has_value()) return;
    if (!*to) return current.reset();
    if (!current) current.emplace();
    tilth::apply(**to, *current);
  }
};

// Details<Own> holds all details of a record, Details<Patch> only the changes.
template <class T>
using Own = T;

template <template <class> class As>
inline constexpr bool kWhole = std::is_same_v<As<int>, int>;

// The default of a member: `value` in Details<Own>, nothing in an amendment.
template <template <class> class As, class T>
As<T> initially(T value) {
  if constexpr (kWhole<As>) {
    return value;
  } else {
    return {};
  }
}

// Applies `changes`, a Details<Patch>, to `whole`, the Details<Own> of the same record.
template <class Changes, class Whole>
void apply(const Changes& changes, Whole& whole) {
  Members ar;
  auto from = const_cast<Changes&>(changes).serialize(ar);  // only read here
  auto to = whole.serialize(ar);
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (std::get<I>(from).value.apply(std::get<I>(to).value), ...);
  }
  (std::make_index_sequence<std::tuple_size_v<decltype(from)>>());
}

template <class Changes>
bool carries_any(const Changes& changes) {
  Members ar;
  return std::apply([](auto... member) { return (member.value.to.has_value() || ...); },
                    const_cast<Changes&>(changes).serialize(ar));
}

template <class T, template <class...> class Of>
inline constexpr bool kIs = false;
template <template <class...> class Of, class... A>
inline constexpr bool kIs<Of<A...>, Of> = true;

}  // namespace tilth
