// Prints a described struct as JSON text.

#pragma once

#include <string>
#include <vector>

#include "events/codec.h"

namespace tilth {

// Prints members as listed: an empty optional as null, an absent Patch not at all.
class JsonWriter {
 public:
  template <class T>
  static void write(const T& value, std::string& out) {
    if constexpr (Described<T>) {
      JsonWriter writer(out);
      out.push_back('{');
      const_cast<T&>(value).serialize(writer);  // only read here
      out.push_back('}');
    } else if constexpr (kIs<T, std::vector>) {
      out.push_back('[');
      for (const auto& item : value) {
        if (out.back() != '[') out.push_back(',');
        write(item, out);
      }
      out.push_back(']');
    } else if constexpr (kIs<T, std::optional>) {
      if (value) return write(*value, out);
      out.append("null");
    } else {
      write_scalar(value, out);
    }
  }

  template <class T>
  static std::string text(const T& value) {
    std::string out;
    out.reserve(kUsualBytes);
    write(value, out);
    return out;
  }

  template <class... T>
  void operator()(Member<T>... members) {
    (put(members), ...);
  }

 private:
  static constexpr std::size_t kUsualBytes = 768;  // of a record of ours

  explicit JsonWriter(std::string& out) : out_(out) {}

  template <class T>
  void put(const Member<T>& member) {
    if (member.rules.hidden) return;
    if constexpr (kIs<T, Patch>) {
      if (member.value.to) put(Member<const typename T::Value>{member.name, *member.value.to, {}});
    } else {
      if (!first_) out_.push_back(',');
      first_ = false;
      out_.append(1, '"').append(member.name).append("\":");
      write(member.value, out_);
    }
  }

  std::string& out_;
  bool first_ = true;
};

}  // namespace tilth
