#include "app/cli/command_line.h"
#include "app/cli/commands.h"

int main(int argc, char** argv) {
  return tilth::cli::run_command_line(tilth::cli::all_commands(), argc, argv);
}
