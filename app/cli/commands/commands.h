// Every command of `tilth`, with one function per group. A new command is an entry in one of these
// lists; a new group is one more function here and in all_commands().

#pragma once

#include <vector>

#include "app/cli/engine/command.h"

namespace tilth::cli {

std::vector<Command> serve_commands();
std::vector<Command> status_commands();
std::vector<Command> node_commands();
std::vector<Command> projection_commands();
std::vector<Command> operator_commands();  // and the audit trail
std::vector<Command> user_commands();
std::vector<Command> key_commands();
std::vector<Command> session_commands();
std::vector<Command> request_commands();
std::vector<Command> event_commands();
std::vector<Command> table_commands();
std::vector<Command> clock_commands();
std::vector<Command> log_commands();
std::vector<Command> backup_commands();
std::vector<Command> library_commands();
std::vector<Command> config_commands();
std::vector<Command> template_commands();
std::vector<Command> rate_commands();
std::vector<Command> demo_commands();
std::vector<Command> manual_commands();  // completion and the man page

std::vector<Command> all_commands();

// The summary of a group of commands, such as "users".
std::string_view group_summary(std::string_view group);

}  // namespace tilth::cli
