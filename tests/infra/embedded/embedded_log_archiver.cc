// Archives 20 records of the embedded log in a directory and kills itself amid that, after so many
// steps: embedded_log_archiver DIRECTORY ARCHIVE STEPS.

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "infra/embedded/embedded_event_log.h"

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  auto log = tilth::EmbeddedEventLog::open(argv[1]);
  if (!log) {
    std::fprintf(stderr, "%s\n", log.error().message.c_str());
    return 1;
  }
  int left = std::atoi(argv[3]);
  const auto archived = (*log)->archive(
      {.directory = argv[2], .end = 20, .file_bytes = 1'000, .goes_on = [&](auto, auto) {
         if (left-- == 0) std::raise(SIGKILL);
         return true;
       }});
  std::fprintf(stderr, "It was not killed.\n");
  return archived ? 0 : 1;
}
