#include "infra/system/command.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tilth {
namespace {

using namespace std::chrono_literals;
using SteadyTime = std::chrono::steady_clock::time_point;

constexpr std::size_t kKept = 4 << 10;     // bytes of standard error
constexpr std::size_t kLongestLine = 300;  // of these in a message
constexpr std::chrono::milliseconds kTick{20}, kToTerminate{1'000};

Error unavailable(std::string what) { return {ErrorCode::kUnavailable, std::move(what)}; }

std::string reason(int number) { return std::generic_category().message(number); }

// What posix_spawn() takes, and what has to be given back.
class Launch {
 public:
  Launch() {
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawn_file_actions_init(&files_);
  }
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;
  ~Launch() {
    ::posix_spawn_file_actions_destroy(&files_);
    ::posix_spawnattr_destroy(&attributes_);
  }

  // Returns 0 or what errno would be.
  int start(const Command& command, int standard_error, pid_t& child) {
    // A group of its own, so that what it starts can be ended with it; and no signal is blocked or
    // ignored, as they are in threads of a service.
    sigset_t none, all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    ::posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    ::posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&files_, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    ::posix_spawn_file_actions_adddup2(&files_, standard_error, STDERR_FILENO);
    ::posix_spawn_file_actions_addclosefrom_np(&files_, STDERR_FILENO + 1);

    std::vector<std::string> words{command.program.string()};
    words.insert(words.end(), command.arguments.begin(), command.arguments.end());
    std::vector<char*> arguments, environment;
    for (auto& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    for (char** variable = ::environ; *variable != nullptr; ++variable) {
      if (!std::string_view(*variable).starts_with("TILTH_")) environment.push_back(*variable);
    }
    environment.push_back(nullptr);
    return ::posix_spawn(&child, command.program.c_str(), &files_, &attributes_, arguments.data(),
                         environment.data());
  }

 private:
  posix_spawnattr_t attributes_;
  posix_spawn_file_actions_t files_;
};

// The end of what a program has written to its standard error.
class StandardError {
 public:
  StandardError() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) return;
    ::fcntl(ends_[0], F_SETFL, O_NONBLOCK);  // a program may leave others that have it open
  }
  StandardError(const StandardError&) = delete;
  StandardError& operator=(const StandardError&) = delete;
  ~StandardError() {
    for (const int end : ends_) {
      if (end >= 0) ::close(end);
    }
  }

  bool is_open() const { return ends_[0] >= 0; }
  int of_program() const { return ends_[1]; }

  // Once the program has its own.
  void began() {
    ::close(ends_[1]);
    ends_[1] = -1;
  }

  // Reads for at most so long, or until all is read that there will be.
  void read(std::chrono::milliseconds longest) {
    if (is_over_) return std::this_thread::sleep_for(longest);
    pollfd waits{ends_[0], POLLIN, 0};
    ::poll(&waits, 1, static_cast<int>(longest.count()));
    std::array<char, kKept> bytes;
    while (true) {
      const auto count = ::read(ends_[0], bytes.data(), bytes.size());
      if (count < 0) return;
      if (count == 0) break;
      text_.append(bytes.data(), static_cast<std::size_t>(count));
      if (text_.size() > kKept) text_.erase(0, text_.size() - kKept);
    }
    is_over_ = true;
  }

  // ": " and its last line that says something, or nothing.
  std::string last_line() const {
    constexpr std::string_view kBlank = " \t\r\n";
    const auto last = text_.find_last_not_of(kBlank);
    if (last == text_.npos) return "";
    const auto before = text_.find_last_of("\r\n", last);
    auto line = text_.substr(text_.find_first_not_of(kBlank, before == text_.npos ? 0 : before));
    line.resize(std::min(line.find_last_not_of(kBlank) + 1, kLongestLine));
    // It becomes a part of JSON and of log lines.
    std::replace_if(
        line.begin(), line.end(), [](unsigned char c) { return c < ' ' || c > '~'; }, '?');
    return ": " + line;
  }

 private:
  std::array<int, 2> ends_ = {-1, -1};
  std::string text_;
  bool is_over_ = false;
};

// Leaves it as a zombie, which keeps its number and that of its group.
bool has_ended(pid_t child) {
  siginfo_t ended{};
  const int failed = ::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT);
  return failed == 0 && ended.si_pid == child;
}

void end(pid_t child, StandardError& error) {
  ::kill(-child, SIGTERM);
  const auto until = std::chrono::steady_clock::now() + kToTerminate;
  while (!has_ended(child) && std::chrono::steady_clock::now() < until) error.read(kTick);
  ::kill(-child, SIGKILL);
}

int reap(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

Status run(const Command& command) {
  const auto name = command.program.string();
  if (!command.goes_on()) return unavailable("the service ends");
  StandardError error;
  if (!error.is_open()) return unavailable(name + " cannot be started: " + reason(errno));
  pid_t child = 0;
  const int failed = Launch().start(command, error.of_program(), child);
  error.began();
  if (failed != 0) return unavailable(name + " cannot be started: " + reason(failed));
  const auto until = std::chrono::steady_clock::now() + command.timeout;
  std::string why;
  while (!has_ended(child)) {
    if (!command.goes_on()) why = "the service ends";
    if (std::chrono::steady_clock::now() >= until) {
      why = name + " took longer than " + std::to_string(command.timeout / 1s) + " s";
    }
    if (!why.empty()) {
      end(child, error);
      break;
    }
    error.read(kTick);
  }
  const int status = reap(child);
  error.read(0ms);
  if (!why.empty()) return unavailable(why + error.last_line());
  if (WIFSIGNALED(status)) {
    return unavailable(name + " was killed by signal " + std::to_string(WTERMSIG(status)) +
                       error.last_line());
  }
  if (WEXITSTATUS(status) == 0) return kDone;
  return unavailable(name + " exited with " + std::to_string(WEXITSTATUS(status)) +
                     error.last_line());
}

}  // namespace tilth
