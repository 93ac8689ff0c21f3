// Runs another program to its end, without a shell.

#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "events/values/result.h"

namespace tilth {

struct Command {
  std::filesystem::path program = {};
  std::vector<std::string> arguments = {};
  std::chrono::milliseconds timeout = std::chrono::minutes(10);
  // Asked several times a second; false ends the program.
  std::function<bool()> goes_on = [] { return true; };
};

// The program gets no input, no file descriptor of this process, and its environment without the
// variables TILTH_…; what it prints is dropped. To end it, it and the processes of its group are
// told to terminate, and killed a second later. Threads: any.
//
//   kUnavailable  it cannot be started, took too long, was ended, or did not exit with 0. The
//                 message is the end of a sentence, and has the last line of its standard error.
Status run(const Command& command);

}  // namespace tilth
