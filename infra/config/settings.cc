#include "infra/config/settings.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <utility>

#include "events/values/ascii.h"
#include "events/values/duration.h"
#include "events/values/utf8.h"
#include "infra/system/fetch.h"

namespace tilth {
namespace {

using Kind = SettingKind;

std::optional<std::int64_t> integer(std::string_view text, std::int64_t least, std::int64_t most) {
  std::int64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = read.ec == std::errc() && read.ptr == text.data() + text.size();
  return whole && value >= least && value <= most ? std::optional(value) : std::nullopt;
}

// Assigns the value if there is one; returns whether there is.
template <class Target, class Value>
bool put(Target& target, const std::optional<Value>& value) {
  if (value) target = *value;
  return value.has_value();
}

bool put_path(std::filesystem::path& target, std::string_view text) {
  target = text;
  return !text.empty() && text.find('\0') == text.npos;
}

std::optional<bool> truth(std::string_view text) {
  if (text == "true" || text == "1") return true;
  if (text == "false" || text == "0") return false;
  return std::nullopt;
}

// Calls `each` with every member of "a,b"; returns false as soon as it does. Empty text is an empty
// list.
template <class Each>
bool for_each_member(std::string_view list, Each each) {
  while (!list.empty()) {
    const auto comma = list.find(',');
    if (!each(list.substr(0, comma))) return false;
    if (comma == list.npos) return true;
    list.remove_prefix(comma + 1);
    if (list.empty()) return false;  // "a," lacks its last member
  }
  return true;
}

std::string joined(const std::vector<std::string>& members) {
  std::string list;
  for (const auto& member : members) list += (list.empty() ? "" : ",") + member;
  return list;
}

constexpr std::array<std::pair<std::string_view, bool Roles::*>, 4> kRoles = {
    {{"command", &Roles::command},
     {"query", &Roles::query},
     {"project", &Roles::project},
     {"clock", &Roles::clock}}};

bool take_roles(Config& config, std::string_view text) {
  Roles roles{false, false, false, false};
  const bool known = for_each_member(text, [&](std::string_view name) {
    const auto role = std::find_if(kRoles.begin(), kRoles.end(),
                                   [&](const auto& candidate) { return candidate.first == name; });
    if (role != kRoles.end()) roles.*role->second = true;
    return role != kRoles.end();
  });
  config.roles = roles;
  return known && !text.empty();
}

// Where others reach a port of this node.
bool put_reached_at(std::optional<HostPort>& target, std::string_view text) {
  target = HostPort::parse(text);
  return target && target->port > 0;
}

std::string shown(const std::optional<HostPort>& address) { return address ? address->text() : ""; }

bool take_archive(Config& config, std::string_view text) {
  return put_path(config.archive.directory, text) && config.archive.directory.is_absolute();
}

bool take_archive_command(Config& config, std::string_view text) {
  return put_path(config.archive.command, text) && config.archive.command.is_absolute();
}

bool take_archive_timeout(Config& config, std::string_view text) {
  const auto timeout = CalendarDuration::parse(text);
  if (!timeout || timeout->months != 0) return false;
  config.archive.timeout = std::chrono::milliseconds(timeout->milliseconds);
  return config.archive.timeout >= std::chrono::seconds(1);
}

bool take_brokers(Config& config, std::string_view text) {
  config.brokers.clear();
  return !text.empty() && for_each_member(text, [&](std::string_view broker) {
    config.brokers.emplace_back(broker);
    const auto at = HostPort::parse(broker);
    return at && at->port > 0;
  });
}

// Kafka's rules for topic names.
bool take_topic(Config& config, std::string_view text) {
  config.topic = text;
  return !text.empty() && text.size() <= 249 && text != "." && text != ".." &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-';
         });
}

// Of all IPv4 or all IPv6 addresses.
bool is_everybody(const Network& network) {
  return (network.contains(*Address::parse("0.0.0.0")) &&
          network.contains(*Address::parse("255.255.255.255"))) ||
         (network.contains(*Address::parse("::")) &&
          network.contains(*Address::parse("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff")));
}

bool take_proxies(Config& config, std::string_view text) {
  config.http.trusted_proxies.clear();
  return for_each_member(text, [&](std::string_view written) {
    const auto network = Network::parse(written);
    if (network) config.http.trusted_proxies.push_back(*network);
    return network.has_value() && !is_everybody(*network);
  });
}

