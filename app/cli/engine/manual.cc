#include <iostream>
#include <sstream>
#include <string>

#include "app/cli/commands/commands.h"
#include "app/cli/engine/completion.h"
#include "app/cli/engine/json_text.h"

namespace tilth::cli {
namespace {

const Flag kAsJson = {"--json", "", "answer as JSON, for machines"};

// troff interprets a leading dot, a backslash and a bare dash.
std::string troff(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (escaped.empty() && (c == '.' || c == '\'')) escaped += "\\&";
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string synopsis(const Command& command) {
  std::string line = "tilth " + command.words;
  for (const auto& operand : command.operands) {
    line += operand.optional ? " [" + operand.name + "]" : " " + operand.name;
  }
  for (const auto& flag : command.flags) {
    const auto words = flag.name + (flag.value.empty() ? "" : " " + flag.value);
    line += flag.required ? " " + words : " [" + words + "]";
  }
  return line;
}

// With --json, the same text as a member.
ExitStatus print(const std::string& text, const Arguments& arguments) {
  if (!arguments.has("--json")) {
    std::cout << text;
    return done();
  }
  Json answer = object_value();
  answer.add("data", object_value()).add("text", text_value(text));
  std::cout << to_text(answer) << '\n';
  return done();
}

ExitStatus print_man_page(const Arguments& arguments) {
  std::ostringstream page;
  page << ".TH TILTH 1 \"\" \"tilth " << TILTH_VERSION << "\"\n"
       << ".SH NAME\ntilth \\- farm management on a history of events\n"
       << ".SH SYNOPSIS\n.B tilth\nCOMMAND [FLAGS]\n"
       << ".SH DESCRIPTION\n.B tilth serve\nruns the service; every other command is a client "
          "of a running service.\n.SH COMMANDS\n";
  for (const auto& command : all_commands()) {
    page << ".SS " << troff(synopsis(command)) << "\n" << troff(command.summary) << ".\n";
    for (const auto& operand : command.operands) {
      page << ".TP\n.I " << operand.name << "\n" << troff(operand.meaning) << "\n";
    }
    for (const auto& flag : command.flags) {
      page << ".TP\n.B " << troff(flag.name + (flag.value.empty() ? "" : " " + flag.value)) << "\n"
           << troff(flag.meaning) << "\n";
    }
    page << ".PP\nExample:\n.PP\n.RS\n.nf\n" << troff(command.example) << "\n.fi\n.RE\n";
  }
  page << ".SH EXIT STATUS\n0 if it is done, 1 if it failed (standard error says why in one "
          "sentence), 2 if it was called wrongly.\n";
  return print(page.str(), arguments);
}

ExitStatus print_completion(const Arguments& arguments) {
  const auto& shell = arguments.at("SHELL");
  const auto complete = shell == "zsh"    ? zsh_completion
                        : shell == "fish" ? fish_completion
                                          : bash_completion;
  return print(complete(all_commands()), arguments);
}

}  // namespace

std::vector<Command> manual_commands() {
  return {{"completion",
           "Prints what makes a shell complete the commands of tilth",
           "source <(tilth completion bash)",
           {{"SHELL", "the shell", one_of({"bash", "zsh", "fish"})}},
           {kAsJson},
           print_completion},
          {"man", "Prints the man page", "tilth man | man -l -", {}, {kAsJson}, print_man_page}};
}

}  // namespace tilth::cli
