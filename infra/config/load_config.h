// Loads the configuration from flags, the environment and a file.

#pragma once

#include <map>
#include <string>
#include <vector>

#include "events/values/result.h"
#include "infra/config/config.h"

namespace tilth {

// The command line's flags: values as typed, by the setting's name in the file ("operator_listen").
using GivenFlags = std::map<std::string, std::string, std::less<>>;
// Variables by name. An empty one counts as unset, and is not there.
using Environment = std::map<std::string, std::string, std::less<>>;

// That of this process.
Environment process_environment();

// Precedence: a flag, the environment, the file (--config, else TILTH_CONFIG), the default. A
// variable that is almost that of a setting is refused, since it would have no effect. Others that
// begin with TILTH_ are left alone: Kubernetes and the tools around a service name theirs so.
//
//   kInvalid      a flag's value is invalid: wrong usage.
//   kDamaged      a value in the environment or in the file is invalid, a variable is misspelt, or
//                 the file names an unknown setting; the message says which.
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
