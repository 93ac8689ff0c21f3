// Parses a configuration file without interpreting its names.

#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "events/values/result.h"
#include "infra/config/settings.h"

namespace tilth {

// One value of the file, as text; a list's members are separated by commas.
struct FileValue {
  // Text, an integer, another number, true or false, a time, a list of text; kOther is a type that
  // no setting has.
  enum class Type { kText, kInteger, kNumber, kSwitch, kTime, kList, kOther };
  Type type = Type::kOther;
  std::string text;

  bool is(SettingKind kind) const;
};

// For messages: "an integer", "a list of text".
std::string_view name_of(SettingKind kind);
std::string_view name_of(FileValue::Type type);

// Values by their dotted names. An empty table is a value of type kOther with the text "{}".
using FileValues = std::map<std::string, FileValue, std::less<>>;

//   kUnavailable  the file cannot be read.
//   kDamaged      it is not TOML; the message names the line.
Result<FileValues> read_toml(const std::filesystem::path& path);

}  // namespace tilth
