// Writes a described struct as JSON text.

#pragma once

#include <string>

#include "events/json/type_form.h"

namespace tilth {

// Appends a value of that form: its members in listed order, an empty optional as null. An absent
// Patch is omitted.
void write_json(const void* value, const TypeForm& form, std::string& out);

// Appends only an object's members, without braces: "a":1,"b":2.
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

  // Only the members, for an object that is built from several structs.
  template <class T>
  static std::string members(const T& value) {
    std::string out;
    write_json_members(&value, kTypeForm<T>, out);
    return out;
  }

 private:
  static constexpr std::size_t kUsualBytes = 768;  // of a typical record
};

}  // namespace tilth
