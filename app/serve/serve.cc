#include "app/serve/serve.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/platform/thread_name.h"
#include "app/cli/engine/error_output.h"
#include "app/node/service.h"
#include "app/serve/ready_file.h"
#include "infra/config/load_config.h"
#include "infra/log_lines/log_lines.h"
#include "infra/system/clock.h"

namespace tilth {
namespace {

int refuse(const Error& error) {
  cli::print_error(error.message);
  return 1;
}

// The signals that end the service. Blocked before any thread starts, so that one thread waits for
// them.
sigset_t block_ending_signals() {
  sigset_t ending;
  sigemptyset(&ending);
  sigaddset(&ending, SIGTERM);
  sigaddset(&ending, SIGINT);
  // A process started with SIGHUP ignored, as by nohup, is to outlive the terminal.
  struct sigaction hangup {};
  ::sigaction(SIGHUP, nullptr, &hangup);
  if (hangup.sa_handler != SIG_IGN) sigaddset(&ending, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &ending, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  // A file that must not grow (ulimit -f) is an error of its write then, as on a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  return ending;
}

// Connections and RocksDB's files share the limit; the machine decides how far it may rise.
void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

// The memory holds passwords, keys and tokens. The limit alone does not bind a handler that the
// kernel pipes cores to; a process that is not dumpable leaves none anywhere, and other processes
// of its user cannot trace it.
void prevent_core_dumps() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_CORE, &limit) == 0) {
    limit.rlim_cur = 0;
    ::setrlimit(RLIMIT_CORE, &limit);
  }
  ::prctl(PR_SET_DUMPABLE, 0);
}

// A directory that was there may be open to everybody, or files in it that were made by hand or by
// an earlier version.
void warn_of_readable_files(const DataDirectory& directory, LogLines& log) {
  if (const auto file = directory.readable_by_others()) {
    log.warn(
        "Other users of this machine can read files in the data directory; take that away with "
        "`chmod -R go-rwx`.",
        {{"file", file->string()}});
  }
}

// Ends the process if it has not stopped in time: a library may wait for what is gone, as
// librdkafka does for a broker's thread once its topic was deleted. Everything that was
// acknowledged is durable long before.
class StopDeadline {
 public:
  explicit StopDeadline(LogLines& log)
      : thread_([this, &log](const std::stop_token& stop) {
          name_thread("stop deadline");
          std::unique_lock lock(mutex_);
          stopping_.wait_for(lock, stop, kDeadline, [] { return false; });
          if (stop.stop_requested()) return;
          log.warn("The service did not close in time, and ends at once; nothing is lost.");
          std::_Exit(0);
        }) {}

 private:
  static constexpr std::chrono::milliseconds kDeadline{9'000};  // 10 s are promised
  std::mutex mutex_;
  std::condition_variable_any stopping_;
  std::jthread thread_;
};

HostPort parsed(const std::string& address) {
  return HostPort::parse(address).value_or(HostPort{});
}

// For a start that fails before any request was served.
int refuse(const Error& error, DataDirectory& directory) {
  directory.discard();
  return refuse(error);
}

int serve_with(const Config& config, DataDirectory& directory, const Clock& clock,
               TestClock* test_clock, const sigset_t& ending) {
  LogLines log(clock, STDERR_FILENO, LogLines::form_for(STDERR_FILENO), config.log_level);
  warn_of_readable_files(directory, log);
  for (const auto& warning : warnings(config)) log.warn(warning);
  ReadyFile ready_file(config.ready_file);
  if (const auto left = ready_file.clear_left(); !left) return refuse(left.error(), directory);
  std::atomic<bool> stopped = false;
  const auto stop_asked = [&] {  // on any thread that opens something
    const timespec at_once{};
    if (!stopped && sigtimedwait(&ending, nullptr, &at_once) > 0) stopped = true;
    return stopped.load();
  };
  auto service = Service::open(config, directory, clock, test_clock, log, stop_asked);
  if (!service && stopped) return directory.discard(), 0;
  if (!service) return refuse(service.error(), directory);
  // Not before the ports are bound: until then the file may belong to a running service.
  if (const auto cleared = ready_file.clear(); !cleared) {
    service->reset();
    return refuse(cleared.error(), directory);
  }
  if (const auto ready = (*service)->become_ready(stop_asked); !ready) {
    service->reset();
    return stopped ? 0 : refuse(ready.error());
  }
  const auto address = (*service)->address();
  const auto operators = (*service)->operator_address();
  std::printf("Tilth is ready: http://%s, operators at http://%s\n", address.c_str(),
              operators.c_str());
  std::fflush(stdout);
  if (const auto written = ready_file.write(parsed(address), parsed(operators)); !written) {
    service->reset();
    return refuse(written.error());
  }
  int signal = 0;
  while (sigwait(&ending, &signal) != 0) {
  }
  log.info("The service ends.", {{"signal", std::string("SIG") + ::sigabbrev_np(signal)}});
  const StopDeadline deadline(log);
  ready_file.remove();
  (*service)->stop();
  service->reset();
  return 0;
}

}  // namespace

int serve(const Config& config) {
  const auto ending = block_ending_signals();
  raise_descriptor_limit();
  if (!config.core_dumps) prevent_core_dumps();
  ::umask(0077);  // whatever the mode of a data directory that was there: its files are private
  auto directory = DataDirectory::open(config.data);
  if (!directory) return refuse(directory.error());
  if (!config.test_clock) return serve_with(config, *directory, SystemClock(), nullptr, ending);
  const auto clock = TestClock::open(directory->test_clock(), *config.test_clock);
  if (!clock) return refuse(clock.error(), *directory);
  return serve_with(config, *directory, **clock, clock->get(), ending);
}

}  // namespace tilth
