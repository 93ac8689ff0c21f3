// Loads the configuration from flags, the environment and a file.

#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "events/values/result.h"
#include "infra/config/config.h"

namespace tilth {

// The command line's flags: values as typed, by the setting's name in the file ("operator_listen").
using GivenFlags = std::map<std::string, std::string, std::less<>>;
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

// The environment of this process. An empty variable counts as unset.
std::optional<std::string> process_environment(const std::string& name);

// The names of all variables of this process.
std::vector<std::string> process_variables();

// A misspelt variable would have no effect. Others that begin with TILTH_ are left alone:
// Kubernetes and the tools around a service name theirs so.
//
//   kDamaged  a name is almost that of a setting; the message says which.
Status refuse_misspelt_variables(const std::vector<std::string>& names);

// Precedence: a flag, the environment, the file (--config, else TILTH_CONFIG), the default.
//
//   kInvalid      a flag's value is invalid: wrong usage.
//   kDamaged      a value in the environment or in the file is invalid, or the file names an
//                 unknown setting; the message says which.
//   kUnavailable  the file cannot be read.
Result<Config> load_config(const GivenFlags& flags, const Environment& environment);

// What an operator should know about a configuration that is valid: a sentence each.
std::vector<std::string> warnings(const Config& config);

// One setting in effect.
struct Effective {
  std::string name;
  std::string value;
  std::string source;  // "default", or as in Config::sources
};
std::vector<Effective> in_force(const Config& config);

}  // namespace tilth