// Names without a port, as a Host header has them.
bool take_operator_hosts(Config& config, std::string_view text) {
  config.operator_hosts.clear();
  return for_each_member(text, [&](std::string_view host) {
    config.operator_hosts.push_back(to_lower(host));
    const bool is_name =
        !host.empty() && std::all_of(host.begin(), host.end(), [](unsigned char c) {
          return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_';
        });
    return is_name || Address::parse(host);
  });
}

bool take_memory(Config& config, std::string_view text) {
  constexpr std::int64_t kLeast = std::int64_t{64} << 20;
  const auto bytes = integer(text, 0, INT64_MAX);
  return put(config.limits.memory, bytes) && (*bytes == 0 || *bytes >= kLeast);
}

bool put_text(std::string& to, std::string_view text) {
  to = text;
  return !text.empty();
}

bool is_web_address(std::string_view text) {
  return (text.starts_with("https://") || text.starts_with("http://")) && text.size() > 8 &&
         text.find(' ') == text.npos;
}

// Whether a URL's host is this machine. A URL with a user's name is not.
bool is_on_loopback(std::string_view url) {
  auto host = url.substr(url.find("://") + 3);
  host = host.substr(0, host.find('/'));
  const auto end = host.starts_with('[') ? host.find(']') : host.find(':');
  host = host.substr(host.starts_with('[') ? 1 : 0, end - (host.starts_with('[') ? 1 : 0));
  return HostPort{std::string(host), 0}.is_loopback();
}

// Who can change what an issuer answers can sign in as anyone.
bool take_issuer(Config& config, std::string_view text) {
  config.open_id.issuer = text;
  return is_web_address(text) && text.find_first_of("?#@") == text.npos &&
         (text.starts_with("https://") || is_on_loopback(text));
}

bool take_rates_url(Config& config, std::string_view text) {
  config.rates.url = text;
  return is_web_address(text);
}

bool take_traces_endpoint(Config& config, std::string_view text) {
  config.traces.endpoint = text;
  return is_web_address(text) && text.find_first_of("?#@") == text.npos;
}

bool take_traces_sample(Config& config, std::string_view text) {
  auto& share = config.traces.sample;
  const auto* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, share);
  return read.ec == std::errc() && read.ptr == end && share >= 0 && share <= 1;
}

std::string show_traces_sample(const Config& config) {
  std::array<char, 32> text = {};
  const auto written = std::to_chars(text.data(), text.data() + text.size(), config.traces.sample);
  return {text.data(), written.ptr};
}

// An origin that fits into a content security policy, and the three places of a tile in the path.
bool take_tiles(Config& config, std::string_view text) {
  config.dashboard.tiles = text;
  if (!is_web_address(text)) return false;
  const auto host_at = text.find("://") + 3;
  const auto path_at = text.find('/', host_at);
  if (path_at == text.npos || path_at == host_at) return false;
  const auto host = text.substr(host_at, path_at - host_at);
  const bool is_host = std::all_of(host.begin(), host.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '-' || c == ':' || c == '[' || c == ']';
  });
  const auto path = text.substr(path_at);
  return is_host && path.find("{z}") != path.npos && path.find("{x}") != path.npos &&
         path.find("{y}") != path.npos;
}

bool take_rates_source(Config& config, std::string_view text) {
  constexpr std::size_t kLongest = 100;
  return put_text(config.rates.source, text) && code_points(text) <= kLongest;
}

bool take_rates_every(Config& config, std::string_view text) {
  const auto every = CalendarDuration::parse(text);
  if (!every || every->months != 0) return false;
  config.rates.every = std::chrono::milliseconds(every->milliseconds);
  return *config.rates.every >= std::chrono::minutes(1);
}

std::string show_rates_every(const Config& config) {
  if (!config.rates.every) return "";
  return CalendarDuration{0, config.rates.every->count()}.text();
}

bool take_open_id_scopes(Config& config, std::string_view text) {
  config.open_id.scopes = text;
  return (" " + std::string(text) + " ").find(" openid ") != std::string::npos;
}

