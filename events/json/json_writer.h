// Prints a described struct as JSON text.

#pragma once

#include <string>

#include "events/json/type_form.h"

namespace tilth {

// Appends a value of that form: members as listed, an empty optional as null, an absent Patch not
// at all.
void write_json(const void* value, const TypeForm& form, std::string& out);

// Appends the members of an object alone, without braces: "a":1,"b":2.
void write_json_members(const void* value, const TypeForm& form, std::string& out);

class JsonWriter {
 public:
  template <class T>
  static void write(const T& value, std::string& out) {
    write_json(&value, kTypeForm<T>, out);
  }

  template <class T>
  static std::string text(const T& value) {
    std::string out;
    out.reserve(kUsualBytes);
    write(value, out);
    return out;
  }

  // The members alone, for an object that is put together of several structs.
  template <class T>
  static std::string members(const T& value) {
    std::string out;
    write_json_members(&value, kTypeForm<T>, out);
    return out;
  }

 private:
  static constexpr std::size_t kUsualBytes = 768;  // of a record of ours
};

}  // namespace tilth
