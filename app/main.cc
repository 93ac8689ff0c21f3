#include "app/cli/commands/commands.h"
#include "app/cli/engine/command_line.h"

// Read by jemalloc. A thread of its own gives freed memory back to the operating system after some
// seconds, even when no other thread allocates.
extern "C" {
extern const char* malloc_conf;
const char* malloc_conf = "background_thread:true,dirty_decay_ms:5000,muzzy_decay_ms:0";
}

int main(int argc, char** argv) {
  return tilth::cli::run_command_line(tilth::cli::all_commands(), argc, argv);
}
