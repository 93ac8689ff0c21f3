#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "infra/config/kafka_table.h"
#include "infra/config/load_config.h"
#include "infra/config/settings.h"
#include "tests/fixtures/temporary_directory.h"

namespace tilth {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class ConfigTest : public ::testing::Test {
 protected:
  Result<Config> load() {
    auto flags = flags_;
    if (!toml_.empty()) {
      std::ofstream(file_) << toml_;
      flags["config"] = file_.string();
    }
    return load_config(flags, environment_);
  }
  Config loaded() {
    const auto config = load();
    EXPECT_TRUE(config) << config.error().message;
    return config ? *config : Config{};
  }
  // Every refusal is one sentence.
  std::string refused(ErrorCode code) {
    const auto config = load();
    if (config) return "nothing was refused";
    EXPECT_EQ(config.error().code, code) << config.error().message;
    EXPECT_EQ(config.error().message.find('\n'), std::string::npos);
    EXPECT_TRUE(config.error().message.ends_with('.'));
    return config.error().message;
  }
  std::string source(const std::string& name) {
    for (const auto& line : in_force(loaded())) {
      if (line.name == name) return line.source;
    }
    return "not in force";
  }

  testing::TemporaryDirectory directory_;
  std::filesystem::path file_ = directory_.path() / "tilth.toml";
  GivenFlags flags_;
  Environment environment_;
  std::string toml_;
};

TEST_F(ConfigTest, HasTheDefaultsOfTheContract) {
  const auto config = loaded();
  EXPECT_EQ(config.data, "./tilth-data");
  EXPECT_EQ(config.listen.text(), "127.0.0.1:8080");
  EXPECT_EQ(config.operator_listen.text(), "127.0.0.1:8081");
  EXPECT_TRUE(config.ready_file.empty());
  EXPECT_EQ(config.log, LogKind::kEmbedded);
  EXPECT_EQ(config.topic, "tilth.events");
  EXPECT_EQ(config.roles, Roles());
  EXPECT_FALSE(config.no_library);
  EXPECT_FALSE(config.unsealed);
  EXPECT_FALSE(config.test_clock);
  EXPECT_EQ(config.limits.unauthenticated_per_minute, 60);
  EXPECT_EQ(config.limits.max_body_bytes, 1'048'576);
  EXPECT_TRUE(config.http.trusted_proxies.empty());
  ASSERT_EQ(config.plans.size(), 7U);
  EXPECT_EQ(config.plans.at("expired"), (Plan{3, 1, 50, false, 64'000'000}));
  EXPECT_EQ(config.plans.at("seed"), (Plan{25, 1, 50, false, 64'000'000}));
  EXPECT_EQ(config.plans.at("sprout"), (Plan{50, 3, 200, false, 64'000'000}));
  EXPECT_EQ(config.plans.at("trial"), (Plan{100, 7, 500, false, 64'000'000}));
  EXPECT_EQ(config.plans.at("harvest"), (Plan{100, 7, 500, false, 64'000'000}));
  EXPECT_EQ(config.plans.at("grove"), (Plan{200, 15, 1'000, false, 102'400'000}));
  EXPECT_EQ(config.plans.at("summit"),
            (Plan{1'000, std::nullopt, std::nullopt, true, 512'000'000}));
}

TEST_F(ConfigTest, AFlagBeatsTheEnvironmentBeatsTheFileBeatsTheDefault) {
  EXPECT_EQ(loaded().operator_listen.port, 8081);
  EXPECT_EQ(source("operator_listen"), "default");
  toml_ = "operator_listen = '127.0.0.1:1'";
  EXPECT_EQ(loaded().operator_listen.port, 1);
  EXPECT_EQ(source("operator_listen"), file_.string());
  environment_["TILTH_OPERATOR_LISTEN"] = "127.0.0.1:2";
  EXPECT_EQ(loaded().operator_listen.port, 2);
  EXPECT_EQ(source("operator_listen"), "TILTH_OPERATOR_LISTEN");
  flags_["operator_listen"] = "127.0.0.1:3";
  EXPECT_EQ(loaded().operator_listen.port, 3);
  EXPECT_EQ(source("operator_listen"), "--operator-listen");
}

TEST_F(ConfigTest, ASourceReplacesAListAndDoesNotAddToIt) {
  toml_ = "roles = ['command', 'query']\nbrokers = ['a:1', 'b:2']";
  environment_["TILTH_BROKERS"] = "c:3";
  flags_["roles"] = "project";
  EXPECT_EQ(loaded().brokers, std::vector<std::string>{"c:3"});
  EXPECT_EQ(loaded().roles, (Roles{false, false, true, false}));
}

TEST_F(ConfigTest, EverySettingReadsWhatItShows) {
  toml_ = R"(data = "/var/lib/tilth"
listen = "[::1]:0"
operator_listen = "localhost:65535"
operator_hosts = ["tilth-1.internal", "10.0.0.7", "fd00::7"]
ready_file = "/run/tilth.json"
log = "kafka"
brokers = ["a:9092", "b:9092"]
topic = "farms.events-2"
roles = ["query", "project"]
cells = 4
advertise = "farm.example:443"
no_library = true
unsealed = true
test_clock = 2026-03-01T06:30:00Z
test_release = "1.2.0"
log_level = "debug"
core_dumps = true
[archive]
directory = "/mnt/archive"
command = "/usr/local/bin/tilth-store"
timeout = "PT90S"
cache_bytes = 5000
[limits]
unauthenticated_per_minute = 7
max_body_bytes = 2048
as_of_events = 3000
memory = 134217728
[http]
trusted_proxies = ["10.0.0.0/8", "::1"]
max_connections = 9
max_connections_per_address = 4
threads = 2
[cluster]
copies = 2
listen = "10.0.0.7:8090"
advertise = "farm.internal:8090"
secret_file = "/etc/tilth/cluster"
[kafka]
partitions = 6
[open_id]
issuer = "https://id.example"
client_id = "tilth"
client_secret = "s"
name = "Example"
scopes = "openid email"
plan = "trial"
[market]
min_owners = 3
[rates]
url = "https://rates.example/all.csv?form=ecb"
source = "Example"
every = "PT36H"
[traces]
endpoint = "https://collector.example/v1/traces"
sample = 0.25
headers_file = "/etc/tilth/collector"
[dashboard]
tiles = "https://tiles.example/{z}/{x}/{y}.png"
tiles_attribution = "© Example"
[webhooks]
allow_http = true
allow_private = true
)";
  const auto config = loaded();
  const std::map<std::string_view, std::string_view> expected = {
      {"data", "/var/lib/tilth"},
      {"listen", "[::1]:0"},
      {"operator_listen", "localhost:65535"},
      {"operator_hosts", "tilth-1.internal,10.0.0.7,fd00::7"},
      {"ready_file", "/run/tilth.json"},
      {"log", "kafka"},
      {"brokers", "a:9092,b:9092"},
      {"topic", "farms.events-2"},
      {"roles", "query,project"},
      {"no_library", "true"},
      {"unsealed", "true"},
      {"test_clock", "2026-03-01T06:30:00.000Z"},
      {"test_release", "1.2.0"},
      {"log_level", "debug"},
      {"core_dumps", "true"},
      {"limits.unauthenticated_per_minute", "7"},
      {"limits.max_body_bytes", "2048"},
      {"limits.as_of_events", "3000"},
      {"limits.memory", "134217728"},
      {"http.trusted_proxies", "10.0.0.0/8,::1"},
      {"http.max_connections", "9"},
      {"http.max_connections_per_address", "4"},
      {"http.threads", "2"},
      {"cells", "4"},
      {"advertise", "farm.example:443"},
      {"cluster.copies", "2"},
      {"cluster.listen", "10.0.0.7:8090"},
      {"cluster.advertise", "farm.internal:8090"},
      {"cluster.secret_file", "/etc/tilth/cluster"},
      {"archive.directory", "/mnt/archive"},
      {"archive.command", "/usr/local/bin/tilth-store"},
      {"archive.timeout", "PT1M30S"},
      {"archive.cache_bytes", "5000"},
      {"kafka.partitions", "6"},
      {"open_id.issuer", "https://id.example"},
      {"open_id.client_id", "tilth"},
      {"open_id.client_secret", "(secret)"},
      {"open_id.name", "Example"},
      {"open_id.scopes", "openid email"},
      {"open_id.plan", "trial"},
      {"market.min_owners", "3"},
      {"rates.url", "https://rates.example/all.csv"},
      {"rates.source", "Example"},
      {"rates.every", "P1DT12H"},
      {"traces.endpoint", "https://collector.example/v1/traces"},
      {"traces.sample", "0.25"},
      {"traces.headers_file", "/etc/tilth/collector"},
      {"dashboard.tiles", "https://tiles.example/{z}/{x}/{y}.png"},
      {"dashboard.tiles_attribution", "© Example"},
      {"webhooks.allow_http", "true"},
      {"webhooks.allow_private", "true"}};
  ASSERT_EQ(settings().size(), expected.size());
  for (const auto& setting : settings()) {
    EXPECT_EQ(setting.show(config), expected.at(setting.name)) << setting.name;
    Config other;
    EXPECT_TRUE(setting.take(other, setting.show(config))) << setting.name;
    EXPECT_EQ(setting.show(other), setting.show(config));
  }
}

TEST_F(ConfigTest, TilesHaveOneOriginAndThePlacesOfATile) {
  const auto taken = [](std::string_view url) {
    Config config;
    return find_setting("dashboard.tiles")->take(config, url);
  };
  EXPECT_TRUE(taken("https://tiles.example/{z}/{x}/{y}.png?key=1"));
  EXPECT_TRUE(taken("http://[::1]:9000/{z}/{y}/{x}"));
  for (const auto* url :
       {"", "tiles.example/{z}/{x}/{y}", "https://tiles.example", "https:///{z}/{x}/{y}",
        "https://{s}.tiles.example/{z}/{x}/{y}", "https://tiles.example/{z}/{x}",
        "https://tiles.example; script-src *", "https://a.example;b/{z}/{x}/{y}"}) {
    EXPECT_FALSE(taken(url)) << url;
  }
}

TEST_F(ConfigTest, EverySettingHasAVariable) {
  environment_["TILTH_LIMITS_MAX_BODY_BYTES"] = "4096";
  environment_["TILTH_NO_LIBRARY"] = "1";
  EXPECT_EQ(loaded().limits.max_body_bytes, 4'096);
  EXPECT_TRUE(loaded().no_library);
}

TEST_F(ConfigTest, AVariableThatIsAlmostASettingIsRefusedByName) {
  const auto refused_for = [this](const std::string& name) {
    environment_ = {{"PATH", "/bin"}, {"TILTH_LISTEN", "127.0.0.1:80"}, {name, "1"}};
    return refused(ErrorCode::kDamaged);
  };
  EXPECT_EQ(refused_for("TILTH_LISTNE"),
            "TILTH_LISTNE is not a setting of Tilth; TILTH_LISTEN is.");
  EXPECT_EQ(refused_for("TILTH_LOGLEVEL"),
            "TILTH_LOGLEVEL is not a setting of Tilth; TILTH_LOG_LEVEL is.");
  EXPECT_EQ(refused_for("TILTH_DAAT"), "TILTH_DAAT is not a setting of Tilth; TILTH_DATA is.");
}

TEST_F(ConfigTest, VariablesOfOthersAreLeftAlone) {
  for (const auto* name : {"TILTH_OPERATOR", "TILTH_TOKEN_FILE", "tilth_listne", "TILTH_BINARY",
                           "TILTH_SERVICE_HOST", "TILTH_PORT_8080_TCP_ADDR",
                           "TILTH_KAFKA_SERVICE_HOST", "TILTH_POD", "TILTH_TAG", "TILTH_RATE"}) {
    environment_[name] = "1";
  }
  EXPECT_TRUE(load());
}

TEST_F(ConfigTest, TheEnvironmentMayNameTheFile) {
  std::ofstream(file_) << "topic = 'from.file'";
  environment_["TILTH_CONFIG"] = file_.string();
  EXPECT_EQ(loaded().topic, "from.file");
  EXPECT_EQ(source("config"), "TILTH_CONFIG");
}

TEST_F(ConfigTest, AFlagWithASenselessValueIsWrongUsage) {
  const std::multimap<std::string, std::string> senseless = {{"listen", "8080"},
                                                             {"listen", "127.0.0.1:65536"},
                                                             {"listen", ":8080"},
                                                             {"listen", "::1:80"},
                                                             {"listen", "127.0.0.1:"},
                                                             {"listen", "127.0.0.1:80x"},
                                                             {"operator_listen", ""},
                                                             {"operator_hosts", "a:8081"},
                                                             {"operator_hosts", "a,"},
                                                             {"log", "paper"},
                                                             {"roles", ""},
                                                             {"roles", "command,"},
                                                             {"roles", "cook"},
                                                             {"test_clock", "tomorrow"},
                                                             {"no_library", "perhaps"},
                                                             {"topic", "farm events"},
                                                             {"data", ""},
                                                             {"brokers", "a:1,,b:2"},
                                                             {"brokers", "a"},
                                                             {"brokers", "a:1,b:port"},
                                                             {"brokers", "a:99999"},
                                                             {"brokers", "a:0"},
                                                             {"log_level", "loud"},
                                                             {"ready_file", ""}};
  for (const auto& [name, value] : senseless) {
    flags_ = {{name, value}};
    EXPECT_THAT(refused(ErrorCode::kInvalid), HasSubstr(find_setting(name)->flag())) << value;
  }
  flags_ = {{"log", "kafka"}};
  EXPECT_THAT(refused(ErrorCode::kInvalid), HasSubstr("--brokers"));
}

TEST_F(ConfigTest, ASenselessValueInTheEnvironmentIsNamed) {
  environment_["TILTH_LISTEN"] = "everywhere";
  EXPECT_THAT(refused(ErrorCode::kDamaged),
              AllOf(HasSubstr("TILTH_LISTEN"), HasSubstr("everywhere")));
}

TEST_F(ConfigTest, AnUnknownNameInTheFileIsRefusedByName) {
  for (const auto* name : {"listen", "config", "limits.max_body", "library.path",
                           "plans.seed.price", "plans.Seed.farms", "data.dir"}) {
    toml_ = std::string(name) + " = 1";
    EXPECT_THAT(refused(ErrorCode::kDamaged), AllOf(HasSubstr(name), HasSubstr(file_.string())));
  }
  toml_ = "[farming]";
  EXPECT_THAT(refused(ErrorCode::kDamaged), HasSubstr("farming"));
}

TEST_F(ConfigTest, AWrongTypeInTheFileIsRefusedByName) {
  const std::map<std::string, std::string> wrong = {{"listen", "8080"},
                                                    {"roles", "'command'"},
                                                    {"no_library", "'true'"},
                                                    {"limits.max_body_bytes", "'1024'"},
                                                    {"limits.unauthenticated_per_minute", "1.5"},
                                                    {"limits.memory", "1048576"},
                                                    {"http.trusted_proxies", "[1]"},
                                                    {"http", "true"},
                                                    {"test_clock", "2026"},
                                                    {"plans.seed.farms", "'many'"},
                                                    {"plans.seed.requests_per_hour", "'unlimited'"},
                                                    {"plans.seed.may_mint_keys", "1"},
                                                    {"plans.seed.ai_requests_per_month", "-1"},
                                                    {"plans.seed.bytes_per_hour", "0"}};
  for (const auto& [name, value] : wrong) {
    toml_ = name + " = " + value;
    EXPECT_THAT(refused(ErrorCode::kDamaged), HasSubstr(name)) << value;
  }
}

TEST_F(ConfigTest, APlanThatCannotBeNamedSoOrIsNoTableIsRefused) {
  for (const auto* name : {"Seed", "'co op'", "\"\""}) {
    toml_ = "[plans." + std::string(name) + "]\nfarms = 1";
    EXPECT_THAT(refused(ErrorCode::kDamaged), HasSubstr("a-z, 0-9, _ and -")) << name;
  }
  toml_ = "[plans]\nseed = 5";
  EXPECT_THAT(refused(ErrorCode::kDamaged),
              AllOf(HasSubstr("plans.seed"), HasSubstr("must be a table")));
}

TEST_F(ConfigTest, AValueInTheFileMustMakeSense) {
  toml_ = "[limits]\nmax_body_bytes = 0";
  EXPECT_THAT(refused(ErrorCode::kDamaged), HasSubstr("limits.max_body_bytes"));
  toml_ = "[http]\ntrusted_proxies = ['proxy.example.org']";
  EXPECT_THAT(refused(ErrorCode::kDamaged), HasSubstr("http.trusted_proxies"));
  toml_ = "log = 'kafka'";
  EXPECT_THAT(refused(ErrorCode::kDamaged), HasSubstr("brokers"));
}

TEST_F(ConfigTest, NoTextInTheFileHoldsU0000) {
  for (const auto* setting : {"data = ", "rates.source = ", "open_id.client_id = "}) {
    toml_ = std::string(setting) + R"("a\u0000b")";
    EXPECT_THAT(refused(ErrorCode::kDamaged), HasSubstr("must not contain U+0000")) << setting;
  }
  toml_ = R"(roles = ["command\u0000"])";
  EXPECT_THAT(refused(ErrorCode::kDamaged), HasSubstr("roles"));
}

TEST_F(ConfigTest, AnIssuerIsReachedThroughTlsOrOnThisMachine) {
  for (const auto* issuer :
       {"http://id.example", "http://id.example:443/", "http://127.0.0.1@id.example",
        "http://localhost.id.example", "http://[2001:db8::1]:80", "http://10.0.0.1",
        "ftp://id.example", "https://id.example?a=b", "https://a@id.example"}) {
    toml_ = "[open_id]\nclient_id = 'a'\nissuer = '" + std::string(issuer) + "'";
    EXPECT_THAT(refused(ErrorCode::kDamaged), HasSubstr("open_id.issuer")) << issuer;
  }
  for (const auto* issuer : {"https://id.example", "http://127.0.0.1:3000/a", "http://localhost",
                             "http://[::1]:3000", "http://127.1.2.3"}) {
    toml_ = "[open_id]\nclient_id = 'a'\nissuer = '" + std::string(issuer) + "'";
    EXPECT_EQ(loaded().open_id.issuer, issuer);
  }
}

TEST_F(ConfigTest, NotEverybodyIsATrustedProxy) {
  for (const auto* everybody : {"0.0.0.0/0", "::/0", "::ffff:0:0/96", "10.1.2.3/0"}) {
    toml_ = "[http]\ntrusted_proxies = ['10.0.0.0/8', '" + std::string(everybody) + "']";
    EXPECT_THAT(refused(ErrorCode::kDamaged), HasSubstr("http.trusted_proxies")) << everybody;
  }
}

TEST_F(ConfigTest, AnOperatorAddressThatOthersMayReachIsWarnedAbout) {
  for (const auto* local : {"127.0.0.1:1", "localhost:1", "[::1]:1"}) {
    flags_["operator_listen"] = local;
    EXPECT_TRUE(warnings(loaded()).empty()) << local;
  }
  for (const auto* open : {"0.0.0.0:1", "[::]:1", "10.0.0.7:1", "tilth-1:1"}) {
    flags_["operator_listen"] = open;
    ASSERT_EQ(warnings(loaded()).size(), 1U) << open;
    EXPECT_THAT(warnings(loaded()).front(), HasSubstr(open));
  }
}

TEST_F(ConfigTest, AFileThatIsNoTomlIsRefusedWithItsLine) {
  toml_ = "topic = 'a'\nlisten = ";
  EXPECT_THAT(refused(ErrorCode::kDamaged), AllOf(HasSubstr("line 2"), HasSubstr(file_.string())));
}

TEST_F(ConfigTest, AFileThatIsMissingIsNamed) {
  flags_["config"] = (directory_.path() / "none.toml").string();
  EXPECT_THAT(refused(ErrorCode::kUnavailable), HasSubstr("none.toml"));
  flags_["config"] = directory_.path().string();
  EXPECT_THAT(refused(ErrorCode::kUnavailable), HasSubstr(directory_.path().string()));
}

TEST_F(ConfigTest, ATableOverridesOnlyWhatItNames) {
  toml_ = "[plans.summit]\nfarms = 99\n[plans.seed]\nfarms = 'unlimited'\n[plans.grove]\n";
  const auto config = loaded();
  EXPECT_EQ(config.plans.at("summit"), (Plan{1'000, 99, std::nullopt, true, 512'000'000}));
  EXPECT_EQ(config.plans.at("seed"), (Plan{25, std::nullopt, 50, false, 64'000'000}));
  EXPECT_EQ(config.plans.size(), 7U);
  EXPECT_EQ(source("plans.summit.farms"), file_.string());
  EXPECT_EQ(source("plans.summit.requests_per_hour"), "default");
}

TEST_F(ConfigTest, ANewPlanMustSayHowMuchItAllows) {
  toml_ =
      "[plans.co-op]\nrequests_per_hour = 5000\nfarms = 40\nai_requests_per_month = 'unlimited'";
  EXPECT_EQ(loaded().plans.at("co-op"), (Plan{5'000, 40, std::nullopt, false, 2'560'000'000}));
  toml_ = "[plans.co-op]\nrequests_per_hour = 5000\nai_requests_per_month = 1";
  EXPECT_THAT(refused(ErrorCode::kDamaged), AllOf(HasSubstr("plans.co-op"), HasSubstr("farms")));
  toml_ = "[plans.co-op]\nfarms = 1\nai_requests_per_month = 1";
  EXPECT_THAT(refused(ErrorCode::kDamaged), HasSubstr("requests_per_hour"));
  toml_ = "[plans.co-op]";
  EXPECT_THAT(refused(ErrorCode::kDamaged), HasSubstr("plans.co-op"));
}

TEST_F(ConfigTest, APlansBytesFollowFromItsRequestsUnlessTheFileSaysThem) {
  EXPECT_EQ(loaded().plans.at("expired").bytes_per_hour, 64'000'000);
  EXPECT_EQ(loaded().plans.at("summit").bytes_per_hour, 512'000'000);
  toml_ =
      "[plans.summit]\nrequests_per_hour = 2000\n[plans.seed]\nbytes_per_hour = 5\n"
      "[plans.grove]\nbytes_per_hour = 'unlimited'";
  const auto config = loaded();
  EXPECT_EQ(config.plans.at("summit").bytes_per_hour, 1'024'000'000);
  EXPECT_EQ(config.plans.at("seed").bytes_per_hour, 5);
  EXPECT_EQ(config.plans.at("grove").bytes_per_hour, std::nullopt);
  EXPECT_EQ(source("plans.seed.bytes_per_hour"), file_.string());
}

TEST_F(ConfigTest, ARoleNeedsThoseItStandsOn) {
  for (const auto& [roles, why] :
       {std::pair{"query", "The role query needs the role project."},
        std::pair{"command,query", "The role query needs the role project."},
        std::pair{"command", "The role command needs the role project."},
        std::pair{"project,clock", "The role clock needs the role command."}}) {
    flags_["roles"] = roles;
    EXPECT_EQ(refused(ErrorCode::kInvalid), why);
  }
  for (const auto* roles :
       {"project", "query,project", "command,project", "command,project,clock"}) {
    flags_["roles"] = roles;
    EXPECT_TRUE(load()) << roles;
  }
}

TEST_F(ConfigTest, SettingsOfTheConnectionToKafkaReachTheLibrary) {
  const auto secret = directory_.path() / "password";
  std::ofstream(secret) << "open sesame\n";
  toml_ = "[kafka]\nsecurity.protocol = \"SASL_SSL\"\nsasl.password_file = \"" + secret.string() +
          "\"\nsocket.keepalive.enable = true\n";
  const auto config = loaded();
  const auto client = with_secrets(config.kafka.client);
  ASSERT_TRUE(client);
  EXPECT_EQ(*client, (std::map<std::string, std::string>{{"sasl.password", "open sesame"},
                                                         {"security.protocol", "SASL_SSL"},
                                                         {"socket.keepalive.enable", "true"}}));
  for (const auto& line : in_force(config)) EXPECT_EQ(line.value.find("sesame"), std::string::npos);
  EXPECT_EQ(source("kafka.security.protocol"), file_.string());
}

TEST_F(ConfigTest, VariablesSecureTheConnectionToKafkaAsTheFileDoes) {
  toml_ = "[kafka]\nsasl.mechanism = \"PLAIN\"\n";
  environment_ = {{"TILTH_KAFKA_SECURITY_PROTOCOL", "SASL_SSL"},
                  {"TILTH_KAFKA_SASL_MECHANISM", "SCRAM-SHA-512"},
                  {"TILTH_KAFKA_SASL_PASSWORD_FILE", "/run/secrets/kafka"}};
  const KafkaClientTable expected = {{"security.protocol", "SASL_SSL"},
                                     {"sasl.mechanism", "SCRAM-SHA-512"},
                                     {"sasl.password_file", "/run/secrets/kafka"}};
  EXPECT_EQ(loaded().kafka.client, expected);
  EXPECT_EQ(source("kafka.sasl.mechanism"), "TILTH_KAFKA_SASL_MECHANISM");

  environment_ = {{"TILTH_KAFKA_SASL_PASSWORD", "open sesame"}};
  EXPECT_THAT(refused(ErrorCode::kDamaged),
              AllOf(HasSubstr("TILTH_KAFKA_SASL_PASSWORD: kafka.sasl.password is a secret"),
                    Not(HasSubstr("open sesame"))));
}

TEST_F(ConfigTest, ASecretOfKafkaStandsInAFileOfItsOwn) {
  toml_ = "[kafka]\nsasl.password = \"open sesame\"\n";
  EXPECT_THAT(refused(ErrorCode::kDamaged), AllOf(HasSubstr("kafka.sasl.password is a secret"),
                                                  ::testing::Not(HasSubstr("sesame"))));
}

TEST_F(ConfigTest, WhatThePromisesRestOnCannotBeSet) {
  for (const auto* setting : {"acks = 1", "enable.idempotence = false", "group.id = \"x\"",
                              "auto.offset.reset = \"latest\"", "ssl.ca.location_file = \"x\""}) {
    toml_ = std::string("[kafka]\n") + setting + "\n";
    EXPECT_THAT(refused(ErrorCode::kDamaged), HasSubstr("is not a setting of Tilth."));
  }
}

}  // namespace
}  // namespace tilth
