#include "infra/config/toml_file.h"

#include <algorithm>
#include <optional>
#include <sstream>

#include <toml++/toml.h>

#include "infra/system/whole_file.h"

namespace tilth {
namespace {

using Type = FileValue::Type;

template <class Value>
FileValue printed(Type type, const Value& value) {
  std::ostringstream text;
  text << value;
  return {type, text.str()};
}

FileValue list(const toml::array& array) {
  FileValue value{Type::kList, {}};
  for (const auto& member : array) {
    const auto* text = member.as_string();
    // A member with a comma would be read as two.
    if (text == nullptr || text->get().find(',') != std::string::npos) return {Type::kOther, {}};
    value.text += (value.text.empty() ? "" : ",") + text->get();
  }
  return value;
}

FileValue leaf(const toml::node& node) {
  if (const auto* text = node.as_string()) return {Type::kText, text->get()};
  if (const auto* whole = node.as_integer()) return {Type::kInteger, std::to_string(whole->get())};
  if (const auto* number = node.as_floating_point()) return printed(Type::kNumber, number->get());
  if (const auto* truth = node.as_boolean()) {
    return {Type::kSwitch, truth->get() ? "true" : "false"};
  }
  if (const auto* time = node.as_date_time()) return printed(Type::kTime, time->get());
  if (const auto* date = node.as_date()) return printed(Type::kTime, date->get());
  if (const auto* array = node.as_array()) return list(*array);
  return {Type::kOther, {}};
}

void flatten(const toml::table& table, const std::string& prefix, FileValues& into) {
  if (table.empty() && !prefix.empty()) {
    into[prefix.substr(0, prefix.size() - 1)] = {Type::kOther, "{}"};
  }
  for (const auto& [key, node] : table) {
    const auto name = prefix + std::string(key.str());
    if (const auto* inner = node.as_table()) {
      flatten(*inner, name + ".", into);
    } else {
      into[name] = leaf(node);
    }
  }
}

}  // namespace

bool FileValue::is(SettingKind kind) const {
  switch (kind) {
    case SettingKind::kText:
      return type == Type::kText;
    case SettingKind::kTime:
      return type == Type::kTime || type == Type::kText;
    case SettingKind::kInteger:
      return type == Type::kInteger;
    case SettingKind::kNumber:
      return type == Type::kNumber || type == Type::kInteger;
    case SettingKind::kSwitch:
      return type == Type::kSwitch;
    case SettingKind::kList:
      return type == Type::kList;
  }
  return false;
}

std::string_view name_of(SettingKind kind) {
  switch (kind) {
    case SettingKind::kText:
      return "text";
    case SettingKind::kTime:
      return "a time";
    case SettingKind::kInteger:
      return "an integer";
    case SettingKind::kNumber:
      return "a number";
    case SettingKind::kSwitch:
      return "true or false";
    case SettingKind::kList:
      return "a list of text";
  }
  return {};
}

std::string_view name_of(FileValue::Type type) {
  switch (type) {
    case Type::kText:
      return "text";
    case Type::kInteger:
      return "an integer";
    case Type::kNumber:
      return "a number";
    case Type::kSwitch:
      return "true or false";
    case Type::kTime:
      return "a time";
    case Type::kList:
      return "a list of text";
    case Type::kOther:
      return "something else";
  }
  return {};
}

Result<FileValues> read_toml(const std::filesystem::path& path) {
  const auto content = read_whole_file(path);
  if (!content) return content.error();
  if (!*content) return Error{ErrorCode::kUnavailable, path.string() + " is not there."};
  try {
    FileValues values;
    flatten(toml::parse(**content), "", values);
    return values;
  } catch (const toml::parse_error& error) {
    std::string reason(error.description());
    std::replace(reason.begin(), reason.end(), '\n', ' ');
    const auto line = std::to_string(error.source().begin.line);
    return Error{ErrorCode::kDamaged,
                 path.string() + " is not TOML, line " + line + ": " + reason + "."};
  }
}

}  // namespace tilth
