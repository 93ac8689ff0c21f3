#include <cstdio>
#include <map>
#include <set>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "events/log/version_gate.h"
#include "tests/infra/embedded/log_in_directory.h"

namespace tilth::testing {
namespace {

using KilledWriter = LogInDirectory;

// Another process appends records whose ids begin with `prefix` to the log in `directory`, and is
// killed once it has reported `count` of them as durable; returns all that it has reported.
std::set<std::string> acknowledged_before_kill(const std::filesystem::path& directory,
                                               const std::string& prefix, std::size_t count) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {};
  const std::string program = EMBEDDED_LOG_WRITER;
  const pid_t writer = ::fork();
  if (writer == 0) {
    ::dup2(ends[1], STDOUT_FILENO);
    ::execl(program.c_str(), program.c_str(), directory.c_str(), prefix.c_str(), nullptr);
    ::_exit(127);
  }
  ::close(ends[1]);
  std::set<std::string> acknowledged;
  FILE* const told = ::fdopen(ends[0], "r");
  char id[64];
  while (std::fscanf(told, "%63s\n", id) == 1) {
    acknowledged.insert(id);
    if (acknowledged.size() == count) ::kill(writer, SIGKILL);
  }
  std::fclose(told);
  int status = 0;
  ::waitpid(writer, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "exited by itself: " << status;
  return acknowledged;
}

TEST_F(KilledWriter, LosesNoAcknowledgedRecordAndKeepsEachOnce) {
  std::set<std::string> acknowledged;
  for (std::size_t round = 0; round < 20; ++round) {
    const auto more =
        acknowledged_before_kill(path(), "r" + std::to_string(round) + "-", 1 + round * round * 2);
    ASSERT_FALSE(more.empty());
    acknowledged.insert(more.begin(), more.end());

    ASSERT_EQ(open(), "open");
    const auto reader = log->read({{0, 0}});
    ASSERT_TRUE(reader);
    std::map<std::string, int> found;
    VersionGate gate;
    for (std::int64_t expected = 0;;) {
      const auto page = (*reader)->next(1000, std::chrono::milliseconds(0));
      ASSERT_TRUE(page) << page.error().message;
      if (page->empty()) break;
      for (const auto& logged : *page) {
        EXPECT_EQ(logged.position.offset, expected++);
        EXPECT_TRUE(gate.admit(*logged.record));
        ++found[logged.record->envelope.id];
      }
    }
    for (const auto& id : acknowledged) EXPECT_EQ(found[id], 1) << id;
    log.reset();
  }
}

}  // namespace
}  // namespace tilth::testing
