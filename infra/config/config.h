// A service's configuration, and where each value comes from.

#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/http/address.h"
#include "events/access/plan.h"
#include "events/values/result.h"
#include "events/values/time.h"
#include "infra/log_lines/log_lines.h"

namespace tilth {

// Where to listen: "127.0.0.1:8080", "[::1]:8080", "localhost:0". Port 0 picks a free one.
struct HostPort {
  static constexpr std::string_view kExpected = "HOST:PORT";
  std::string host;  // without brackets
  std::uint16_t port = 0;

  static std::optional<HostPort> parse(std::string_view text);
  std::string text() const;
  bool is_loopback() const;  // reachable only from this machine
  friend bool operator==(const HostPort&, const HostPort&) = default;
};

enum class LogKind : std::uint8_t { kEmbedded, kKafka };

// What one node does; by default, everything.
struct Roles {
  bool command = true;
  bool query = true;
  bool project = true;
  bool clock = true;
  friend bool operator==(const Roles&, const Roles&) = default;
};

struct Config {
  std::filesystem::path file;  // empty: none
  std::filesystem::path data = "./tilth-data";
  HostPort listen = {"127.0.0.1", 8080};
  std::optional<HostPort> advertise = {};  // where others reach the API; null: where it listens
  HostPort operator_listen = {"127.0.0.1", 8081};
  std::vector<std::string> operator_hosts;  // other names of the operator API, in lower case
  std::filesystem::path ready_file;         // empty: none
  LogKind log = LogKind::kEmbedded;
  std::vector<std::string> brokers;
  std::string topic = "tilth.events";
  Roles roles;
  std::int64_t cells = 0;  // 0: as many as processors, and 1 on up to two
  bool no_library = false;
  bool unsealed = false;  // a new embedded log
  std::optional<Timestamp> test_clock;
  std::string test_release;  // whose rows it folds, and which others see; empty: its own
  LogLevel log_level = LogLevel::kInfo;
  bool core_dumps = false;

  Plans plans = shipped_plans();

  struct Limits {
    std::int64_t unauthenticated_per_minute = 60;
    std::int64_t max_body_bytes = 1 << 20;
    std::int64_t as_of_events = 1'000'000;  // to fold for one query
    std::int64_t memory = 0;                // bytes of the process; 0: half of the machine's
  } limits;

  struct Http {
    std::vector<Network> trusted_proxies;
    std::int64_t max_connections = 4'096;
    std::int64_t max_connections_per_address = 0;  // 0: a quarter of max_connections
    std::int64_t threads = 0;                      // 0: as many as the machine has processors
  } http;

  // An OpenID Connect provider for sign-in, in addition to passwords. None without an issuer.
  struct OpenId {
    std::string issuer;
    std::string client_id;
    std::string client_secret;
    std::string name = "single sign-on";
    std::string scopes = "openid email profile";
    std::string plan = "trial";  // of new users
  } open_id;

  // Where to fetch exchange rates. None without a URL.
  struct Rates {
    std::string url;
    std::string source = "ECB";                           // the source's name
    std::optional<std::chrono::milliseconds> every = {};  // null: only on request
  } rates;

  struct Market {
    std::int64_t min_owners = 1;  // who must contribute to a price that is shown
  } market;

  // Where spans are sent, by OTLP over HTTP. Nowhere without an endpoint.
  struct Traces {
    std::string endpoint;
    double sample = 0.01;                // the share of requests, of those without a parent
    std::filesystem::path headers_file;  // empty: none
  } traces;

  // Where archived records of the embedded log are put by default, and looked for.
  struct Archive {
    std::filesystem::path directory;  // empty: none
    // The program that puts files into a store and gets them from there; empty: there is none.
    std::filesystem::path command;
    std::chrono::milliseconds timeout = std::chrono::minutes(10);  // of one run of it
    std::int64_t cache_bytes = 1 << 30;                            // of files that it got
  } archive;

  // The pages.
  struct Dashboard {
    std::string tiles;  // the URL of a map's tiles; empty: none
    std::string tiles_attribution;
  } dashboard;

  // What webhooks may do besides https to the public internet.
  struct Webhooks {
    bool allow_http = false;
    bool allow_private = false;
  } webhooks;

  struct Kafka {
    std::int64_t partitions = 12;                            // of a new topic
    std::map<std::string, std::string, std::less<>> client;  // see kafka_table.h
  } kafka;

  // How the nodes of one topic divide the owners' land among them.
  struct Cluster {
    std::int64_t copies = 0;                 // nodes that hold each owner; 0: all
    std::optional<HostPort> listen = {};     // for other nodes
    std::optional<HostPort> advertise = {};  // where they reach it; null: where it listens
    std::filesystem::path secret_file;       // empty: the secret that the nodes agree on in Kafka
  } cluster;

  // Where each setting that is not at its default comes from: "--listen", "TILTH_LISTEN" or the
  // file's path, by the setting's name in the file ("limits.max_body_bytes", "plans.summit.farms").
  std::map<std::string, std::string, std::less<>> sources;
};

}  // namespace tilth
