// Appends to the embedded log in a directory until it is killed, and prints the id of each record
// that is durable: embedded_log_writer DIRECTORY PREFIX.

#include <cstdio>
#include <functional>
#include <string>

#include <unistd.h>

#include "infra/embedded/embedded_event_log.h"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  // Small buffers, so that tables are being written, too, when it is killed.
  auto log = tilth::EmbeddedEventLog::open(argv[1], {.store = {.write_buffer_bytes = 64 << 10}});
  if (!log) {
    std::fprintf(stderr, "%s\n", log.error().message.c_str());
    return 1;
  }
  const std::string prefix = argv[2];
  std::function<void(int, std::uint64_t)> write = [&](int stream, std::uint64_t version) {
    const std::string name = prefix + std::to_string(stream);
    const std::string id = name + "-" + std::to_string(version);
    (*log)->append({name, {.id = id, .stream_version = version}, std::string(300, 'x')},
                   [&write, id, stream, version](const auto& end) {
                     if (!end) ::_exit(1);
                     const std::string line = id + "\n";
                     if (::write(STDOUT_FILENO, line.data(), line.size()) < 0) ::_exit(1);
                     write(stream, version + 1);
                   });
  };
  for (int stream = 0; stream < 16; ++stream) write(stream, 0);
  while (true) ::pause();
}
