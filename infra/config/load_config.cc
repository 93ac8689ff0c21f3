#include "infra/config/load_config.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <unistd.h>

#include "infra/config/kafka_table.h"
#include "infra/config/plans.h"
#include "infra/config/settings.h"
#include "infra/config/similar_name.h"
#include "infra/config/toml_file.h"

namespace tilth {
namespace {

Error wrong(ErrorCode code, const std::string& where, const Setting& setting,
            std::string_view given) {
  return {code, where + " must be " + std::string(setting.expected) + ", not '" +
                    std::string(given) + "'."};
}

// Every setting's name is "table.member" or "member".
bool is_table(std::string_view name) {
  if (name == "plans") return true;
  for (const auto& setting : settings()) {
    if (setting.name.starts_with(std::string(name) + ".")) return true;
  }
  return false;
}

Status take_file_value(Config& config, const std::string& name, const FileValue& value) {
  const bool empty_table = value.type == FileValue::Type::kOther && value.text == "{}";
  if (empty_table && is_table(name)) return kDone;
  if (value.text.find('\0') != value.text.npos) {
    return Error{ErrorCode::kDamaged, name + " must not contain U+0000."};
  }
  if (name.starts_with(kPlansPrefix)) return take_plan_member(config.plans, name, value);
  const auto* setting = find_setting(name);
  if (setting == nullptr && name.starts_with(kKafkaPrefix)) {
    return take_kafka_member(config.kafka.client, name, value);
  }
  if (setting == nullptr) return Error{ErrorCode::kDamaged, name + " is not a setting of Tilth."};
  if (!value.is(setting->kind)) {
    return Error{ErrorCode::kDamaged, name + " must be " + std::string(name_of(setting->kind)) +
                                          ", not " + std::string(name_of(value.type)) + "."};
  }
  if (!setting->take(config, value.text)) {
    return wrong(ErrorCode::kDamaged, name, *setting, value.text);
  }
  return kDone;
}

Status take_file(Config& config) {
  const auto values = read_toml(config.file);
  if (!values) return values.error();
  const auto in_file = [&](const Error& error) {
    return Error{error.code, config.file.string() + ": " + error.message};
  };
  for (const auto& [name, value] : *values) {
    if (const auto taken = take_file_value(config, name, value); !taken) {
      return in_file(taken.error());
    }
    config.sources[name] = config.file.string();
  }
  const auto complete = complete_plans(config.plans, *values);
  if (!complete) return in_file(complete.error());
  return kDone;
}

// Queries read rows that this node folds, commands are decided on those rows, and the clock runs
// commands.
std::optional<std::string> nonsense(const Roles& roles) {
  if (roles.query && !roles.project) return "The role query needs the role project.";
  if (roles.command && !roles.project) return "The role command needs the role project.";
  if (roles.clock && !roles.command) return "The role clock needs the role command.";
  return std::nullopt;
}

bool is_wildcard(const HostPort& at) {
  return at.host == "0.0.0.0" || at.host == "::" || at.host == "[::]";
}

// Any request may reach any node, which forwards it to one that holds its owner.
std::optional<std::string> nonsense(const Config& config) {
  const auto& cluster = config.cluster;
  if (cluster.copies == 0) {
    if (!cluster.listen) return std::nullopt;
    return "cluster.listen needs cluster.copies next to it: without, every node holds everything.";
  }
  if (config.log != LogKind::kKafka) return "cluster.copies needs the log kafka.";
  if (!cluster.listen) return "cluster.copies needs cluster.listen next to it.";
  if (is_wildcard(*cluster.listen) && !cluster.advertise) {
    return "cluster.listen is every address: say with cluster.advertise which one other nodes use.";
  }
  if (cluster.advertise && is_wildcard(*cluster.advertise)) {
    return "cluster.advertise is every address: say which one other nodes use.";
  }
  const auto& roles = config.roles;
  if (!roles.query || !roles.project || roles.command != roles.clock) {
    return "cluster.copies needs the roles query and project, and command and clock together: a "
           "node does everything for the owners that it holds.";
  }
  return std::nullopt;
}

// Refuses settings that are valid alone but not together.
Status check_together(const Config& config) {
  const auto wrong = [&](std::string_view setting, std::string message) {
    const auto source = config.sources.find(setting);
    const bool by_flag = source != config.sources.end() && source->second.starts_with("--");
    return Error{by_flag ? ErrorCode::kInvalid : ErrorCode::kDamaged, std::move(message)};
  };
  const auto& provider = config.open_id;
  if (!provider.issuer.empty() && provider.client_id.empty()) {
    return wrong("open_id.issuer", "open_id.issuer needs an open_id.client_id next to it.");
  }
  if (!provider.issuer.empty() && !config.plans.contains(provider.plan)) {
    return wrong("open_id.plan", "open_id.plan names no plan: " + provider.plan + ".");
  }
  if (config.rates.every && config.rates.url.empty()) {
    return wrong("rates.every", "rates.every needs a rates.url next to it.");
  }
  if (config.log == LogKind::kKafka && config.brokers.empty()) {
    return wrong("log", "The log kafka needs brokers: name them with --brokers.");
  }
  if (auto why = nonsense(config.roles)) return wrong("roles", std::move(*why));
  if (auto why = nonsense(config)) return wrong("cluster.copies", std::move(*why));
  return kDone;
}

// Besides the settings: the configuration file's variable, and those with which the client commands
// find a service.
constexpr std::string_view kPrefix = "TILTH_";
constexpr std::array<std::string_view, 3> kOtherVariables = {"TILTH_CONFIG", "TILTH_OPERATOR",
                                                             "TILTH_TOKEN_FILE"};

Status refuse_misspelt(const Environment& environment) {
  std::vector<std::string> known(kOtherVariables.begin(), kOtherVariables.end());
  for (const auto& setting : settings()) known.push_back(setting.environment());
  for (const auto& [name, value] : environment) {
    if (!name.starts_with(kPrefix)) continue;
    const auto* meant = similar_name(name, known, kPrefix.size());
    if (meant == nullptr) continue;
    return Error{ErrorCode::kDamaged, name + " is not a setting of Tilth; " + *meant + " is."};
  }
  return kDone;
}

Status take_variables(Config& config, const Environment& environment) {
  if (const auto known = refuse_misspelt(environment); !known) return known;
  for (const auto& setting : settings()) {
    const auto found = environment.find(setting.environment());
    if (found == environment.end()) continue;
    const auto& [variable, value] = *found;
    if (!setting.take(config, value)) return wrong(ErrorCode::kDamaged, variable, setting, value);
    config.sources[std::string(setting.name)] = variable;
  }
  for (const auto& [variable, value] : environment) {
    const auto name = kafka_member_of(variable);
    if (!name) continue;
    const auto taken =
        take_kafka_member(config.kafka.client, *name, {FileValue::Type::kText, value});
    if (!taken) return Error{taken.error().code, variable + ": " + taken.error().message};
    config.sources[*name] = variable;
  }
  return kDone;
}

void add_plan(const std::string& name, const Plan& plan, std::vector<Effective>& lines) {
  const auto table = std::string(kPlansPrefix) + name + ".";
  lines.push_back({table + "requests_per_hour", std::to_string(plan.requests_per_hour), {}});
  lines.push_back({table + "farms", shown_limit(plan.farms), {}});
  lines.push_back({table + "ai_requests_per_month", shown_limit(plan.ai_requests_per_month), {}});
  lines.push_back({table + "bytes_per_hour", shown_limit(plan.bytes_per_hour), {}});
  lines.push_back({table + "may_mint_keys", plan.may_mint_keys ? "true" : "false", {}});
}

}  // namespace

Environment process_environment() {
  Environment environment;
  for (auto* const* variable = ::environ; *variable != nullptr; ++variable) {
    const std::string_view text(*variable);
    const auto end = std::min(text.find('='), text.size());
    const auto value = text.substr(std::min(end + 1, text.size()));
    if (!value.empty()) environment.emplace(text.substr(0, end), value);
  }
  return environment;
}

Result<Config> load_config(const GivenFlags& flags, const Environment& environment) {
  Config config;
  const auto file_flag = flags.find("config");
  if (file_flag != flags.end()) {
    if (file_flag->second.empty()) return Error{ErrorCode::kInvalid, "--config must be a file."};
    config.file = file_flag->second;
  } else if (const auto named = environment.find("TILTH_CONFIG"); named != environment.end()) {
    config.file = named->second;
  }
  if (!config.file.empty()) {
    if (const auto taken = take_file(config); !taken) return taken.error();
    config.sources["config"] = file_flag != flags.end() ? "--config" : "TILTH_CONFIG";
  }
  if (const auto taken = take_variables(config, environment); !taken) return taken.error();
  for (const auto& [name, value] : flags) {
    const auto* setting = find_setting(name);
    if (setting == nullptr) continue;  // --config
    if (!setting->take(config, value)) {
      return wrong(ErrorCode::kInvalid, setting->flag(), *setting, value);
    }
    config.sources[name] = setting->flag();
  }
  if (const auto sensible = check_together(config); !sensible) return sensible.error();
  return config;
}

std::vector<std::string> warnings(const Config& config) {
  std::vector<std::string> all;
  if (!config.operator_listen.is_loopback()) {
    all.push_back("The operator API listens on " + config.operator_listen.text() +
                  ", which other machines may reach: only its token protects it, and without TLS "
                  "anyone on the way can read that. Let a firewall admit operators alone.");
  }
  return all;
}

std::vector<Effective> in_force(const Config& config) {
  std::vector<Effective> lines = {{"config", config.file.string(), {}}};
  for (const auto& setting : settings()) {
    lines.push_back({std::string(setting.name), setting.show(config), {}});
  }
  for (const auto& [name, value] : config.kafka.client) {
    lines.push_back({std::string(kKafkaPrefix) + name, value, {}});
  }
  for (const auto& [name, plan] : config.plans) add_plan(name, plan, lines);
  for (auto& line : lines) {
    const auto source = config.sources.find(line.name);
    line.source = source == config.sources.end() ? "default" : source->second;
  }
  return lines;
}

}  // namespace tilth
