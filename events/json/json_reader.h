// Fills a described struct from JSON, and reports everything that is wrong with it.

#pragma once

#include <string>

#include "events/json/type_form.h"
#include "events/values/result.h"

namespace tilth {

// Reads into a value of that form. Collects every issue under its dotted path, not just the first.
// A struct may have `void check(Issues&) const` for rules that span several members; it runs on
// requests, and ignores members that have an issue already.
void read_json(const Json& json, Reading how, void* value, const TypeForm& form, Issues& issues,
               const std::string& path = {}, const Rules& rules = {});

class JsonReader {
 public:
  template <class T>
  static void read(const Json& json, Reading how, T& value, Issues& issues,
                   const std::string& path = {}, const Rules& rules = {}) {
    read_json(json, how, &value, kTypeForm<T>, issues, path, rules);
  }
};

}  // namespace tilth
