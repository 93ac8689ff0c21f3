#include "app/serve/serve.h"

#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/cli/commands/commands.h"
#include "app/cli/engine/json_text.h"
#include "app/cli/engine/operator_api.h"
#include "app/cli/engine/table.h"
#include "infra/config/load_config.h"
#include "infra/config/settings.h"

namespace tilth::cli {
namespace {

// For completion: whether a value is valid is up to the setting.
Values suggestions(const Setting& setting) {
  const auto any_of = [](std::vector<std::string> choices) {
    return Values{{}, [](std::string_view) { return true; }, std::move(choices)};
  };
  if (setting.name == "log") return any_of({"embedded", "kafka"});
  if (setting.name == "log_level") return any_of({"debug", "info", "warn", "error"});
  if (setting.name == "roles") return any_of({"command", "query", "project", "clock"});
  return any_of({});
}

std::vector<Flag> setting_flags() {
  std::vector<Flag> flags = {{"--config", "FILE", "settings in TOML; by default TILTH_CONFIG"}};
  const Config defaults;
  for (const auto& setting : settings()) {
    if (!setting.is_flag) continue;
    const auto fallback = setting.show(defaults);
    std::string meaning(setting.meaning);
    if (!setting.value.empty() && !fallback.empty()) meaning += " [" + fallback + "]";
    flags.push_back(
        {setting.flag(), std::string(setting.value), meaning, false, suggestions(setting)});
  }
  return flags;
}

Result<Config> config_of(const Arguments& arguments) {
  GivenFlags given;
  if (const auto file = arguments.find("--config")) given["config"] = *file;
  for (const auto& setting : settings()) {
    if (!setting.is_flag) continue;
    if (const auto value = arguments.find(setting.flag())) {
      given[std::string(setting.name)] = *value;
    }
  }
  return load_config(given, process_environment());
}

ExitStatus refused(const Error& error) {
  return error.code == ErrorCode::kInvalid ? wrong_usage(error.message) : failed(error.message);
}

ExitStatus run_service(const Arguments& arguments) {
  const auto config = config_of(arguments);
  if (!config) return refused(config.error());
  return {serve(*config), {}};
}

ExitStatus check_config(const Arguments& arguments) {
  const auto config = config_of(arguments);
  if (!config) return refused(config.error());
  const auto lines = in_force(*config);
  const auto warned = warnings(*config);
  if (!arguments.has("--json")) {
    Table table({"SETTING", "VALUE", "FROM"});
    for (const auto& [name, value, source] : lines) {
      table.add({printable(name), value.empty() ? "-" : printable(value), printable(source)});
    }
    table.print(std::cout);
    for (const auto& warning : warned) std::cerr << "Warning: " << printable(warning) << '\n';
    return done();
  }
  Json answer = object_value();
  auto& list = answer.add("data", {Json::Kind::kArray, {}, {}});
  for (const auto& [name, value, source] : lines) {
    auto& line = list.add({}, object_value());
    line.add("name", text_value(name));
    line.add("value", shown_text(value));
    line.add("source", shown_text(source));
  }
  auto& shown = answer.add("warnings", {Json::Kind::kArray, {}, {}});
  for (const auto& warning : warned) shown.add({}, shown_text(warning));
  std::cout << to_text(answer) << '\n';
  return done();
}

}  // namespace

std::vector<Command> serve_commands() {
  return {{"serve",
           "Runs the service",
           "tilth serve --data /var/lib/tilth --listen 0.0.0.0:8080",
           {},
           setting_flags(),
           run_service}};
}

std::vector<Command> config_commands() {
  auto flags = setting_flags();
  flags.push_back({"--json", "", "print JSON, for machines"});
  return {{"config check",
           "Shows the settings that `tilth serve` would have, and where each comes from",
           "tilth config check --config tilth.toml",
           {},
           std::move(flags),
           check_config}};
}

}  // namespace tilth::cli
