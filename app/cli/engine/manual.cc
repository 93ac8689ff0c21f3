#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

#include "app/cli/commands/commands.h"
#include "app/cli/engine/completion.h"
#include "app/cli/engine/json_text.h"

namespace tilth::cli {
namespace {

const Flag kAsJson = {"--json", "", "print JSON, for machines"};

// troff interprets some characters, and prints others as typographic ones that no shell takes.
std::string troff(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    const bool begins_line = escaped.empty() || escaped.back() == '\n';
    if (begins_line && (c == '.' || c == '\'')) escaped += "\\&";
    switch (c) {
      case '\\':
        escaped += "\\e";
        break;
      case '-':
        escaped += "\\-";
        break;
      case '\'':
        escaped += "\\(aq";
        break;
      case '`':
        escaped += "\\(ga";
        break;
      case '^':
        escaped += "\\(ha";
        break;
      case '~':
        escaped += "\\(ti";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string bold(std::string_view text) { return "\\fB" + troff(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + troff(text) + "\\fR"; }

// "tilth-users-add", the name of the page of `tilth users add`.
std::string page_name(std::string_view words) {
  std::string name = "tilth-" + std::string(words);
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string usage(const Flag& flag) {
  return bold(flag.name) + (flag.value.empty() ? "" : " " + italic(flag.value));
}

std::string head(std::string name, const std::string& purpose) {
  auto title = name;
  std::transform(title.begin(), title.end(), title.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return ".TH " + troff(title) + " 1 \"\" \"tilth " + TILTH_VERSION + "\" \"User Commands\"\n" +
         ".SH NAME\n" + troff(name) + " \\- " + troff(purpose) + "\n";
}

constexpr std::string_view kExitStatus =
    ".SH EXIT STATUS\n"
    ".TP\n0\nsuccess\n"
    ".TP\n1\nfailure; standard error has the reason, in one sentence\n"
    ".TP\n2\nwrong usage\n";

std::string page_of(const Command& command) {
  std::ostringstream page;
  page << head(page_name(command.words), command.summary) << ".SH SYNOPSIS\n"
       << bold("tilth " + command.words) << "\n";
  for (const auto& operand : command.operands) {
    const auto name = italic(operand.name);
    page << (operand.optional ? "[" + name + "]" : name) << "\n";
  }
  for (const auto& flag : command.flags) {
    page << (flag.required ? usage(flag) : "[" + usage(flag) + "]") << "\n";
  }
  page << ".SH DESCRIPTION\n" << troff(command.summary) << ".\n";
  if (!command.operands.empty() || !command.flags.empty()) page << ".SH OPTIONS\n";
  for (const auto& operand : command.operands) {
    page << ".TP\n" << italic(operand.name) << "\n" << troff(operand.meaning) << "\n";
  }
  for (const auto& flag : command.flags) {
    page << ".TP\n" << usage(flag) << "\n" << troff(flag.meaning) << "\n";
  }
  page << kExitStatus << ".SH EXAMPLES\n.nf\n"
       << troff(command.example) << "\n.fi\n.SH SEE ALSO\n.BR tilth (1)\n";
  return page.str();
}

// Of the commands whose words begin so.
std::string list_of_commands(std::string_view words) {
  std::ostringstream list;
  for (const auto& command : all_commands()) {
    if (!command.words.starts_with(words)) continue;
    list << ".TP\n"
         << bold("tilth " + command.words) << "\n"
         << troff(command.summary) << ".\nSee\n.BR " << troff(page_name(command.words))
         << " (1).\n";
  }
  return list.str();
}

std::string page_of_group(const std::string& words) {
  return head(page_name(words), "the commands below it") + ".SH SYNOPSIS\n" +
         bold("tilth " + words) + "\n.I COMMAND\n[\\fIFLAGS\\fR]\n.SH COMMANDS\n" +
         list_of_commands(words + " ") + ".SH SEE ALSO\n.BR tilth (1)\n";
}

std::string overview() {
  std::ostringstream page;
  page << head("tilth", "farm management on a history of events")
       << ".SH SYNOPSIS\n.B tilth\n.I COMMAND\n[\\fIFLAGS\\fR]\n"
       << ".SH DESCRIPTION\n.B tilth serve\nruns the service; most other commands are clients of a "
          "running service.\nEach command has a page of its own.\n.SH COMMANDS\n"
       << list_of_commands("");
  page << ".SH ENVIRONMENT\nEach flag of\n.B tilth serve\nhas a variable, in capitals and with "
          "underscores:\n.B TILTH_OPERATOR_LISTEN\nis\n.BR "
       << troff("--operator-listen") << " .\nA flag overrides it.\n"
       << kExitStatus;
  return page.str();
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

// Writes all pages, under the names by which man(1) finds them.
ExitStatus write_man_pages(const std::filesystem::path& directory, const Arguments& arguments) {
  std::map<std::string, std::string> pages = {{"tilth", overview()}};
  for (const auto& command : all_commands()) pages[page_name(command.words)] = page_of(command);
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  for (const auto& [name, text] : pages) {
    const auto path = directory / (name + ".1");
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << text;
    file.close();
    if (!file) return failed("Cannot write " + path.string() + ".");
  }
  if (arguments.has("--json")) {
    Json answer = object_value();
    answer.add("data", object_value()).add("directory", shown_text(directory.string()));
    std::cout << to_text(answer) << '\n';
  } else {
    std::cout << pages.size() << " pages are in " << directory.string() << '\n';
  }
  return done();
}

ExitStatus print_man_page(const Arguments& arguments) {
  const auto command = arguments.find("COMMAND");
  if (const auto directory = arguments.find("--directory")) {
    if (command) return wrong_usage("--directory is for the pages of all commands.");
    return write_man_pages(*directory, arguments);
  }
  if (!command) return print(overview(), arguments);
  const auto subcommand = arguments.find("SUBCOMMAND");
  const auto words = *command + (subcommand ? " " + *subcommand : "");
  const auto commands = all_commands();
  for (const auto& each : commands) {
    if (each.words == words) return print(page_of(each), arguments);
  }
  const auto is_below = [&](const auto& each) { return each.words.starts_with(words + " "); };
  if (std::ranges::any_of(commands, is_below)) return print(page_of_group(words), arguments);
  return wrong_usage("There is no command '" + words + "': `tilth man` lists them.");
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
          {"man",
           "Prints the man page, or that of a command",
           "tilth man users add | man -l -",
           {{"COMMAND", "the command whose page to print, such as users", {}, true},
            {"SUBCOMMAND", "its second word, such as add", {}, true}},
           {{"--directory", "DIR", "write the pages of all commands there instead"}, kAsJson},
           print_man_page}};
}

}  // namespace tilth::cli