bool take_log(Config& config, std::string_view text) {
  config.log = text == "kafka" ? LogKind::kKafka : LogKind::kEmbedded;
  return text == "kafka" || text == "embedded";
}

bool take_level(Config& config, std::string_view given) {
  for (const auto level : {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarn, LogLevel::kError}) {
    if (text(level) != given) continue;
    config.log_level = level;
    return true;
  }
  return false;
}

constexpr std::string_view kAddress = "HOST:PORT with a port from 0 to 65535";

const std::array kSettings =
    {
        Setting{"data", Kind::kText, "DIR", "a directory",
                "log, read models and operator token; one process at a time holds it", true,
                [](Config& c, std::string_view t) { return put_path(c.data, t); },
                [](const Config& c) { return c.data.string(); }},
        Setting{"listen", Kind::kText, "HOST:PORT", kAddress,
                "where the REST API listens; port 0 takes a free one", true,
                [](Config& c, std::string_view t) { return put(c.listen, HostPort::parse(t)); },
                [](const Config& c) { return c.listen.text(); }},
        Setting{"operator_listen", Kind::kText, "HOST:PORT", kAddress,
                "where the operator API listens", true,
                [](Config& c, std::string_view t) {
                  return put(c.operator_listen, HostPort::parse(t));
                },
                [](const Config& c) { return c.operator_listen.text(); }},
        Setting{"operator_hosts", Kind::kList, "LIST", "a list of host names and addresses",
                "further names by which operators may address the operator API", true,
                take_operator_hosts, [](const Config& c) { return joined(c.operator_hosts); }},
        Setting{
            "ready_file", Kind::kText, "FILE", "a file",
            "written once ready, with the addresses and the process id; removed at a clean exit",
            true, [](Config& c, std::string_view t) { return put_path(c.ready_file, t); },
            [](const Config& c) { return c.ready_file.string(); }},
        Setting{"log", Kind::kText, "KIND", "embedded or kafka", "the event log: embedded or kafka",
                true, take_log,
                [](const Config& c) -> std::string {
                  return c.log == LogKind::kKafka ? "kafka" : "embedded";
                }},
        Setting{"brokers", Kind::kList, "LIST", "a list of HOST:PORT", "Kafka's brokers", true,
                take_brokers, [](const Config& c) { return joined(c.brokers); }},
        Setting{"topic", Kind::kText, "NAME", "a name of up to 249 of A-Z a-z 0-9 . _ -",
                "Kafka's topic; made with the right settings when it is missing", true, take_topic,
                [](const Config& c) { return c.topic; }},
        Setting{"roles", Kind::kList, "LIST", "a list of command, query, project and clock",
                "what this node does", true, take_roles,
                [](const Config& c) { return joined(names_of(c.roles)); }},
        Setting{
            "cells", Kind::kInteger, "N", "from 0 to 1024",
            "into how many cells the land is divided, each with a thread of its own; 0: as many "
            "as there are processors, but one on up to two",
            true, [](Config& c, std::string_view t) { return put(c.cells, integer(t, 0, 1'024)); },
            [](const Config& c) { return std::to_string(c.cells); }},
        Setting{"no_library", Kind::kSwitch, "", "true or false",
                "do not give an empty log the shipped crop library", true,
                [](Config& c, std::string_view t) { return put(c.no_library, truth(t)); },
                [](const Config& c) -> std::string { return c.no_library ? "true" : "false"; }},
        Setting{"unsealed", Kind::kSwitch, "", "true or false",
                "do not seal what names a person in a new log: no one can be erased from "
                "it",
                true, [](Config& c, std::string_view t) { return put(c.unsealed, truth(t)); },
                [](const Config& c) -> std::string { return c.unsealed ? "true" : "false"; }},
        Setting{
            "test_clock", Kind::kTime, "TIME", Timestamp::kExpected,
            "let the service's clock stand at TIME until the operator moves it", true,
            [](Config& c, std::string_view t) { return put(c.test_clock, Timestamp::parse(t)); },
            [](const Config& c) { return c.test_clock ? c.test_clock->text() : "off"; }},
        Setting{"test_release", Kind::kText, "VERSION", "a version, such as 1.2.0",
                "be a node of that release for the other nodes, with rows of its own", true,
                [](Config& c, std::string_view t) {
                  c.test_release = std::string(t);
                  return !t.empty();
                },
                [](const Config& c) { return c.test_release.empty() ? "off" : c.test_release; }},
        Setting{"log_level", Kind::kText, "LEVEL", "debug, info, warn or error",
                "what to log at least: debug, info, warn or error", true, take_level,
                [](const Config& c) { return std::string(text(c.log_level)); }},
        Setting{"core_dumps", Kind::kSwitch, "", "true or false",
                "let a crash leave a core, which holds passwords and keys; for debugging", false,
                [](Config& c, std::string_view t) { return put(c.core_dumps, truth(t)); },
                [](const Config& c) -> std::string { return c.core_dumps ? "true" : "false"; }},
        Setting{"advertise", Kind::kText, "HOST:PORT", "HOST:PORT with a port from 1 to 65535",
                "where other machines reach the REST API, as the nodes tell one another; by "
                "default, where it listens",
                false, [](Config& c, std::string_view t) { return put_reached_at(c.advertise, t); },
                [](const Config& c) { return shown(c.advertise); }},
        Setting{"cluster.copies", Kind::kInteger, "N", "from 0 to 1000",
                "how many nodes hold each owner's land, where the nodes divide it among them; 0: "
                "every node holds everything",
                false,
                [](Config& c, std::string_view t) {
                  return put(c.cluster.copies, integer(t, 0, 1'000));
                },
                [](const Config& c) { return std::to_string(c.cluster.copies); }},
        Setting{"cluster.listen", Kind::kText, "HOST:PORT", "HOST:PORT",
                "where this node takes the requests that other nodes forward", false,
                [](Config& c, std::string_view t) {
                  return put(c.cluster.listen, std::optional(HostPort::parse(t)));
                },
                [](const Config& c) { return shown(c.cluster.listen); }},
        Setting{"cluster.advertise", Kind::kText, "HOST:PORT",
                "HOST:PORT with a port from 1 to 65535",
                "where other nodes reach cluster.listen; by default, where it listens", false,
                [](Config& c, std::string_view t) {
                  return put_reached_at(c.cluster.advertise, t);
                },
                [](const Config& c) { return shown(c.cluster.advertise); }},
        Setting{"cluster.secret_file", Kind::kText, "FILE", "a path",
                "a file with the secret that the nodes share; by default, one that they agree on "
                "in Kafka",
                false,
                [](Config& c, std::string_view t) { return put_path(c.cluster.secret_file, t); },
                [](const Config& c) { return c.cluster.secret_file.string(); }},
        Setting{"archive.directory", Kind::kText, "DIR", "an absolute path",
                "where `tilth log archive` puts old records of the embedded log, and where they "
                "are looked for besides where they were put",
                false, take_archive, [](const Config& c) { return c.archive.directory.string(); }},
        Setting{"archive.command", Kind::kText, "PROGRAM", "an absolute path",
                "the program that puts archived files into a store, as PROGRAM put FILE NAME, and "
                "gets them from there, as PROGRAM get NAME FILE",
                false, take_archive_command,
                [](const Config& c) { return c.archive.command.string(); }},
        Setting{"archive.timeout", Kind::kText, "DURATION",
                "an ISO 8601 duration of a second or more, such as PT10M",
                "how long one run of archive.command may take", false, take_archive_timeout,
                [](const Config& c) {
                  return CalendarDuration{0, c.archive.timeout.count()}.text();
                }},
        Setting{"archive.cache_bytes", Kind::kInteger, "N", "from 0 to 9223372036854775807",
                "bytes of archived files that were fetched with archive.command and are kept",
                false,
                [](Config& c, std::string_view t) {
                  return put(c.archive.cache_bytes, integer(t, 0, INT64_MAX));
                },
                [](const Config& c) { return std::to_string(c.archive.cache_bytes); }},
        Setting{"kafka.partitions", Kind::kInteger, "N", "from 1 to 1000",
                "partitions of a topic that is made; one that is there keeps its own", false,
                [](Config& c, std::string_view t) {
                  return put(c.kafka.partitions, integer(t, 1, 1'000));
                },
                [](const Config& c) { return std::to_string(c.kafka.partitions); }},
        Setting{"limits.unauthenticated_per_minute", Kind::kInteger, "N", "from 1 to 1000000",
                "requests per minute and address without a user", false,
                [](Config& c, std::string_view t) {
                  return put(c.limits.unauthenticated_per_minute, integer(t, 1, 1'000'000));
                },
                [](const Config& c) {
                  return std::to_string(c.limits.unauthenticated_per_minute);
                }},
        Setting{"limits.max_body_bytes", Kind::kInteger, "N", "from 1 to 1073741824",
                "the longest request body", false,
                [](Config& c, std::string_view t) {
                  return put(c.limits.max_body_bytes, integer(t, 1, 1 << 30));
                },
                [](const Config& c) { return std::to_string(c.limits.max_body_bytes); }},
        Setting{"limits.as_of_events", Kind::kInteger, "N", "from 1 to 1000000000",
                "events that may be folded to answer as of an earlier time", false,
                [](Config& c, std::string_view t) {
                  return put(c.limits.as_of_events, integer(t, 1, 1'000'000'000));
                },
                [](const Config& c) { return std::to_string(c.limits.as_of_events); }},
        Setting{"limits.memory", Kind::kInteger, "N", "0, or from 67108864 (64 MiB)",
                "bytes of memory that the service is meant to use, of which clients get shares; "
                "0: half of the machine's",
                false, take_memory,
                [](const Config& c) { return std::to_string(c.limits.memory); }},
        Setting{"http.trusted_proxies", Kind::kList,
                "LIST", "a list of addresses and networks, none of which is everybody",
                "networks whose X-Forwarded-For is believed", false, take_proxies,
                [](const Config& c) {
                  std::vector<std::string> networks;
                  for (const auto& network : c.http.trusted_proxies)
                    networks.push_back(network.text());
                  return joined(networks);
                }},
        Setting{"http.max_connections", Kind::kInteger, "N", "from 1 to 1000000",
                "connections at a time; further ones are turned away", false,
                [](Config& c, std::string_view t) {
                  return put(c.http.max_connections, integer(t, 1, 1'000'000));
                },
                [](const Config& c) { return std::to_string(c.http.max_connections); }},
        Setting{"http.max_connections_per_address", Kind::kInteger, "N", "from 0 to 1000000",
                "connections of one address or IPv6 /64, except for loopback and trusted proxies; "
                "0: a quarter of http.max_connections",
                false,
                [](Config& c, std::string_view t) {
                  return put(c.http.max_connections_per_address, integer(t, 0, 1'000'000));
                },
                [](const Config& c) { return std::to_string(c.http.max_connections_per_address); }},
        Setting{
            "http.threads", Kind::kInteger, "N", "from 0 to 1024",
            "threads that serve connections; 0: as many as there are processors", false,
            [](Config& c, std::string_view t) { return put(c.http.threads, integer(t, 0, 1'024)); },
            [](const Config& c) { return std::to_string(c.http.threads); }},
        Setting{"open_id.issuer", Kind::kText, "URL", "an https URL, or an http URL on loopback",
                "the OpenID Connect provider where people may sign in", false, take_issuer,
                [](const Config& c) { return c.open_id.issuer; }},
        Setting{"open_id.client_id", Kind::kText, "ID", "text",
                "how the provider knows this service", false,
                [](Config& c, std::string_view t) { return put_text(c.open_id.client_id, t); },
                [](const Config& c) { return c.open_id.client_id; }},
        Setting{"open_id.client_secret", Kind::kText, "SECRET", "text",
                "what the provider gave this service; none for a public client", false,
                [](Config& c, std::string_view t) { return put_text(c.open_id.client_secret, t); },
                [](const Config& c) -> std::string {
                  return c.open_id.client_secret.empty() ? "" : "(secret)";
                }},
        Setting{"open_id.name", Kind::kText, "NAME", "text", "how people know the provider", false,
                [](Config& c, std::string_view t) { return put_text(c.open_id.name, t); },
                [](const Config& c) { return c.open_id.name; }},
        Setting{"open_id.scopes", Kind::kText, "SCOPES",
                "scopes with blanks between, openid among them", "what the provider is asked for",
                false, take_open_id_scopes, [](const Config& c) { return c.open_id.scopes; }},
        Setting{"open_id.plan", Kind::kText, "PLAN", "a plan",
                "the plan of anyone who signs in at the provider for the first time", false,
                [](Config& c, std::string_view t) { return put_text(c.open_id.plan, t); },
                [](const Config& c) { return c.open_id.plan; }},
        Setting{"market.min_owners", Kind::kInteger, "N", "from 1 to 1000000",
                "owners who must contribute to a regional price before it is shown", false,
                [](Config& c, std::string_view t) {
                  return put(c.market.min_owners, integer(t, 1, 1'000'000));
                },
                [](const Config& c) { return std::to_string(c.market.min_owners); }},
        Setting{"rates.url", Kind::kText, "URL", "an http or https URL",
                "where exchange rates are fetched, in the form of the European Central Bank", false,
                take_rates_url, [](const Config& c) { return without_credentials(c.rates.url); }},
        Setting{"rates.source", Kind::kText, "NAME", "a name of up to 100 characters",
                "what the source of fetched rates is called", false, take_rates_source,
                [](const Config& c) { return c.rates.source; }},
        Setting{"rates.every", Kind::kText, "DURATION",
                "an ISO 8601 duration of a minute or more, such as PT6H or P1D",
                "how often exchange rates are fetched by themselves", false, take_rates_every,
                show_rates_every},
        Setting{"traces.endpoint", Kind::kText, "URL",
                "an http or https URL without query and user, such as "
                "http://127.0.0.1:4318/v1/traces",
                "the collector that traces are sent to, by OTLP over HTTP in JSON", false,
                take_traces_endpoint, [](const Config& c) { return c.traces.endpoint; }},
        Setting{"traces.sample", Kind::kNumber, "SHARE", "a number from 0 to 1",
                "the share of requests that begin a trace of their own", false, take_traces_sample,
                show_traces_sample},
        Setting{"traces.headers_file", Kind::kText, "FILE", "a path",
                "a file of headers for the collector, one a line: NAME: VALUE", false,
                [](Config& c, std::string_view t) { return put_path(c.traces.headers_file, t); },
                [](const Config& c) { return c.traces.headers_file.string(); }},
        Setting{"dashboard.tiles", Kind::kText, "URL",
                "an http or https URL with {z}, {x} and {y} in its path",
                "where maps get their background from; browsers fetch it, so its server sees where "
                "farms lie",
                false, take_tiles, [](const Config& c) { return c.dashboard.tiles; }},
        Setting{"dashboard.tiles_attribution", Kind::kText, "TEXT", "text",
                "whom maps name for their background", false,
                [](Config& c, std::string_view t) {
                  return put_text(c.dashboard.tiles_attribution, t);
                },
                [](const Config& c) { return c.dashboard.tiles_attribution; }},
        Setting{"webhooks.allow_http", Kind::kSwitch, "", "true or false",
                "let webhooks lead to http URLs, where anyone on the way can read events", false,
                [](Config& c, std::string_view t) { return put(c.webhooks.allow_http, truth(t)); },
                [](const Config& c) -> std::string {
                  return c.webhooks.allow_http ? "true" : "false";
                }},
        Setting{
            "webhooks.allow_private", Kind::kSwitch, "", "true or false",
            "let webhooks lead to private and local addresses; for tests", false,
            [](Config& c, std::string_view t) { return put(c.webhooks.allow_private, truth(t)); },
            [](const Config& c) -> std::string {
              return c.webhooks.allow_private ? "true" : "false";
            }},
};

}  // namespace

std::string Setting::flag() const {
  auto flag = "--" + std::string(name);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

std::string Setting::environment() const {
  auto variable = "TILTH_" + std::string(name);
  for (auto& c : variable) {
    c = c == '.' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return variable;
}

std::span<const Setting> settings() { return kSettings; }

std::vector<std::string> names_of(const Roles& roles) {
  std::vector<std::string> names;
  for (const auto& [name, role] : kRoles) {
    if (roles.*role) names.emplace_back(name);
  }
  return names;
}

const Setting* find_setting(std::string_view name) {
  const auto found = std::find_if(kSettings.begin(), kSettings.end(),
                                  [&](const auto& setting) { return setting.name == name; });
  return found == kSettings.end() ? nullptr : &*found;
}

}  // namespace tilth
