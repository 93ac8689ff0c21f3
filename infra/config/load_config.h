// Where the values of a configuration come from: flags, the environment, a file.

#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "events/values/result.h"
#include "infra/config/config.h"

namespace tilth {

// What the command line says: values as typed, by the setting's name in the file
// ("operator_listen").
using GivenFlags = std::map<std::string, std::string, std::less<>>;
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

// The environment of this process. A variable that is set to nothing counts as not set.
std::optional<std::string> process_environment(const std::string& name);

// A flag beats the environment beats the file (--config, else TILTH_CONFIG) beats the default.
//
//   kInvalid      a flag's value makes no sense: wrong usage.
//   kDamaged      a value in the environment or in the file makes no sense, or the file names a
//                 setting that there is not; the message says which.
//   kUnavailable  the file cannot be read.
Result<Config> load_config(const GivenFlags& flags, const Environment& environment);

// One line of what is in force.
struct Effective {
  std::string name;
  std::string value;
  std::string source;  // "default", or as in Config::sources
};
std::vector<Effective> in_force(const Config& config);

}  // namespace tilth
