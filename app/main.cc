#include "app/cli/commands/commands.h"
#include "app/cli/engine/command_line.h"

int main(int argc, char** argv) {
  return tilth::cli::run_command_line(tilth::cli::all_commands(), argc, argv);
}
