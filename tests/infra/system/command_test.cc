#include "infra/system/command.h"

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <thread>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/fixtures/temporary_directory.h"

namespace tilth::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::EndsWith;
using ::testing::HasSubstr;

class CommandTest : public ::testing::Test {
 protected:
  // "" or why it failed.
  std::string shell(const std::string& script, Command command = {}) {
    command.program = "/bin/sh";
    command.arguments.insert(command.arguments.begin(), {"-c", script, "sh"});
    const auto done = run(command);
    return done ? "" : done.error().message;
  }

  std::string written() const {
    std::ifstream file(result);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  TemporaryDirectory directory;
  const std::string result = directory.path() / "result";
};

TEST_F(CommandTest, GetsItsArgumentsAsTheyAre) {
  EXPECT_EQ(shell("printf '%s|' \"$@\" > " + result, {.arguments = {"a b", "$HOME; x", "", "'"}}),
            "");
  EXPECT_EQ(written(), "a b|$HOME; x||'|");
}

TEST_F(CommandTest, SaysTheLastLineOfWhatWentWrong) {
  EXPECT_EQ(shell("echo first >&2; echo ' NoSuchKey: \x01\xc3\xa9 '>&2; echo >&2; exit 3"),
            "/bin/sh exited with 3: NoSuchKey: ???");
  EXPECT_EQ(shell("exit 1"), "/bin/sh exited with 1");
  EXPECT_EQ(shell("echo fine >&2; exit 0"), "");
  EXPECT_EQ(shell("kill -9 $$"), "/bin/sh was killed by signal 9");
  const auto none = run({.program = directory.path() / "none"});
  EXPECT_THAT(none.error().message, EndsWith("none cannot be started: No such file or directory"));
  EXPECT_EQ(none.error().code, ErrorCode::kUnavailable);
}

TEST_F(CommandTest, WritesAsMuchAsItLikes) {
  EXPECT_EQ(
      shell("head -c 300000 /dev/zero | tr '\\0' x >&2; echo; echo >&2; echo end >&2; exit 1"),
      "/bin/sh exited with 1: end");
}

TEST_F(CommandTest, IsEndedWithWhatItHasStartedWhenItTakesTooLong) {
  // `sleep` would hold the pipe open for ever.
  const auto why =
      shell("echo waiting >&2; sleep 1000 & echo $! > " + result + "; wait", {.timeout = 200ms});
  EXPECT_EQ(why, "/bin/sh took longer than 0 s: waiting");
  const auto child = static_cast<pid_t>(std::stol(written()));
  const auto is_there = [child] {
    std::ifstream stat("/proc/" + std::to_string(child) + "/stat");
    const std::string state{std::istreambuf_iterator<char>(stat), {}};
    return !state.empty() && state.find(") Z ") == state.npos;
  };
  while (is_there()) std::this_thread::yield();  // the signal was sent
}

TEST_F(CommandTest, IsEndedWhenTheServiceEndsEvenIfItDoesNotWantTo) {
  std::atomic<int> asked = 0;
  const auto goes_on = [&] { return ++asked < 3; };
  EXPECT_EQ(shell("trap '' TERM; while :; do sleep 1000; done", {.goes_on = goes_on}),
            "the service ends");
  EXPECT_EQ(shell("echo > " + result, {.goes_on = [] { return false; }}), "the service ends");
  EXPECT_EQ(written(), "") << "it is not even started";
}

TEST_F(CommandTest, GetsNothingThatIsTheServices) {
  const int ours = ::open("/dev/null", O_RDONLY);  // without O_CLOEXEC
  ::setenv("TILTH_OPEN_ID_CLIENT_SECRET", "secret", 1);
  ::setenv("STORE_ADDRESS", "https://store.example", 1);
  EXPECT_EQ(shell("{ env; ls -l /proc/$$/fd; cat; } > " + result), "");
  ::unsetenv("TILTH_OPEN_ID_CLIENT_SECRET");
  ::unsetenv("STORE_ADDRESS");
  ::close(ours);
  EXPECT_THAT(written(), HasSubstr("STORE_ADDRESS=https://store.example"));
  EXPECT_EQ(written().find("secret"), std::string::npos);
  EXPECT_EQ(written().find(" " + std::to_string(ours) + " -> "), std::string::npos) << written();
}

}  // namespace
}  // namespace tilth::testing
