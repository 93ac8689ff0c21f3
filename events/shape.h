// The shape of a described struct as text: what its members are called and what they hold. Two
// programs that print the same shape read each other's bytes.

#pragma once

#include <string>
#include <typeinfo>
#include <vector>

#include "events/codec.h"

namespace tilth {

class Shape {
 public:
  // "{id:a UUID,name:a string,position:{lat:a number,lng:a number}?}"
  template <class T>
  static std::string of() {
    if constexpr (Described<T>) {
      Shape shape;
      T value{};
      value.serialize(shape);
      return shape.text_ + "}";
    } else if constexpr (kIs<T, std::vector>) {
      return "[" + of<typename T::value_type>() + "]";
    } else if constexpr (kIs<T, std::optional>) {
      return of<typename T::value_type>() + "?";
    } else if constexpr (OwnJson<T>) {
      return std::string("its own, ") + typeid(T).name();
    } else {
      return expected<T>();
    }
  }

  template <class... T>
  void operator()(Member<T>... members) {
    ((text_.append(text_.size() > 1 ? "," : "").append(members.name).append(":").append(of<T>())),
     ...);
  }

 private:
  std::string text_ = "{";
};

}  // namespace tilth
