// The list of settings: their names, meanings and valid values. The command line, the environment,
// the file and `tilth config check` all use it.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "infra/config/config.h"

namespace tilth {

// How a setting is written in the file.
enum class SettingKind : std::uint8_t { kText, kTime, kInteger, kNumber, kSwitch, kList };

struct Setting {
  std::string_view name;  // in the file: "operator_listen", "limits.max_body_bytes"
  SettingKind kind = SettingKind::kText;
  std::string_view value;     // its placeholder in the help: "HOST:PORT"
  std::string_view expected;  // what a value must be: "HOST:PORT with a port from 0 to 65535"
  std::string_view meaning;   // for the help
  bool is_flag = true;        // `tilth serve` takes it on the command line, too

  // Takes a value as text, a list's members separated by commas. False if it is invalid.
  bool (*take)(Config& config, std::string_view text) = nullptr;
  std::string (*show)(const Config& config) = nullptr;

  std::string flag() const;         // "--operator-listen"
  std::string environment() const;  // "TILTH_OPERATOR_LISTEN", "TILTH_LIMITS_MAX_BODY_BYTES"
};

std::span<const Setting> settings();

// "command", "query" …
std::vector<std::string> names_of(const Roles& roles);

// By its name in the file; null if there is none.
const Setting* find_setting(std::string_view name);

}  // namespace tilth
